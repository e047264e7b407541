#include <ordo/kernels/distributed/ordered_reduce.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/distributed/combine.h>
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

/// How the nodes of all members, in their order, become one; the last is where it stands.
std::vector<FoldStep> steps_of(int64_t leaves, const std::vector<TreeNode>& nodes) {
  std::vector<FoldStep> steps;
  TreeFold<size_t> fold(leaves);
  for (size_t i = 0; i < nodes.size(); ++i)
    fold.push(nodes[i], i, [&](size_t left, size_t right) {
      steps.push_back({left, right});
      return left;
    });
  ORDO_CHECK(fold.nodes().size() == 1, ValueError, "all_reduce", "the members' shares of the tree do not fit");
  return steps;
}

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

/// The elements that a member reduces.
struct ElementRange {
  int64_t first = 0, count = 0;
};

/// The nodes of the tree that members begin with.
struct Nodes {
  explicit Nodes(const OrderedReduce& what) {
    std::vector<TreeNode> nodes;
    for (const PartRange& range : what.members) {
      first.push_back(nodes.size());
      const auto roots = distributed::roots_of(what.leaves, range);
      nodes.insert(nodes.end(), roots.begin(), roots.end());
    }
    first.push_back(nodes.size());
    steps = steps_of(what.leaves, nodes);
  }
  size_t count() const { return first.back(); }
  size_t of(int member) const { return first[size_t(member) + 1] - first[size_t(member)]; }

  std::vector<size_t> first;  // of each member, among all
  std::vector<FoldStep> steps;
};

/// The parts of all members are gone through in segments of equal offsets. While one is added up, the next one is on
/// its way.
class Exchange {
 public:
  Exchange(GroupState& group, const OrderedReduce& what, const OwnNodes& own, char* result,
           std::vector<ElementRange> parts)
      : group_(group),
        what_(what),
        own_(own),
        result_(result),
        parts_(std::move(parts)),
        width_(size_of(what.dtype)),
        nodes_(what) {
    segment_ = std::clamp(kSharedCache / int64_t(nodes_.count() * nodes_.count()), kLeastSegment, kGreatestSegment) /
               int64_t(width_);
    int64_t longest = 0;
    for (const ElementRange& part : parts_) longest = std::max(longest, part.count);
    if (longest <= 2 * segment_) segment_ = std::max<int64_t>(longest, 1);  // two segments gain nothing
    segments_ = (longest + segment_ - 1) / segment_;
    slot_ = size_t(std::min(segment_, parts_[size_t(group.rank)].count)) * width_;
    scratch_ = group.scratch(2 * nodes_.count() * slot_);
  }

  void go(bool gather) {
    std::vector<Messages> gathered;
    std::optional<Messages> next;
    if (segments_ > 0) next.emplace(post(0));
    for (int64_t s = 0; s < segments_; ++s) {
      Messages now = std::move(*next);
      next.reset();
      if (s + 1 < segments_) next.emplace(post(s + 1));
      now.wait();
      const ElementRange mine = part_of(group_.rank, s);
      cpu::fold(what_.reduce, what_.dtype, nodes_.steps, values(s),
                result_ + size_t(gather ? mine.first : s * segment_) * width_, mine.count);
      if (!gather) continue;
      Messages messages(group_, what_.op);
      for (int i = 1; i < group_.size(); ++i) {
        const int from = (group_.rank + group_.size() - i) % group_.size(), to = (group_.rank + i) % group_.size();
        const ElementRange theirs = part_of(from, s);
        messages.receive(result_ + size_t(theirs.first) * width_, size_t(theirs.count) * width_, from);
        messages.send(result_ + size_t(mine.first) * width_, size_t(mine.count) * width_, to);
      }
      gathered.push_back(std::move(messages));
    }
    for (Messages& messages : gathered) messages.wait();
  }

 private:
  ElementRange part_of(int member, int64_t segment) const {
    const ElementRange& part = parts_[size_t(member)];
    const int64_t first = std::min(part.count, segment * segment_);
    return {part.first + first, std::min(segment_, part.count - first)};
  }
  char* received(int64_t segment, size_t node) {
    return scratch_ + (size_t(segment % 2) * nodes_.count() + node) * slot_;
  }

  Messages post(int64_t s) {
    Messages messages(group_, what_.op);
    const ElementRange mine = part_of(group_.rank, s);
    for (int i = 1; i < group_.size(); ++i) {
      const int from = (group_.rank + group_.size() - i) % group_.size(), to = (group_.rank + i) % group_.size();
      for (size_t k = 0; k < nodes_.of(from); ++k)
        messages.receive(received(s, nodes_.first[size_t(from)] + k), size_t(mine.count) * width_, from);
      const ElementRange theirs = part_of(to, s);
      for (void* value : own_.values)
        messages.send(static_cast<const char*>(value) + size_t(theirs.first) * width_, size_t(theirs.count) * width_,
                      to);
    }
    return messages;
  }

  std::vector<char*> values(int64_t s) {
    std::vector<char*> all;
    const ElementRange mine = part_of(group_.rank, s);
    for (int member = 0; member < group_.size(); ++member)
      for (size_t k = 0; k < nodes_.of(member); ++k) {
        char* at = received(s, nodes_.first[size_t(member)] + k);
        if (member == group_.rank) {
          char* const own = static_cast<char*>(own_.values[k]) + size_t(mine.first) * width_;
          if (own_.scratch)
            at = own;
          else
            std::memcpy(at, own, size_t(mine.count) * width_);
        }
        all.push_back(at);
      }
    return all;
  }

  GroupState& group_;
  const OrderedReduce& what_;
  const OwnNodes& own_;
  char* result_;
  const std::vector<ElementRange> parts_;
  const size_t width_;
  const Nodes nodes_;
  int64_t segment_, segments_;
  size_t slot_ = 0;  // bytes of a node's segment
  char* scratch_ = nullptr;
};

/// The exchange in the memory of devices, in one piece: data travels between devices, and they add.
void exchange_on_devices([[maybe_unused]] GroupState& group, [[maybe_unused]] const OrderedReduce& what,
                         [[maybe_unused]] const OwnNodes& own, [[maybe_unused]] char* result,
                         [[maybe_unused]] const std::vector<ElementRange>& parts, [[maybe_unused]] bool gather) {
#if ORDO_HAS_CUDA
  distributed::DeviceTransport& devices = *group.devices.transport;
  const Nodes nodes(what);
  const size_t width = size_of(what.dtype);
  const ElementRange mine = parts[size_t(group.rank)];
  const Scratch<char> rows(int64_t(nodes.count()) * mine.count * int64_t(width), own.device);
  const auto row = [&](size_t node) { return rows.data() + node * size_t(mine.count) * width; };
  std::vector<distributed::DeviceTransport::Outgoing> sends;
  std::vector<distributed::DeviceTransport::Incoming> receives;
  for (int member = 0; member < group.size(); ++member) {
    const size_t first = nodes.first[size_t(member)];
    for (size_t k = 0; k < nodes.of(member); ++k) {
      if (member == group.rank)
        ordo::detail::copy_bytes(row(first + k), own.device,
                                 static_cast<char*>(own.values[k]) + size_t(mine.first) * width, own.device,
                                 size_t(mine.count) * width);
      else
        receives.push_back({row(first + k), size_t(mine.count) * width, member});
    }
    const ElementRange theirs = parts[size_t(member)];
    for (void* value : own.values)
      if (member != group.rank)
        sends.push_back(
            {static_cast<char*>(value) + size_t(theirs.first) * width, size_t(theirs.count) * width, member});
  }
  devices.exchange(sends, receives);
  char* const to = result + (gather ? size_t(mine.first) * width : 0);
  cuda::fold(what.reduce, what.dtype, nodes.steps, rows.data(), mine.count, to, mine.count, own.device);
  if (gather) {
    sends.clear(), receives.clear();
    for (int member = 0; member < group.size(); ++member) {
      if (member == group.rank) continue;
      const ElementRange theirs = parts[size_t(member)];
      sends.push_back({to, size_t(mine.count) * width, member});
      receives.push_back({result + size_t(theirs.first) * width, size_t(theirs.count) * width, member});
    }
    devices.exchange(sends, receives);
  }
  devices.watch(what.op);
#endif
}

void go(GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result,
        std::vector<ElementRange> parts, bool gather) {
  if (own.device.is_cuda())
    exchange_on_devices(group, what, own, static_cast<char*>(result), parts, gather);
  else
    Exchange(group, what, own, static_cast<char*>(result), std::move(parts)).go(gather);
}

}  // namespace

OrderedReduce over_parts(const char* op, DType dtype, int64_t parts, int64_t members, ReduceOp reduce) {
  OrderedReduce what{.op = op, .reduce = reduce, .dtype = dtype, .leaves = parts};
  for (int64_t r = 0; r < members; ++r) what.members.push_back(distributed::shards_of(parts, r, members));
  return what;
}

OwnNodes scratch_nodes(const std::vector<std::pair<TreeNode, Tensor>>& sums) {
  OwnNodes own{{}, {}, true, sums[0].second.device()};
  for (const auto& [node, tensor] : sums) {
    own.nodes.push_back(node);
    own.values.push_back(tensor.data());
  }
  return own;
}

void ordered_all_reduce(GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result,
                        int64_t count) {
  std::vector<ElementRange> parts;
  for (int64_t i = 0; i < group.size(); ++i) {
    const PartRange range = distributed::leaves_of(count, i, group.size());
    parts.push_back({range.first, range.count()});
  }
  go(group, what, own, result, std::move(parts), true);
}

void ordered_reduce_scatter(GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result,
                            int64_t count) {
  std::vector<ElementRange> parts;
  for (int64_t i = 0; i < group.size(); ++i) parts.push_back({i * count, count});
  go(group, what, own, result, std::move(parts), false);
}

}  // namespace ordo::kernels
