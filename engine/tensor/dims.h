// Dims: a tensor's sizes or strides, or a choice of its dimensions. At most kMaxDims numbers, stored in place.
//
// An argument of type Dims takes one number or several: `x.sum(-1)`, `x.sum({0, 2})`, `zeros(3)`, `zeros({3, 4})`.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <vector>

namespace ordo {

inline constexpr int kMaxDims = 8;

class Dims {
 public:
  Dims() = default;
  template <std::integral I>
  requires(!std::same_as<I, bool>) Dims(I value) : Dims({int64_t(value)}) {}
  Dims(std::initializer_list<int64_t> values) : Dims(values.begin(), int64_t(values.size())) {}
  Dims(const std::vector<int64_t>& values) : Dims(values.data(), int64_t(values.size())) {}
  Dims(const int64_t* values, int64_t count) {
    if (count > kMaxDims) throw_too_many(count);
    for (int64_t i = 0; i < count; ++i) v_[i] = values[i];
    n_ = int(count);
  }
  /// n copies of value.
  static Dims filled(int n, int64_t value) {
    Dims d;
    for (int i = 0; i < n; ++i) d.push_back(value);
    return d;
  }

  int size() const { return n_; }
  bool empty() const { return n_ == 0; }
  int64_t operator[](int i) const { return v_[checked(i)]; }  ///< IndexError when there is none; here and below
  int64_t& operator[](int i) { return v_[checked(i)]; }
  int64_t at(int i) const { return (*this)[i]; }
  int64_t front() const { return (*this)[0]; }
  int64_t back() const { return (*this)[n_ - 1]; }
  const int64_t* data() const { return v_; }
  const int64_t* begin() const { return v_; }
  const int64_t* end() const { return v_ + n_; }
  int64_t* begin() { return v_; }
  int64_t* end() { return v_ + n_; }

  void push_back(int64_t value) {
    if (n_ == kMaxDims) throw_too_many(n_ + 1);
    v_[n_++] = value;
  }
  void pop_back() { --n_; }
  void insert(int at, int64_t value) {
    push_back(0);
    for (int i = n_ - 1; i > at; --i) v_[i] = v_[i - 1];
    v_[at] = value;
  }
  void erase(int at) {
    for (int i = at; i + 1 < n_; ++i) v_[i] = v_[i + 1];
    --n_;
  }

  /// The product; 1 when empty. ShapeError naming `op` for sizes that break the rule at the top of tensor.h.
  int64_t product(const char* op = "shape") const;

  /// "[2, 3, 4]"
  std::string str() const;

  friend bool operator==(const Dims& a, const Dims& b) {
    if (a.n_ != b.n_) return false;
    for (int i = 0; i < a.n_; ++i)
      if (a.v_[i] != b.v_[i]) return false;
    return true;
  }
  template <std::integral I>
  friend bool operator==(const Dims& a, I b) = delete;  // compare with Dims{b}, or an element with b

 private:
  [[noreturn]] static void throw_too_many(int64_t count);
  [[noreturn]] void throw_no_number(int i) const;
  int checked(int i) const {
    if (unsigned(i) >= unsigned(n_)) [[unlikely]]
      throw_no_number(i);
    return i;
  }
  int64_t v_[kMaxDims] = {};
  int n_ = 0;
};

std::ostream& operator<<(std::ostream& out, const Dims& sizes);  ///< str()

/// Row-major strides of a tensor of these sizes; ShapeError for sizes that break the rule at the top of tensor.h.
Dims contiguous_strides(const Dims& sizes);
/// The shape both broadcast to; throws ShapeError naming `op`.
Dims broadcast_sizes(const char* op, const Dims& a, const Dims& b);
/// A dimension index in [-rank, rank) made non-negative; throws IndexError naming `op`. Rank 0 counts as rank 1.
int wrap_dim(const char* op, int64_t dim, int rank);

}  // namespace ordo
