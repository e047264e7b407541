// The guards of one kind that live on a thread. They may end in any order, as members of objects do: what the youngest
// one says is in force. Internal.
#pragma once

#include <cstdio>

namespace ordo::detail {

/// To be thread_local. Constructed and destroyed trivially: guards with static storage outlive what is not.
template <class T>
class GuardStack {
 public:
  /// `now` is what is in force on this thread.
  void begin(const void* guard, T& now, T value) {
    if (count_ == room_) grow();
    if (count_ == 0) without_ = now;
    entries()[count_++] = {guard, value};
    now = value;
  }

  void end(const char* name, const void* guard, T& now) {
    int at = count_;
    while (--at >= 0 && entries()[at].guard != guard) {
    }
    if (at < 0) {  // what another thread reads is not changed here
      std::fprintf(stderr, "ordo: warning: a %s ended on another thread than its own, where it stays in force\n", name);
      return;
    }
    for (--count_; at < count_; ++at) entries()[at] = entries()[at + 1];
    now = count_ == 0 ? without_ : entries()[count_ - 1].value;
    if (count_ > 0 || !many_) return;
    delete[] many_;
    many_ = nullptr;
    room_ = kFew;
  }

 private:
  struct Entry {
    const void* guard;
    T value;
  };
  static constexpr int kFew = 8;

  Entry* entries() { return many_ ? many_ : few_; }
  void grow() {
    auto* const more = new Entry[size_t(2 * room_)];
    for (int i = 0; i < count_; ++i) more[i] = entries()[i];
    delete[] many_;
    many_ = more;
    room_ *= 2;
  }

  Entry few_[kFew] = {};
  Entry* many_ = nullptr;  // in place of few_
  int count_ = 0, room_ = kFew;
  T without_{};
};

}  // namespace ordo::detail
