#include <ordo/kernels/distributed/ordered_reduce.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/distributed/fold.h>

namespace ordo::kernels {
namespace {

using distributed::GroupState;
using distributed::Messages;
using distributed::PartRange;
using distributed::ReduceOp;
using distributed::TreeFold;
using distributed::TreeNode;

// Bytes of a member's part that are added up at a time: as many as stay in the cache, which the members of one machine
// share, where each receives a segment from every other; but so many that a message's latency does not count.
constexpr int64_t kSharedCache = int64_t(4) << 20, kLeastSegment = int64_t(1) << 15,
                  kGreatestSegment = int64_t(1) << 20;
constexpr int64_t kBlock = 2048;  // elements that pass the whole tree at a time
constexpr int64_t kGrain = 1 << 15;

/// to = left op right; `to` may be either.
template <ReduceOp kOp, class T>
void combine_block(T* to, const T* left, const T* right, int64_t count) {
#ifndef __clang__  // Clang finds out at run time that `to` may be an operand
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < count; ++i) to[i] = combined<kOp>(left[i], right[i]);
}

}  // namespace

void cpu::fold(ReduceOp op, DType dtype, const std::vector<FoldStep>& steps, const std::vector<char*>& rows,
               void* result, int64_t count) {
  dispatch_numeric("all_reduce", dtype, [&]<class T>() {
    with_op(op, [&]<ReduceOp kOp>() {
      parallel_for(0, count, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; at += kBlock) {
          const int64_t n = std::min(kBlock, end - at);
          const auto block = [&](size_t i) { return reinterpret_cast<T*>(rows[i]) + at; };
          T* const to = static_cast<T*>(result) + at;
          for (const FoldStep& s : steps)
            combine_block<kOp>(&s == &steps.back() ? to : block(s.left), block(s.left), block(s.right), n);
        }
      });
    });
  });
}

namespace {

/// The nodes of the tree that members begin with, a row each in the members' order, and how they become fewer.
struct Nodes {
  Nodes(int64_t leaves, const std::vector<PartRange>& members) {
    TreeFold<size_t> fold(leaves, {members.front().first, members.back().last});
    size_t row = 0;
    for (const PartRange& range : members) {
      first.push_back(row);
      for (const TreeNode& root : distributed::roots_of(leaves, range))
        fold.push(root, row++, [&](size_t left, size_t right) {
          steps.push_back({left, right});
          return left;
        });
    }
    first.push_back(row);
    for (const auto& [node, at] : fold.nodes()) left.push_back(at);
  }
  size_t count() const { return first.back(); }
  size_t of(int member) const { return first[size_t(member) + 1] - first[size_t(member)]; }

  std::vector<size_t> first;  // of each member, among all
  std::vector<FoldStep> steps;
  std::vector<size_t> left;  // rows that are the result: one, where the members have all leaves
};

/// Each member reduces its part of the elements.
struct Parts {
  GroupState& group_;
  const OrderedReduce& what_;
  const OwnNodes& own_;
  char* result_;
  std::vector<PartRange> parts_;
};

/// The parts of all members are gone through in segments of equal offsets. While one is added up, the next one is on
/// its way.
class Exchange : Parts {
 public:
  explicit Exchange(const Parts& parts)
      : Parts(parts), width_(size_of(what_.dtype)), nodes_(what_.leaves, what_.members) {
    segment_ = std::clamp(kSharedCache / int64_t(nodes_.count() * nodes_.count()), kLeastSegment, kGreatestSegment) /
               int64_t(width_);
    int64_t longest = 0;
    for (const PartRange& part : parts_) longest = std::max(longest, part.count());
    if (longest <= 2 * segment_) segment_ = std::max<int64_t>(longest, 1);  // two segments gain nothing
    segments_ = (longest + segment_ - 1) / segment_;
    slot_ = size_t(std::min(segment_, parts_[size_t(group_.rank)].count())) * width_;
    scratch_ = group_.scratch(2 * nodes_.count() * slot_);
  }

  void go(bool gather) {
    std::vector<Messages> gathered;
    std::optional<Messages> next(post(0));
    for (int64_t s = 0; s < segments_; ++s) {
      Messages now = std::move(*next);
      next.emplace(post(s + 1));
      now.wait();
      const PartRange mine = part_of(group_.rank, s);
      cpu::fold(what_.reduce, what_.dtype, nodes_.steps, values(s),
                result_ + size_t(gather ? mine.first : s * segment_) * width_, mine.count());
      if (!gather) continue;
      Messages messages(group_, what_.op);
      for (int i = 1; i < group_.size(); ++i) {
        const int from = (group_.rank + group_.size() - i) % group_.size(), to = (group_.rank + i) % group_.size();
        const PartRange theirs = part_of(from, s);
        messages.receive(result_ + size_t(theirs.first) * width_, size_t(theirs.count()) * width_, from);
        messages.send(result_ + size_t(mine.first) * width_, size_t(mine.count()) * width_, to);
      }
      gathered.push_back(std::move(messages));
    }
    for (Messages& messages : gathered) messages.wait();
  }

 private:
  PartRange part_of(int member, int64_t segment) const {
    const PartRange& part = parts_[size_t(member)];
    const int64_t first = std::min(part.last, part.first + segment * segment_);
    return {first, std::min(part.last, first + segment_)};
  }
  char* received(int64_t segment, size_t node) {
    return scratch_ + (size_t(segment % 2) * nodes_.count() + node) * slot_;
  }

  /// Nothing behind the last segment.
  Messages post(int64_t s) {
    Messages messages(group_, what_.op);
    const PartRange mine = part_of(group_.rank, s);
    for (int i = 1; s < segments_ && i < group_.size(); ++i) {
      const int from = (group_.rank + group_.size() - i) % group_.size(), to = (group_.rank + i) % group_.size();
      for (size_t k = 0; k < nodes_.of(from); ++k)
        messages.receive(received(s, nodes_.first[size_t(from)] + k), size_t(mine.count()) * width_, from);
      const PartRange theirs = part_of(to, s);
      for (void* value : own_.values)
        messages.send(static_cast<const char*>(value) + size_t(theirs.first) * width_, size_t(theirs.count()) * width_,
                      to);
    }
    return messages;
  }

  std::vector<char*> values(int64_t s) {
    std::vector<char*> all;
    const PartRange mine = part_of(group_.rank, s);
    for (int member = 0; member < group_.size(); ++member)
      for (size_t k = 0; k < nodes_.of(member); ++k) {
        char* at = received(s, nodes_.first[size_t(member)] + k);
        if (member == group_.rank) {
          char* const own = static_cast<char*>(own_.values[k]) + size_t(mine.first) * width_;
          if (own_.scratch)
            at = own;
          else
            std::memcpy(at, own, size_t(mine.count()) * width_);
        }
        all.push_back(at);
      }
    return all;
  }

  const size_t width_;
  const Nodes nodes_;
  int64_t segment_, segments_;
  size_t slot_ = 0;  // bytes of a node's segment
  char* scratch_ = nullptr;
};

#if ORDO_HAS_CUDA
/// The exchange in the memory of devices, in one piece: data travels between devices, and they add. Where machines have
/// several members each, those of a machine first become one: `place` is a member's number on its machine, and each
/// member then exchanges with those of its place. Between machines travels what one member of each would send.
class DeviceExchange : Parts {
 public:
  explicit DeviceExchange(const Parts& parts)
      : Parts(parts), places_(group_.devices.of_machine), machines_(group_.size() / places_) {}

  void go(bool gather) {
    const int machine = group_.rank / places_, place = group_.rank % places_;
    const size_t own_bytes = bytes_of(group_.rank);
    char* const to = result_ + (gather ? offset_of(group_.rank) : 0);

    // Among the members of the machine: those of a place get what is that place's on all machines.
    const Nodes here(what_.leaves,
                     {what_.members.begin() + machine * places_, what_.members.begin() + (machine + 1) * places_});
    std::vector<size_t> begin{0};  // of each machine's piece
    for (int m = 0; m < machines_; ++m) begin.push_back(begin.back() + bytes_of(member(m, place)));
    const size_t row_bytes = begin.back();
    const Scratch<char> rows(int64_t(here.count() * row_bytes), own_.device);
    for (int p = 0; p < places_; ++p) {
      for (size_t k = 0; k < here.of(p); ++k)
        for (int m = 0; m < machines_; ++m) {
          char* const at = rows.data() + (here.first[size_t(p)] + k) * row_bytes + begin[size_t(m)];
          if (p == place)
            copy(at, static_cast<char*>(own_.values[k]) + offset_of(member(m, p)), bytes_of(member(m, p)));
          else
            receives_.push_back({at, bytes_of(member(m, place)), member(machine, p)});
        }
      if (p == place) continue;
      for (void* value : own_.values)
        for (int m = 0; m < machines_; ++m)
          sends_.push_back(
              {static_cast<char*>(value) + offset_of(member(m, p)), bytes_of(member(m, p)), member(machine, p)});
    }
    exchange();
    if (machines_ == 1) {
      fold(here, rows.data(), row_bytes, to);
    } else {
      fold(here, rows.data(), row_bytes, rows.data() + (here.steps.empty() ? 0 : here.steps.back().left * row_bytes));
      // Among those of this place.
      std::vector<PartRange> of_machines;
      for (int m = 0; m < machines_; ++m)
        of_machines.push_back(
            {what_.members[size_t(member(m, 0))].first, what_.members[size_t(member(m, places_ - 1))].last});
      const Nodes all(what_.leaves, of_machines);
      const Scratch<char> roots(int64_t(all.count() * own_bytes), own_.device);
      for (int m = 0; m < machines_; ++m) {
        for (size_t k = 0; k < all.of(m); ++k) {
          char* const at = roots.data() + (all.first[size_t(m)] + k) * own_bytes;
          if (m == machine)
            copy(at, rows.data() + here.left[k] * row_bytes + begin[size_t(m)], own_bytes);
          else
            receives_.push_back({at, own_bytes, member(m, place)});
        }
        if (m == machine) continue;
        for (size_t row : here.left)
          sends_.push_back(
              {rows.data() + row * row_bytes + begin[size_t(m)], bytes_of(member(m, place)), member(m, place)});
      }
      exchange();
      fold(all, roots.data(), own_bytes, to);
    }
    if (gather) {
      for (int m = 0; m < machines_; ++m)
        if (m != machine) share(member(m, place), group_.rank, member(m, place));
      exchange();
      for (int p = 0; p < places_; ++p)
        for (int m = 0; m < machines_ && p != place; ++m) share(member(machine, p), member(m, place), member(m, p));
      exchange();
    }
  }

 private:
  int member(int machine, int place) const { return machine * places_ + place; }
  size_t width() const { return size_of(what_.dtype); }
  size_t offset_of(int member) const { return size_t(parts_[size_t(member)].first) * width(); }
  size_t bytes_of(int member) const { return size_t(parts_[size_t(member)].count()) * width(); }

  void copy(char* to, const char* from, size_t bytes) {
    ordo::detail::copy_bytes(to, own_.device, from, own_.device, bytes);
  }
  void fold(const Nodes& nodes, char* rows, size_t row_bytes, char* to) {
    const int64_t count = int64_t(row_bytes / width());
    cuda::fold(what_.reduce, what_.dtype, nodes.steps, rows, count, to, count, own_.device);
  }
  /// Sends part `mine` of the result to a member, which sends part `theirs`.
  void share(int with, int mine, int theirs) {
    sends_.push_back({result_ + offset_of(mine), bytes_of(mine), with});
    receives_.push_back({result_ + offset_of(theirs), bytes_of(theirs), with});
  }
  void exchange() {
    if (!sends_.empty() || !receives_.empty()) group_.devices.transport->exchange(sends_, receives_);
    sends_.clear(), receives_.clear();
  }

  const int places_, machines_;
  std::vector<distributed::DeviceTransport::Outgoing> sends_;
  std::vector<distributed::DeviceTransport::Incoming> receives_;
};
#endif

/// Member i's part of the elements is part(i).
template <class F>
void reduce_parts(GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result, bool gather,
                  const F& part) {
  ORDO_CHECK(what.members.front().first == 0 && what.members.back().last == what.leaves, ValueError, what.op,
             "the members' shares of the tree do not fit");
  Parts parts{group, what, own, static_cast<char*>(result), {}};
  for (int64_t i = 0; i < group.size(); ++i) parts.parts_.push_back(part(i));
#if ORDO_HAS_CUDA
  if (own.device.is_cuda()) return DeviceExchange(parts).go(gather);
#endif
  Exchange(parts).go(gather);
}

}  // namespace

OrderedReduce over_parts(const char* op, DType dtype, int64_t parts, int64_t members, ReduceOp reduce) {
  OrderedReduce what{.op = op, .reduce = reduce, .dtype = dtype, .leaves = parts};
  for (int64_t r = 0; r < members; ++r) what.members.push_back(distributed::shards_of(parts, r, members));
  return what;
}

OwnNodes scratch_nodes(const std::vector<std::pair<TreeNode, Tensor>>& sums) {
  OwnNodes own{{}, true, sums[0].second.device()};
  for (const auto& [node, tensor] : sums) own.values.push_back(tensor.data());
  return own;
}

void ordered_all_reduce(GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result,
                        int64_t count) {
  reduce_parts(group, what, own, result, true,
               [&](int64_t i) { return distributed::leaves_of(count, i, group.size()); });
}

void ordered_reduce_scatter(GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result,
                            int64_t count) {
  reduce_parts(group, what, own, result, false, [&](int64_t i) { return PartRange{i * count, (i + 1) * count}; });
}

}  // namespace ordo::kernels
