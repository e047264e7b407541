#include <ordo/nn/audit/align.h>

#include <algorithm>
#include <unordered_map>

#include <ordo/kernels/fingerprint/mix.h>

namespace ordo::audit {
namespace {

class Hash {
 public:
  void add(uint64_t v) { h_ = kernels::mixed(h_ ^ kernels::mixed(v + kernels::fingerprint_key(5))); }
  void add(std::string_view text) {
    uint64_t h = 0xcbf29ce484222325u;
    for (char c : text) h = (h ^ uint8_t(c)) * 0x100000001b3u;
    add(h ^ uint64_t(text.size()) << 48);
  }
  uint64_t value() const { return h_; }

 private:
  uint64_t h_ = 0;
};

using Indices = std::vector<uint32_t>;

class Aligner {
 public:
  Aligner(std::span<const Entry> a, std::span<const Entry> b) : a_(a), b_(b) {
    pairs_.of_a.assign(a.size(), kNone);
    pairs_.of_b.assign(b.size(), kNone);
  }

  Pairs align() {
    const auto threads_a = threads(a_), threads_b = threads(b_);
    if (threads_a.empty() || threads_b.empty()) return std::move(pairs_);
    if (threads_a.size() == 1 && threads_b.size() == 1) {
      align_in_order(threads_a[0], threads_b[0]);
      return std::move(pairs_);
    }
    // Which thread has which number depends on who came first. Where all events have an equal partner, that was all.
    if (a_.size() == b_.size() && pair_by(all(a_), all(b_), equal_events)) return std::move(pairs_);
    pairs_.of_a.assign(a_.size(), kNone);
    pairs_.of_b.assign(b_.size(), kNone);
    const size_t main_b = thread_like(threads_a[0], threads_b);
    align_in_order(threads_a[0], threads_b[main_b]);
    Indices rest_a, rest_b;
    for (size_t i = 1; i < threads_a.size(); ++i) append(rest_a, threads_a[i]);
    for (size_t i = 0; i < threads_b.size(); ++i)
      if (i != main_b) append(rest_b, threads_b[i]);
    std::sort(rest_a.begin(), rest_a.end());
    std::sort(rest_b.begin(), rest_b.end());
    pair_by(rest_a, rest_b, equal_events);
    pair_by(rest_a, rest_b, [](const Entry& e) { return e.key ^ kernels::mixed(e.inputs + e.arguments); });
    pair_by(rest_a, rest_b, [](const Entry& e) { return e.key ^ kernels::mixed(uint64_t(e.step)); });
    return std::move(pairs_);
  }

 private:
  static uint64_t equal_events(const Entry& e) {
    Hash h;
    for (uint64_t v : {e.key, e.inputs, e.outputs, uint64_t(e.shapes) << 32 | e.arguments, uint64_t(e.depth)}) h.add(v);
    return h.value();
  }
  static Indices all(std::span<const Entry> entries) {
    Indices indices(entries.size());
    for (size_t i = 0; i < indices.size(); ++i) indices[i] = uint32_t(i);
    return indices;
  }
  static void append(Indices& to, const Indices& from) { to.insert(to.end(), from.begin(), from.end()); }

  static std::vector<Indices> threads(std::span<const Entry> entries) {
    std::unordered_map<uint32_t, size_t> places;
    std::vector<Indices> all;
    for (size_t i = 0; i < entries.size(); ++i) {
      const auto at = places.try_emplace(entries[i].thread, all.size());
      if (at.second) all.emplace_back();
      all[at.first->second].push_back(uint32_t(i));
    }
    return all;
  }

  /// The thread of B that begins as that of A does: numbers tell who came first.
  size_t thread_like(const Indices& a, const std::vector<Indices>& threads_b) const {
    size_t best = 0, most = 0;
    for (size_t i = 0; i < threads_b.size(); ++i) {
      const Indices& b = threads_b[i];
      size_t k = 0;
      while (k < 64 && k < a.size() && k < b.size() && a_[a[k]].key == b_[b[k]].key) ++k;
      if (k > most) best = i, most = k;
    }
    return best;
  }

  void pair(uint32_t a, uint32_t b) { pairs_.of_a[a] = b, pairs_.of_b[b] = a; }

  /// Pairs what has no partner and the same value of `of`, the first with the first. Whether all have one then.
  template <class F>
  bool pair_by(const Indices& a, const Indices& b, const F& of) {
    std::unordered_map<uint64_t, std::pair<Indices, size_t>> waiting;
    for (uint32_t j : b)
      if (pairs_.of_b[j] == kNone) waiting[of(b_[j])].first.push_back(j);
    bool complete = true;
    for (uint32_t i : a) {
      if (pairs_.of_a[i] != kNone) continue;
      const auto at = waiting.find(of(a_[i]));
      if (at != waiting.end() && at->second.second < at->second.first.size())
        pair(i, at->second.first[at->second.second++]);
      else
        complete = false;
    }
    return complete;
  }

  /// Keys that follow are equal, too: what follows an operation tells it from another call of it.
  bool goes_on(const Indices& a, size_t i, const Indices& b, size_t j) const {
    constexpr size_t kRun = 6;
    for (size_t k = 0; k < kRun; ++k) {
      if (i + k == a.size() || j + k == b.size()) return k > 0;
      if (a_[a[i + k]].key != b_[b[j + k]].key) return false;
    }
    return true;
  }

  /// One trace has events that the other has not: leaves out as few as possible, else goes on with the next step.
  void align_in_order(const Indices& a, const Indices& b) {
    constexpr size_t kReach = 400;
    int64_t budget = 100'000'000;  // comparisons, of all searches
    size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
      if (a_[a[i]].key == b_[b[j]].key) {
        pair(a[i++], b[j++]);
        continue;
      }
      bool found = false;
      for (size_t d = 1; d <= (budget > 0 ? kReach : 8) && !found; ++d)
        for (size_t x = 0; x <= d && !found; ++x, --budget)
          if (i + x < a.size() && j + d - x < b.size() && goes_on(a, i + x, b, j + d - x))
            i += x, j += d - x, found = true;
      if (found) continue;
      const int64_t next = std::max(a_[a[i]].step, b_[b[j]].step) + 1;
      while (i < a.size() && a_[a[i]].step < next) ++i;
      while (j < b.size() && b_[b[j]].step < next) ++j;
    }
  }

  std::span<const Entry> a_, b_;
  Pairs pairs_;
};

}  // namespace

Entry entry_of(const Record& r) {
  Entry e;
  e.kind = r.kind;
  e.step = r.step;
  e.thread = r.thread;
  e.depth = uint16_t(std::min(r.depth, 0xffff));
  e.settings = uint8_t(uint8_t(r.level) << 4 | uint8_t(r.algorithm));
  Hash key;
  key.add(uint64_t(r.kind) << 1 | uint64_t(r.backward));
  key.add(r.name), key.add(r.path), key.add(r.node);
  e.key = key.value();
  Hash arguments;  // without the device's name, so that runs on two devices can be compared
  const size_t at = r.device.empty() ? std::string_view::npos : r.arguments.find(r.device);
  arguments.add(r.arguments.substr(0, at));
  if (at != std::string_view::npos) arguments.add(r.arguments.substr(at + r.device.size()));
  e.arguments = uint32_t(arguments.value());
  if (r.kind == Record::Kind::draw) {
    Hash from;
    from.add(r.draw_from.seed), from.add(r.draw_from.stream), from.add(r.draw_from.offset);
    e.inputs = from.value();
    e.outputs = r.draw_blocks;
    return e;
  }
  if (r.kind == Record::Kind::summary) {
    e.outputs = kernels::mixed(r.hash.low) ^ r.hash.high;
    return e;
  }
  Hash halves[2], shapes;
  for (size_t i = 0; i < r.tensors.size(); ++i) {
    const TensorRecord& t = r.tensors[i];
    Hash& bits = halves[i < r.input_count ? 0 : 1];
    bits.add(uint64_t(t.state));
    bits.add(t.fingerprint.low), bits.add(t.fingerprint.high);
    if (t.state == TensorRecord::State::undefined) continue;
    // Sizes are part of both: of bits, because a tensor of other sizes is another one.
    Hash shape;
    shape.add(uint64_t(t.dtype) << 8 | uint64_t(t.sizes->size()));
    for (int64_t s : *t.sizes) shape.add(uint64_t(s));
    bits.add(shape.value());
    shapes.add(shape.value());
  }
  e.copies = r.name == "to" && !r.failed && r.input_count == 1 && r.tensors.size() == 2 && r.tensors[0] == r.tensors[1];
  if (e.copies) e.arguments = 0;  // the device may be another one
  halves[1].add(uint64_t(r.failed));
  e.inputs = halves[0].value();
  e.outputs = halves[1].value();
  e.shapes = uint32_t(shapes.value());
  return e;
}

Pairs align(std::span<const Entry> a, std::span<const Entry> b) { return Aligner(a, b).align(); }

}  // namespace ordo::audit
