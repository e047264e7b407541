// Barriers of a block and operations of a warp. A thread leaves its value and waits; the last one to come computes the
// result of all.
#include <algorithm>
#include <bit>
#include <cstring>

#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/recording.h>
#include <ordo/simulators/emulator/threads.h>

namespace ordo::cuda::emulator {

int block_barrier(BarrierVote vote, int predicate, Where where) {
  const checker::Pause pause;
  Thread& t = *g_launch.current;
  Block& b = *t.block;
  if (b.live != b.threads.size())
    fail("__syncthreads at " + place(where) + " after a thread of block " + std::to_string(b.number) + " returned");
  if (b.arrived == 0) {
    b.barrier = where;
    b.vote = vote;
    b.votes = 0;
  } else if (b.barrier.line != where.line || b.vote != vote || std::strcmp(b.barrier.file, where.file) != 0) {
    fail("divergent __syncthreads: " + name_of(t) + " at " + place(where) + ", others of its block at " +
         place(b.barrier));
  }
  b.votes += predicate != 0;
  t.where = where;
  t.state = Thread::State::at_barrier;
  if (recording::on) recording::waits(t, "barrier", where);
  if (++b.arrived == b.live) {
    b.arrived = 0;
    if (recording::on) recording::opens(t);
    checker::barrier(b);
    b.vote_result = vote == BarrierVote::count ? int(b.votes)
                    : vote == BarrierVote::all ? b.votes == b.live
                                               : b.votes != 0;
    const bool reverse = g_launch.options.order == Order::reverse;
    for (unsigned i = 0; i < b.live; ++i) wake(b.threads[reverse ? b.live - 1 - i : i]);
  }
  suspend();
  return b.vote_result;  // of this barrier: the next one cannot end before this thread comes to it
}

namespace {
// The result that all lanes share; shuffles and matches differ from lane to lane.
uint64_t common_result(WarpOp op, unsigned here, const uint64_t* values) {
  const auto fold = [&](auto f) {
    uint64_t total = values[std::countr_zero(here)];
    for (unsigned rest = here & (here - 1); rest; rest &= rest - 1) total = f(total, values[std::countr_zero(rest)]);
    return total;
  };
  const auto votes = [&] {
    unsigned v = 0;
    for (unsigned rest = here; rest; rest &= rest - 1)
      v |= unsigned(values[std::countr_zero(rest)] & 1) << std::countr_zero(rest);
    return v;
  };
  switch (op) {
    case WarpOp::ballot:
      return votes();
    case WarpOp::any:
      return votes() != 0;
    case WarpOp::all:
      return votes() == here;
    case WarpOp::add:
      return fold([](uint64_t a, uint64_t b) { return a + b; });
    case WarpOp::min_signed:
      return fold([](uint64_t a, uint64_t b) { return int64_t(b) < int64_t(a) ? b : a; });
    case WarpOp::max_signed:
      return fold([](uint64_t a, uint64_t b) { return int64_t(b) > int64_t(a) ? b : a; });
    case WarpOp::min:
      return fold([](uint64_t a, uint64_t b) { return std::min(a, b); });
    case WarpOp::max:
      return fold([](uint64_t a, uint64_t b) { return std::max(a, b); });
    case WarpOp::bit_and:
      return fold([](uint64_t a, uint64_t b) { return a & b; });
    case WarpOp::bit_or:
      return fold([](uint64_t a, uint64_t b) { return a | b; });
    case WarpOp::bit_xor:
      return fold([](uint64_t a, uint64_t b) { return a ^ b; });
    case WarpOp::sync:
    case WarpOp::shuffle:
    case WarpOp::match:
      break;
  }
  return 0;
}

uint64_t lane_result(const Thread& t, unsigned here, const uint64_t* values, uint64_t common) {
  if (t.op == WarpOp::shuffle) {  // from a lane that does not take part: undefined
    const unsigned source = unsigned(t.source_lane) & 31;
    return here >> source & 1 ? values[source] : g_launch.random.next();
  }
  if (t.op != WarpOp::match) return common;
  unsigned equal = 0;
  for (unsigned rest = here; rest; rest &= rest - 1)
    equal |= unsigned(values[std::countr_zero(rest)] == t.value) << std::countr_zero(rest);
  return equal;
}

// Ends the operation that `leader` waits in, when all lanes of its mask that have not returned are there.
void release_if_complete(Block& b, const Thread& leader) {
  const unsigned first = leader.number & ~31u, mask = leader.mask;
  Warp& warp = b.warps[first / 32];
  if ((warp.waiting & mask) != (warp.live & mask)) return;
  Thread* threads = &b.threads[first];
  const WarpOp op = leader.op;
  const unsigned here = warp.live & mask;
  uint64_t values[32], results[32];
  for (unsigned rest = here; rest; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    if (threads[i].mask != mask || threads[i].op != op) return;
    values[i] = threads[i].value;
  }
  const uint64_t common = common_result(op, here, values);
  for (unsigned rest = here; rest; rest &= rest - 1)
    results[std::countr_zero(rest)] = lane_result(threads[std::countr_zero(rest)], here, values, common);
  warp.waiting &= ~here;
  if (op == WarpOp::sync) checker::warp_barrier(b, first, here);
  for (unsigned rest = here; rest; rest &= rest - 1) {
    Thread& t = threads[std::countr_zero(rest)];
    t.value = results[std::countr_zero(rest)];
    wake(t);
  }
}
}  // namespace

uint64_t warp_operation(WarpOp op, unsigned mask, uint64_t value, int source_lane, Where where) {
  const checker::Pause pause;
  Thread& t = *g_launch.current;
  if (!(mask >> (t.number & 31) & 1))
    fail("warp operation at " + place(where) + ": " + name_of(t) + " is not in its own mask");
  t.op = op;
  t.mask = mask;
  t.value = value;
  t.source_lane = source_lane;
  t.where = where;
  t.state = Thread::State::in_warp_operation;
  if (recording::on) recording::waits(t, "warp", where);
  t.block->warps[t.number / 32].waiting |= 1u << (t.number & 31);
  release_if_complete(*t.block, t);
  suspend();
  return t.value;
}

void thread_left_warp(Block& b, unsigned number) {
  Warp& warp = b.warps[number / 32];
  warp.live &= ~(1u << (number & 31));
  for (unsigned rest = warp.waiting; rest; rest &= rest - 1) {  // a release empties more of it
    const int i = std::countr_zero(rest);
    if (warp.waiting >> i & 1) release_if_complete(b, b.threads[(number & ~31u) + unsigned(i)]);
  }
}

}  // namespace ordo::cuda::emulator
