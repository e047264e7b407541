#include "tests/support/derived_inputs.h"

#include <algorithm>

namespace ordo::test {

Tensor strided_copy(const Tensor& t) {
  if (t.dim() == 0) return t;
  Dims reversed, sizes;
  for (int i = t.dim() - 1; i >= 0; --i) reversed.push_back(i);
  const Tensor backwards = t.permute(reversed);
  sizes = backwards.sizes();
  sizes.push_back(2);
  Tensor place = empty(sizes, t.options()).select(-1, 1);
  place.copy_(backwards);
  return place.permute(reversed);
}

Tensor expanded(const Tensor& t, int dim) {
  const int d = dim < 0 ? dim + t.dim() : dim;
  if (d < 0 || d >= t.dim() || t.sizes()[d] == 0) return t;
  return t.narrow(d, 0, 1).expand(t.sizes());
}

Tensor packed(const Tensor& t) {
  Tensor out = empty(t.sizes(), t.options());
  return out.copy_(t);
}

bool is_index(const Tensor& t) { return t.defined() && (t.dtype() == int32 || t.dtype() == int64); }

Tensor other_width(const Tensor& t) { return is_index(t) ? t.to(t.dtype() == int32 ? int64 : int32) : t; }

template <class F>
static Tensor with_indices(const Tensor& t, F change) {
  if (!is_index(t) || t.numel() == 0) return t;
  auto values = t.to_vector<int64_t>();
  change(values);
  return from_vector(values, t.sizes()).to(t.device(), t.dtype());
}

Tensor one_run(const Tensor& t) {
  return with_indices(
      t, [](std::vector<int64_t>& v) { std::fill(v.begin(), v.end(), *std::max_element(v.begin(), v.end())); });
}

Tensor empty_runs(const Tensor& t) {
  return with_indices(t, [](std::vector<int64_t>& v) {
    for (int64_t& i : v) i -= i % 2;
  });
}

TensorList each(const TensorList& inputs, const std::function<Tensor(const Tensor&)>& f) {
  TensorList out;
  for (const Tensor& t : inputs) out.push_back(t.defined() ? f(t) : t);
  return out;
}

}  // namespace ordo::test
