#include <ordo/kernels/distributed/ordered_reduce.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include <ordo/engine/check.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/half.h>
#include <ordo/engine/parallel.h>

namespace ordo::kernels {
namespace {

using distributed::GroupState;
using distributed::LeafRange;
using distributed::Messages;
using distributed::ReduceOp;
using distributed::TreeFold;
using distributed::TreeNode;

// Bytes of a member's part that are added up at a time: as many as stay in the cache, which the members of one machine
// share, where each receives a segment from every other; but so many that a message's latency does not count.
constexpr int64_t kSharedCache = int64_t(4) << 20, kLeastSegment = int64_t(1) << 15,
                  kGreatestSegment = int64_t(1) << 20;
constexpr int64_t kBlock = 2048;  // elements that pass the whole tree at a time
constexpr int64_t kGrain = 1 << 15;

/// values[left] = values[left] op values[right].
struct Step {
  size_t left, right;
};

/// How the nodes of all members, in their order, become one; the last is where it stands.
std::vector<Step> steps_of(int64_t leaves, const std::vector<TreeNode>& nodes) {
  std::vector<Step> steps;
  TreeFold<size_t> fold(leaves);
  for (size_t i = 0; i < nodes.size(); ++i)
    fold.push(nodes[i], i, [&](size_t left, size_t right) {
      steps.push_back({left, right});
      return left;
    });
  ORDO_CHECK(fold.nodes().size() == 1, ValueError, "all_reduce", "the members' shares of the tree do not fit");
  return steps;
}

template <class T>
struct Wide {
  using type = T;
};
template <>
struct Wide<Half> {
  using type = float;
};
template <>
struct Wide<BFloat16> {
  using type = float;
};

/// to = left op right; `to` may be either.
template <ReduceOp kOp, class T>
void combine_block(T* to, const T* left, const T* right, int64_t count) {
  using W = typename Wide<T>::type;
#ifndef __clang__  // Clang finds out at run time that `to` may be an operand
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < count; ++i) {
    const W a = W(left[i]), b = W(right[i]);
    if constexpr (kOp == ReduceOp::product && std::is_integral_v<T>)
      to[i] = T(std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b));
    else if constexpr (kOp == ReduceOp::product)
      to[i] = T(a * b);
    else if constexpr (kOp == ReduceOp::min)
      to[i] = a < b || a != a ? left[i] : right[i];
    else if constexpr (kOp == ReduceOp::max)
      to[i] = a > b || a != a ? left[i] : right[i];
    else if constexpr (std::is_integral_v<T>)
      to[i] = T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));  // wraps
    else
      to[i] = T(a + b);
  }
}

template <class F>
void with_op(ReduceOp op, F&& f) {
  switch (op) {
    case ReduceOp::product:
      return f.template operator()<ReduceOp::product>();
    case ReduceOp::min:
      return f.template operator()<ReduceOp::min>();
    case ReduceOp::max:
      return f.template operator()<ReduceOp::max>();
    default:
      return f.template operator()<ReduceOp::sum>();
  }
}

void fold_values(const OrderedReduce& what, const std::vector<Step>& steps, const std::vector<char*>& values,
                 void* result, int64_t count) {
  dispatch_numeric(what.op, what.dtype, [&]<class T>() {
    with_op(what.reduce, [&]<ReduceOp kOp>() {
      parallel_for(0, count, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; at += kBlock) {
          const int64_t n = std::min(kBlock, end - at);
          const auto block = [&](size_t i) { return reinterpret_cast<T*>(values[i]) + at; };
          T* const to = static_cast<T*>(result) + at;
          for (const Step& s : steps)
            combine_block<kOp>(&s == &steps.back() ? to : block(s.left), block(s.left), block(s.right), n);
        }
      });
    });
  });
}

/// A member's part of the elements.
struct Part {
  int64_t first = 0, count = 0;
};

/// The parts of all members are gone through in segments of equal offsets. While one is added up, the next one is on
/// its way.
class Exchange {
 public:
  Exchange(GroupState& group, const OrderedReduce& what, const OwnNodes& own, char* result, std::vector<Part> parts)
      : group_(group), what_(what), own_(own), result_(result), parts_(std::move(parts)), width_(size_of(what.dtype)) {
    std::vector<TreeNode> nodes;
    for (const LeafRange& range : what.members) {
      first_node_.push_back(nodes.size());
      const auto roots = distributed::roots_of(what.leaves, range);
      nodes.insert(nodes.end(), roots.begin(), roots.end());
    }
    first_node_.push_back(nodes.size());
    steps_ = steps_of(what.leaves, nodes);
    segment_ = std::clamp(kSharedCache / int64_t(nodes.size() * nodes.size()), kLeastSegment, kGreatestSegment) /
               int64_t(width_);
    int64_t longest = 0;
    for (const Part& part : parts_) longest = std::max(longest, part.count);
    if (longest <= 2 * segment_) segment_ = std::max<int64_t>(longest, 1);  // two segments gain nothing
    segments_ = (longest + segment_ - 1) / segment_;
    slot_ = size_t(std::min(segment_, parts_[size_t(group.rank)].count)) * width_;
    scratch_ = group.world.scratch(2 * nodes.size() * slot_);
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
      const Part mine = part_of(group_.rank, s);
      fold_values(what_, steps_, values(s), result_ + size_t(gather ? mine.first : s * segment_) * width_, mine.count);
      if (!gather) continue;
      Messages messages(group_, what_.op);
      for (int i = 1; i < group_.size(); ++i) {
        const int from = (group_.rank + group_.size() - i) % group_.size(), to = (group_.rank + i) % group_.size();
        const Part theirs = part_of(from, s);
        messages.receive(result_ + size_t(theirs.first) * width_, size_t(theirs.count) * width_, from);
        messages.send(result_ + size_t(mine.first) * width_, size_t(mine.count) * width_, to);
      }
      gathered.push_back(std::move(messages));
    }
    for (Messages& messages : gathered) messages.wait();
  }

 private:
  Part part_of(int member, int64_t segment) const {
    const Part& part = parts_[size_t(member)];
    const int64_t first = std::min(part.count, segment * segment_);
    return {part.first + first, std::min(segment_, part.count - first)};
  }
  char* received(int64_t segment, size_t node) {
    return scratch_ + (size_t(segment % 2) * first_node_.back() + node) * slot_;
  }
  size_t nodes_of(int member) const { return first_node_[size_t(member) + 1] - first_node_[size_t(member)]; }

  Messages post(int64_t s) {
    Messages messages(group_, what_.op);
    const Part mine = part_of(group_.rank, s);
    for (int i = 1; i < group_.size(); ++i) {
      const int from = (group_.rank + group_.size() - i) % group_.size(), to = (group_.rank + i) % group_.size();
      for (size_t k = 0; k < nodes_of(from); ++k)
        messages.receive(received(s, first_node_[size_t(from)] + k), size_t(mine.count) * width_, from);
      const Part theirs = part_of(to, s);
      for (void* value : own_.values)
        messages.send(static_cast<const char*>(value) + size_t(theirs.first) * width_, size_t(theirs.count) * width_,
                      to);
    }
    return messages;
  }

  std::vector<char*> values(int64_t s) {
    std::vector<char*> all;
    const Part mine = part_of(group_.rank, s);
    for (int member = 0; member < group_.size(); ++member)
      for (size_t k = 0; k < nodes_of(member); ++k) {
        char* at = received(s, first_node_[size_t(member)] + k);
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
  const std::vector<Part> parts_;
  const size_t width_;
  int64_t segment_, segments_;
  std::vector<size_t> first_node_;  // of each member, among all
  std::vector<Step> steps_;
  size_t slot_ = 0;  // bytes of a node's segment
  char* scratch_ = nullptr;
};

}  // namespace

void ordered_all_reduce(GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result,
                        int64_t count) {
  std::vector<Part> parts;
  for (int64_t i = 0; i < group.size(); ++i) {
    const LeafRange range = distributed::leaves_of(count, i, group.size());
    parts.push_back({range.first, range.count()});
  }
  Exchange(group, what, own, static_cast<char*>(result), std::move(parts)).go(true);
}

void ordered_reduce_scatter(GroupState& group, const OrderedReduce& what, const OwnNodes& own, void* result,
                            int64_t count) {
  std::vector<Part> parts;
  for (int64_t i = 0; i < group.size(); ++i) parts.push_back({i * count, count});
  Exchange(group, what, own, static_cast<char*>(result), std::move(parts)).go(false);
}

void combine(ReduceOp op, DType dtype, void* left, const void* right, int64_t count) {
  dispatch_numeric("all_reduce", dtype, [&]<class T>() {
    with_op(op, [&]<ReduceOp kOp>() {
      parallel_for(0, count, kGrain, [&](int64_t begin, int64_t end) {
        T* const to = static_cast<T*>(left) + begin;
        combine_block<kOp>(to, to, static_cast<const T*>(right) + begin, end - begin);
      });
    });
  });
}

}  // namespace ordo::kernels
