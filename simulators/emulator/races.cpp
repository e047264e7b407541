#include <ordo/simulators/emulator/races.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace ordo::cuda::races {

/// What a fence makes visible, once an atomic after it was seen by another thread.
struct Release {
  uint32_t block, thread, epoch, fences;
  bool whole_device;
  Lanes seen;
  mutable Releases earlier;  // what the thread had acquired itself
  mutable uint64_t visit = 0;
  // A lock that is handed on a hundred thousand times is a chain as long: no recursion here, either.
  ~Release() {
    Releases left = std::move(earlier);
    while (!left.empty()) {
      const std::shared_ptr<const Release> last = std::move(left.back());
      left.pop_back();
      if (last.use_count() != 1) continue;
      left.insert(left.end(), last->earlier.begin(), last->earlier.end());
      last->earlier.clear();
    }
  }
};

namespace {

using ReleasePtr = std::shared_ptr<const Release>;

/// Adds releases to a list that has each once.
class Adder {
 public:
  explicit Adder(Releases& to) : to_(to) {}
  void add(const ReleasePtr& r) {
    if (!r) return;
    if (to_.size() < 16) {
      if (std::find(to_.begin(), to_.end(), r) == to_.end()) to_.push_back(r);
      return;
    }
    if (known_.empty())
      for (const ReleasePtr& e : to_) known_.insert(e.get());
    if (known_.insert(r.get()).second) to_.push_back(r);
  }
  void add(const Releases& all) {
    for (const ReleasePtr& r : all) add(r);
  }

 private:
  Releases& to_;
  std::unordered_set<const Release*> known_;  // those of a long list
};

// A later fence of the same thread makes visible all that an earlier one did.
void replace(Releases& in, const ReleasePtr& r) {
  if (!r) return;
  const auto same = std::find_if(in.begin(), in.end(), [&](const ReleasePtr& e) {
    return e->thread == r->thread && e->block == r->block && e->whole_device == r->whole_device;
  });
  same == in.end() ? in.push_back(r) : void(*same = r);
}

}  // namespace

// -- what memory remembers ----------------------------------------------------------------------------------------

Shadow::Page* Shadow::find(uintptr_t key, bool make) {
  Recent& recent = recent_[key % recent_.size()];
  if (recent.page && recent.key == key) return recent.page;
  auto at = pages_.find(key);
  if (at == pages_.end()) {
    if (!make) return nullptr;
    at = pages_.emplace(key, std::make_unique<Page>()).first;
  }
  recent = {key, at->second.get()};
  return recent.page;
}

Shadow::Cell& Shadow::at(uintptr_t a, uint64_t launch) {
  Cell& c = find(a >> kPageBits, true)->cells[index(a)];
  if (c.launch != launch) {
    c = Cell{};
    c.launch = launch;
  }
  return c;
}

const Shadow::Cell* Shadow::last(uintptr_t a) {
  const Page* page = find(a >> kPageBits, false);
  return page && page->cells[index(a)].launch ? &page->cells[index(a)] : nullptr;
}

void Shadow::forget(const void* p, size_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(p) & ~uintptr_t(3), end = reinterpret_cast<uintptr_t>(p) + bytes;
  for (uintptr_t a = begin; a < end; a += 4)
    if (Page* page = find(a >> kPageBits, false)) page->cells[index(a)].launch = 0;
}

void Shadow::trim() {
  constexpr size_t kMostPages = 2048;
  if (pages_.size() <= kMostPages) return;
  pages_.clear();
  recent_ = {};
}

// -- what orders accesses -----------------------------------------------------------------------------------------

void Block::begin(uint32_t number, size_t threads) {
  number_ = number;
  epoch_ = 0;
  acquired_.clear();
  threads_.assign(threads, {});
}

// Whether one of the releases, or one that its thread had acquired, comes after the access. No recursion: a lock that
// went through a thousand threads is a chain of a thousand, and the stack is a fiber's.
bool Detector::covers(const Releases& releases, const Access& a) {
  const auto visit = [this](const Releases& all) {
    for (const ReleasePtr& r : all)
      if (std::exchange(r->visit, visit_) != visit_) to_visit_.push_back(r.get());
  };
  to_visit_.clear();
  visit(releases);
  while (!to_visit_.empty()) {
    const Release& r = *to_visit_.back();
    to_visit_.pop_back();
    if (a.block == r.block) {
      if (a.thread == r.thread ? a.fences < r.fences : a.epoch < r.epoch) return true;
      if (a.thread / 32 == r.thread / 32 && a.clock < r.seen[a.thread & 31]) return true;
    }
    visit(r.earlier);
  }
  return false;
}

// Whether `a` happened before what the thread does now.
bool Detector::ordered(const Access& a, const Block& block, unsigned thread) {
  const Block::Thread& s = block.threads_[thread];
  if (a.block == block.number_) {
    if (a.thread == thread || a.epoch < block.epoch_) return true;
    if (a.thread / 32 == thread / 32 && a.clock < s.seen[a.thread & 31]) return true;
  }
  if (block.acquired_.empty() && s.acquired.empty()) return false;
  ++visit_;
  return covers(block.acquired_, a) || covers(s.acquired, a);
}

void Detector::begin_launch() {
  ++launch_;
  accesses_ = 0;
  released_.clear();
  guesses_.clear();
  guess_of_.clear();
  shadow_.trim();
}

void Detector::end_launch() {
  guess_of_.clear();
  for (const Guess& g : std::exchange(guesses_, {})) {
    word_ = g.word;
    if (!g.pardoned) report_(&g.before, g.now);
  }
}

void Detector::note_guess(const Guess& guess) {
  if (guess_of_.try_emplace(reader(guess.word, guess.read()), guesses_.size()).second) guesses_.push_back(guess);
}

// Guesses are mostly checked soon after they were made, so that the list stays short.
void Detector::pardon(uintptr_t word, const Access& read) {
  const auto at = guess_of_.find(reader(word, read));
  if (at == guess_of_.end()) return;
  guesses_[at->second].pardoned = true;
  guess_of_.erase(at);
  while (!guesses_.empty() && guesses_.back().pardoned) guesses_.pop_back();
}

const void* Detector::last_writer(const void* p) {
  const Shadow::Cell* cell = shadow_.last(reinterpret_cast<uintptr_t>(p) & ~uintptr_t(3));
  return cell ? cell->write.code : nullptr;
}

void Detector::barrier(Block& block) {
  ++block.epoch_;
  Adder acquired(block.acquired_);
  for (Block::Thread& s : block.threads_) {
    acquired.add(s.acquired);
    s.acquired.clear();
  }
}

void Detector::warp_barrier(Block& block, unsigned first, unsigned mask) {
  Lanes seen{};
  Releases acquired;
  Adder all(acquired);
  for (unsigned i = 0; i < 32; ++i) {
    if (!(mask >> i & 1)) continue;
    Block::Thread& s = block.threads_[first + i];
    ++s.clock;
    for (unsigned j = 0; j < 32; ++j) seen[j] = std::max(seen[j], s.seen[j]);
    seen[i] = s.clock;
    all.add(s.acquired);
  }
  for (unsigned i = 0; i < 32; ++i)
    if (mask >> i & 1) {
      block.threads_[first + i].seen = seen;
      block.threads_[first + i].acquired = acquired;
    }
}

void Detector::fence(Block& block, unsigned thread, bool whole_device) {
  Block::Thread& s = block.threads_[thread];
  Adder acquired(s.acquired);
  for (const ReleasePtr& r : std::exchange(s.pending, {}))
    if (r->block == block.number_ || (whole_device && r->whole_device)) acquired.add(r);
  Release r{block.number_, thread, block.epoch_, ++s.fences, whole_device, s.seen, block.acquired_};
  Adder(r.earlier).add(s.acquired);
  (whole_device ? s.device_release : s.block_release) = std::make_shared<const Release>(std::move(r));
}

// -- accesses -----------------------------------------------------------------------------------------------------

void Detector::check(Block& block, unsigned thread, const void* p, size_t bytes, Kind kind, bool reads,
                     const void* code, bool needs_writer) {
  const Block::Thread& s = block.threads_[thread];
  Access now{block.number_, block.epoch_, s.clock, s.fences, uint16_t(thread), kind, 0, code};
  ++accesses_;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(p), end = begin + bytes;
  for (uintptr_t a = begin & ~uintptr_t(3); a < end; a += 4) {
    const unsigned low = a < begin ? unsigned(begin - a) : 0, high = unsigned(std::min<uintptr_t>(4, end - a));
    now.bytes = uint8_t((1u << high) - (1u << low));
    word_ = a;
    Shadow::Cell& cell = shadow_.at(a, launch_);
    const auto races_with = [&](const Access& o) {
      if (o.kind == Kind::none || !(o.bytes & now.bytes) || (o.kind == Kind::read && kind == Kind::read) ||
          (o.kind == Kind::atomic && kind == Kind::atomic) || ordered(o, block, thread))
        return;
      const bool guess =
          (o.kind == Kind::read && kind == Kind::atomic) || (o.kind == Kind::atomic && kind == Kind::read);
      guess ? note_guess({a, o, now}) : report_(&o, now);
    };
    if (reads && needs_writer && (now.bytes & ~cell.written)) report_(nullptr, now);
    races_with(cell.write);
    if (kind == Kind::read) {
      if (cell.read.kind == Kind::none || ordered(cell.read, block, thread))
        cell.read = now;
      else
        cell.other_read = now;
    } else {
      races_with(cell.read);
      races_with(cell.other_read);
      cell.write = now;
      cell.written |= now.bytes;
    }
  }
}

void Detector::atomic(Block& block, unsigned thread, const void* p, size_t bytes, const void* code, Atomic is,
                      bool needs_writer) {
  Block::Thread& s = block.threads_[thread];
  const uintptr_t first = reinterpret_cast<uintptr_t>(p), end = first + bytes;
  for (uintptr_t a = first & ~uintptr_t(3); is.compares && a < end; a += 4) {
    const unsigned low = a < first ? unsigned(first - a) : 0, high = unsigned(std::min<uintptr_t>(4, end - a));
    const auto compared = uint8_t((1u << high) - (1u << low));
    // A read of what is compared, since the thread's last barrier and fence.
    const auto is_guess = [&](const Access& r) {
      return r.kind == Kind::read && r.block == block.number_ && r.thread == thread && r.epoch == block.epoch_ &&
             r.fences == s.fences && !(r.bytes & ~compared);
    };
    Shadow::Cell& cell = shadow_.at(a, launch_);
    for (Access* read : {&cell.read, &cell.other_read})
      if (is_guess(*read)) *read = {};
    const Access me{block.number_, 0, 0, 0, uint16_t(thread), Kind::read, 0, nullptr};
    const auto at = guess_of_.find(reader(a, me));
    if (at != guess_of_.end() && is_guess(guesses_[at->second].read())) pardon(a, me);
  }
  check(block, thread, p, bytes, Kind::atomic, is.reads, code, needs_writer);
  const auto at = released_.find(p);
  if (is.reads && at != released_.end()) {
    Adder pending(s.pending);
    for (const ReleasePtr& r : at->second)
      if (r->block != block.number_ || r->thread != thread) pending.add(r);
  }
  if (!is.writes || (!s.device_release && !s.block_release)) return;
  Releases& released = at != released_.end() ? at->second : released_[p];
  // Whoever has acquired what was released here, as the next owner of a lock has, stands for it.
  if (const ReleasePtr& r = s.device_release)
    std::erase_if(released, [&](const ReleasePtr& e) {
      return std::find(r->earlier.begin(), r->earlier.end(), e) != r->earlier.end();
    });
  replace(released, s.device_release);
  replace(released, s.block_release);
}

void Detector::access(Block& block, unsigned thread, const void* p, size_t bytes, Kind kind, const void* code,
                      bool needs_writer) {
  check(block, thread, p, bytes, kind, kind == Kind::read, code, needs_writer);
}

}  // namespace ordo::cuda::races
