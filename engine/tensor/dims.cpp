#include <ordo/engine/tensor/dims.h>

#include <ordo/engine/calls/check.h>

namespace ordo {

std::string Dims::str() const {
  std::string text = "[";
  for (const int64_t size : *this) text.append(text.size() > 1 ? ", " : "").append(std::to_string(size));
  return text + "]";
}

void Dims::throw_no_number(int i) const { detail::fail<IndexError>("Dims", "there is no number {} in {}", i, *this); }

void Dims::throw_too_many(int64_t count) {
  detail::fail<ShapeError>("shape", "a tensor has at most {} dimensions, not {}", kMaxDims, count);
}

int64_t Dims::product(const char* op) const {
  int64_t span = 1;
  bool overflows = false, none = false;
  for (int i = 0; i < n_; ++i) {
    if (v_[i] == 0)
      none = true;
    else
      overflows |= __builtin_mul_overflow(span, v_[i], &span);
  }
  ORDO_CHECK(!overflows, ShapeError, op,
             "the shape {} has more elements than 64 bits count (a size of 0 counts as 1): no tensor is that large",
             *this);
  return none ? 0 : span;
}

Dims contiguous_strides(const Dims& sizes) {
  Dims strides = sizes;
  int64_t step = 1;
  bool overflows = false;
  for (int i = sizes.size() - 1; i >= 0; --i) {
    strides[i] = step;
    overflows |= __builtin_mul_overflow(step, std::max<int64_t>(sizes[i], 1), &step);
  }
  if (overflows) (void)sizes.product();  // throws
  return strides;
}

Dims broadcast_sizes(const char* op, const Dims& a, const Dims& b) {
  if (a == b) return a;
  const int rank = std::max(a.size(), b.size());
  Dims out = Dims::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.size()), ib = i - (rank - b.size());
    const int64_t na = ia < 0 ? 1 : a[ia], nb = ib < 0 ? 1 : b[ib];
    ORDO_CHECK(na == nb || na == 1 || nb == 1, ShapeError, op,
               "shapes {} and {} do not broadcast: sizes {} and {} at dimension {} differ and neither is 1", a, b, na,
               nb, i);
    out[i] = na == 1 ? nb : na;
  }
  return out;
}

int wrap_dim(const char* op, int64_t dim, int rank) {
  const int n = std::max(rank, 1);
  ORDO_CHECK(dim >= -n && dim < n, IndexError, op, "dimension {} is out of range for a tensor of {} dimensions", dim,
             rank);
  return int(dim < 0 ? dim + n : dim);
}

}  // namespace ordo
