#include <ordo/engine/check.h>
#include <ordo/nn/sequential.h>

namespace ordo::nn {

Tensor Sequential::forward(const Tensor& input) {
  Tensor x = input;
  for (const auto& child : children()) x = child.second->forward(x);
  return x;
}

int64_t Sequential::size() const { return int64_t(children().size()); }

Module& Sequential::operator[](int64_t index) const {
  const int64_t n = size();
  ORDO_CHECK(index >= -n && index < n, IndexError, "Sequential", "module {} does not exist; there are {}", index, n);
  return *children()[size_t(index < 0 ? index + n : index)].second;
}

}  // namespace ordo::nn
