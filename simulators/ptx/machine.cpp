#include "simulators/ptx/machine.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace ordo::ptx {
namespace {

constexpr int64_t kTurns = 64;       // round a loop, before others get theirs
constexpr int64_t kPatience = 2000;  // instructions for those
constexpr int kMostResident = 6;     // blocks

Dim3 unflatten(uint64_t index, Dim3 size) {
  return {uint32_t(index % size.x), uint32_t(index / size.x % size.y), uint32_t(index / size.x / size.y)};
}

}  // namespace

Warp::Warp(Block& block, int number) : block_(&block), number_(number) {
  const Program& program = block.program();
  const Launch& launch = block.launch();
  const Dim3 size = launch.block;
  const int64_t first = int64_t(number) * kLanes, threads = int64_t(size.count());
  alive_ = threads - first >= kLanes ? kAll : (Mask(1) << (threads - first)) - 1;
  frame_ = std::make_unique_for_overwrite<uint8_t[]>(program.frame_bytes);
  bases_ = {frame_.get(), const_cast<uint8_t*>(program.constants.data())};
  local_.assign(program.local_bytes * kLanes, 0xcd);
  for (const Program::Special& special : program.specials) {
    const Lanes<uint32_t> to = lanes<uint32_t>(special.where);
    const auto pick = [&](Dim3 d) { return special.axis == 0 ? d.x : special.axis == 1 ? d.y : d.z; };
    for (int lane = 0; lane < kLanes; ++lane) {
      using Kind = Program::Special::Kind;
      uint32_t value = 0;
      const Mask own = Mask(1) << lane;
      switch (special.kind) {
        case Kind::tid:
          value = pick(unflatten(uint64_t(first + lane), size));
          break;
        case Kind::ntid:
          value = pick(size);
          break;
        case Kind::ctaid:
          value = pick(block.index());
          break;
        case Kind::nctaid:
          value = pick(launch.grid);
          break;
        case Kind::lane:
          value = uint32_t(lane);
          break;
        case Kind::warp:
          value = uint32_t(number);
          break;
        case Kind::lanemask_eq:
          value = own;
          break;
        case Kind::lanemask_lt:
          value = own - 1;
          break;
        case Kind::lanemask_le:
          value = own | (own - 1);
          break;
        case Kind::lanemask_gt:
          value = ~(own | (own - 1));
          break;
        case Kind::lanemask_ge:
          value = ~(own - 1);
          break;
        case Kind::clock:
          value = uint32_t(block.device().counts.warp_instructions);
          break;
      }
      to.set(lane, value);
    }
  }
}

uint8_t* Warp::local(int lane) { return local_.data() + size_t(lane) * block_->program().local_bytes; }

void Warp::stand(Mask lanes, uint32_t place) {
  for (Mask rest = lanes; rest; rest &= rest - 1) places_[size_t(std::countr_zero(rest))] = place;
}

void Warp::find_limit() {
  limit_ = ~uint32_t(0);
  for (Mask rest = alive_ & ~at_barrier_ & ~waiting_ & ~mask_; rest; rest &= rest - 1) {
    const uint32_t place = places_[size_t(std::countr_zero(rest))];
    if (place >= place_ && place < limit_) limit_ = place;
  }
}

bool Warp::choose(bool others) {
  const Mask able = alive_ & ~at_barrier_ & ~waiting_;
  if (able == 0) {
    mask_ = 0;
    return false;
  }
  const uint32_t before = place_;
  uint32_t least = ~uint32_t(0), next = ~uint32_t(0);
  for (Mask rest = able; rest; rest &= rest - 1) {
    const uint32_t place = places_[size_t(std::countr_zero(rest))];
    least = std::min(least, place);
    if (place > before) next = std::min(next, place);
  }
  patience_ = 0;
  place_ = least;
  if (others && (next != ~uint32_t(0) || least != before)) {  // those at the place that follows, in a circle
    place_ = next != ~uint32_t(0) ? next : least;
    patience_ = kPatience;
  }
  turns_ = 0;
  mask_ = 0;
  for (Mask rest = able; rest; rest &= rest - 1)
    if (const int lane = std::countr_zero(rest); places_[size_t(lane)] == place_) mask_ |= Mask(1) << lane;
  find_limit();
  return true;
}

void Warp::wait_at(const Instruction& in, Mask lanes) {
  if (at_barrier_ != 0 && barrier_ != int(in.offset))
    throw Fault(Fault::Kind::failure, fmt::format("threads of a warp wait at different barriers, {}", where()));
  barrier_ = int(in.offset);
  at_barrier_ |= lanes;
  if (in.finish) arrived_.emplace_back(&in, lanes);
}

void Warp::leave_barrier() {
  at_barrier_ = 0;
  for (const auto& [in, lanes] : arrived_) in->finish(*this, *in, lanes);
  arrived_.clear();
}

Mask Warp::ready(const Instruction& in, Mask here) {
  const Lanes<uint32_t> masks = lanes<uint32_t>(in.operands[in.mask_operand]);
  Mask ready = 0;
  for (Mask rest = here; rest; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const Mask wanted = masks.get(lane);
    if ((wanted >> lane & 1) == 0)
      fail(Fault::Kind::failure, in, lane, fmt::format("the mask {:08x} does not have the lane itself", wanted));
    if ((wanted & alive_ & ~here) == 0) ready |= Mask(1) << lane;
  }
  return ready;
}

// All those that wait at one place and are complete.
bool Warp::run_ready() {
  for (Mask rest = waiting_; rest;) {
    const uint32_t place = places_[size_t(std::countr_zero(rest))];
    Mask here = 0;
    for (Mask m = rest; m; m &= m - 1)
      if (const int lane = std::countr_zero(m); places_[size_t(lane)] == place) here |= Mask(1) << lane;
    rest &= ~here;
    const Instruction& in = block_->program().code[place];
    const Mask go = ready(in, here);
    if (go == 0) continue;
    in.run(*this, in, go);
    waiting_ &= ~go;
    stand(go, place + 1);
    return true;
  }
  return false;
}

bool Warp::step(int64_t quantum) {
  Counts& counts = block_->device().counts;
  const Program& program = block_->program();
  const int64_t given = quantum;
  uint64_t lanes_done = 0;
  const auto others = [&] { return choose(false) || (run_ready() && choose(false)); };
  if (!others()) return false;
  const auto stop = [&] {
    if (mask_ != 0) stand(mask_, place_);
    mask_ = 0;
    counts.instructions += lanes_done;
    counts.warp_instructions += uint64_t(given - quantum);
    return true;
  };
  while (quantum > 0) {
    if (place_ == limit_) {  // others stand here: on together
      stand(mask_, place_);
      choose(false);
    }
    const Instruction& in = program.code[place_];
    Mask m = mask_;
    if (in.guard != kNowhere) m &= in.guard_negated ? ~predicate(in.guard) : predicate(in.guard);
    --quantum;
    lanes_done += uint64_t(std::popcount(m));
    ++counts.work[size_t(in.work)];
    switch (in.control) {
      case Instruction::Control::plain:
        if (m) in.run(*this, in, m);
        ++place_;
        break;
      case Instruction::Control::yield:
        if (m) in.run(*this, in, m);
        ++place_;
        if (mask_ != (alive_ & ~at_barrier_ & ~waiting_)) {
          stand(mask_, place_);
          choose(true);
        }
        break;
      case Instruction::Control::branch: {
        if (m == 0) {
          ++place_;
          break;
        }
        const bool backward = in.target <= place_;
        if (m != mask_) {
          stand(m, in.target);
          stand(mask_ & ~m, place_ + 1);
          choose(false);
          break;
        }
        place_ = in.target;
        if (limit_ == ~uint32_t(0) && mask_ == (alive_ & ~at_barrier_ & ~waiting_)) break;  // nobody stands elsewhere
        if (--patience_ > 0) {
          find_limit();
          break;
        }
        const int64_t turns = turns_ + backward;
        stand(mask_, place_);
        const uint32_t from = place_;
        choose(turns >= kTurns);
        if (place_ == from && patience_ == 0) turns_ = turns;
        break;
      }
      case Instruction::Control::exit:
        alive_ &= ~m;
        mask_ &= ~m;
        ++place_;
        if (mask_ == 0 && !others()) return stop();
        break;
      case Instruction::Control::barrier:
        if (m != 0) {
          if (in.run) in.run(*this, in, m);
          wait_at(in, m);
        }
        stand(mask_, place_ + 1);
        counts.barriers += m != 0;
        if (!others()) return stop();
        break;
      case Instruction::Control::collective:
        if (m == alive_ && ready(in, m) == m) {  // all at once, as mostly
          in.run(*this, in, m);
          ++place_;
          break;
        }
        stand(m, place_);
        stand(mask_ & ~m, place_ + 1);
        waiting_ |= m;
        run_ready();
        if (!others()) return stop();
        break;
    }
  }
  return stop();
}

std::string Warp::where() const {
  const Dim3 b = block_->index();
  return fmt::format("block ({}, {}, {}), warp {}", b.x, b.y, b.z, number_);
}

void Warp::fail(Fault::Kind kind, const Instruction& in, int lane, const std::string& what) const {
  const Program& program = block_->program();
  const Dim3 b = block_->index(), t = unflatten(uint64_t(number_) * kLanes + uint64_t(lane), block_->launch().block);
  throw Fault(kind,
              fmt::format("{}\n  at '{}', line {} of its PTX\n  thread ({}, {}, {}) of block ({}, {}, {})", what,
                          program.texts[in.statement], program.lines[in.statement], t.x, t.y, t.z, b.x, b.y, b.z));
}

Block::Block(Device& device, const Launch& launch, uint64_t index)
    : device_(&device), launch_(&launch), index_(unflatten(index, launch.grid)) {
  const Program& program = *launch.program;
  shared_.assign((program.shared_bytes + 15) / 16 * 16 + launch.dynamic_shared, 0xcd);
  written_.assign(shared_.size(), 0);
  if (device.races) {
    race_state_.begin(uint32_t(index), launch.block.count());
    device.races->forget(shared_.data(), shared_.size());
  }
  const int count = int((launch.block.count() + kLanes - 1) / kLanes);
  warps_.reserve(size_t(count));
  for (int w = 0; w < count; ++w) warps_.emplace_back(*this, w);
}

bool Block::release_barrier() {
  bool any = false;
  int number = -1;
  for (const Warp& warp : warps_) {
    if (warp.at_barrier_ != warp.alive_) return false;
    if (warp.alive_ == 0) continue;
    any = true;
    if (number >= 0 && warp.barrier_ != number)
      throw Fault(Fault::Kind::failure, fmt::format("threads wait at different barriers, {}", warp.where()));
    number = warp.barrier_;
  }
  if (!any) return false;
  result = votes;
  votes = {};
  if (device_->races) device_->races->barrier(race_state_);
  for (Warp& warp : warps_) warp.leave_barrier();
  return true;
}

bool Block::done() const {
  return std::all_of(warps_.begin(), warps_.end(), [](const Warp& w) { return w.done(); });
}

void run(Device& device, const Launch& launch) {
  using Order = Schedule::Order;
  const Order order = device.schedule.order;
  std::mt19937_64 random(device.schedule.seed * 0x9e3779b97f4a7c15ull + device.launched++);
  device.random.seed(uint32_t(random()));
  ++device.counts.launches;
  device.running = launch.program;
  if (device.races) device.races->begin_launch();
  const uint64_t blocks = launch.grid.count();
  uint64_t next = 0;
  std::vector<std::unique_ptr<Block>> resident;
  const size_t most = order == Order::forward ? 1 : order == Order::reverse ? 2 : 1 + random() % kMostResident;
  const uint64_t steps_before = device.counts.warp_instructions;
  std::vector<std::pair<size_t, size_t>> able;  // block, warp
  size_t held = 0;                              // blocks more than that, because those that are here wait for others
  while (next < blocks || !resident.empty()) {
    while (resident.size() < most + held && next < blocks)
      resident.push_back(std::make_unique<Block>(device, launch, next++));
    able.clear();
    for (size_t b = 0; b < resident.size(); ++b)
      for (size_t w = 0; w < resident[b]->warps().size(); ++w)
        if (const Warp& warp = resident[b]->warps()[w]; !warp.done() && warp.at_barrier() != warp.alive())
          able.emplace_back(b, w);
    bool progress = false;
    const auto go = [&](size_t i, int64_t quantum) {
      const auto [b, w] = able[i];
      progress |= resident[b]->warps()[w].step(quantum);
    };
    if (order == Order::random) {
      std::shuffle(able.begin(), able.end(), random);
      for (size_t i = 0; i < able.size(); ++i) go(i, 1 + int64_t(random() % 1500));
    } else {
      for (size_t i = 0; i < able.size(); ++i) go(order == Order::forward ? i : able.size() - 1 - i, 20000);
    }
    for (auto& block : resident) progress |= block->release_barrier();
    std::erase_if(resident, [](const auto& block) { return block->done(); });
    if (!progress && !able.empty())
      throw Fault(Fault::Kind::failure, fmt::format("threads wait for others that never come (a deadlock), {}",
                                                    resident[able[0].first]->warps()[able[0].second].where()));
    const uint64_t steps = device.counts.warp_instructions - steps_before;
    if (steps > device.most_steps)
      throw Fault(Fault::Kind::timeout, fmt::format("no end after {} instructions of warps", steps));
    // Blocks may wait for later ones that never find room, as long as hardware has some for them.
    if (steps > (held + 1) << 24 && held < 64) held += 4;
  }
  if (device.races) device.races->end_launch();
  device.counts.hottest_word += device.hot_words.take();
}

}  // namespace ordo::ptx
