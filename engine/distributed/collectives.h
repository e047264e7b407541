// What a group does together with bytes. Nothing here computes. Internal: for use within World::run(), but for those
// that say otherwise.
#pragma once

#include <string>
#include <vector>

#include <ordo/engine/distributed/world.h>
#include <ordo/engine/tensor/dims.h>

namespace ordo::distributed {

/// What a process is about to do with its group.
struct CallHeader {
  char op[24] = "";
  int element = -1;       ///< index of the dtype
  int reduce = -1;        ///< index of the ReduceOp
  int level = -1;         ///< of determinism
  int16_t library = 0;    ///< whether the library reduces
  int16_t on_device = 0;  ///< whether this process could do it without the host's memory; the others may differ
  int root = -1;
  int dims = -1;
  int64_t sizes[8] = {};
  uint64_t number = 0;  ///< of the call; meet() sets it
  std::string str() const;
};

/// Waits until all members are here, and compares what they are about to do. One that does something else, or nothing
/// in time, ends the job. In round k each member hears from the one 2^k before it, so all have heard of all after
/// log2(size) messages one after the other (the dissemination barrier of Hensgen, Finkel and Manber, 1988). Returns
/// whether `on_device` holds for all.
bool meet(GroupState& group, CallHeader header);
/// meet() for memory of `device`. Returns the transport between device memories; null where a member has none.
DeviceTransport* meet(GroupState& group, CallHeader header, Device device);

/// Member i's `sizes[i]` bytes, one member after the other, in `all`, where its own already stand.
void all_gather(GroupState& group, const char* op, void* all, const std::vector<size_t>& sizes);
void broadcast(GroupState& group, const char* op, void* data, size_t bytes, int root);
/// Block i of `data`, of so many bytes, goes to member i.
void all_to_all(GroupState& group, const char* op, const void* data, void* result, size_t bytes);

// -- for everybody: they call run() and meet() ------------------------------------------------------------------------

/// Every member's bytes.
std::vector<std::string> gather_text(GroupState& group, const char* op, const std::string& mine);
/// That of the root.
std::string broadcast_text(GroupState& group, const char* op, std::string text, int root = 0);
/// Lines that must be the same in all members; the first one that is not ends the job, named.
void expect_same(GroupState& group, const char* op, const std::string& lines);
/// Whether any member says so.
bool any_member(GroupState& group, const char* op, bool mine);

}  // namespace ordo::distributed
