#include <ordo/nn/state/file_sizes.h>

#include <ordo/engine/check.h>

namespace ordo::nn {

std::string sizes_problem(const std::vector<uint64_t>& sizes, uint64_t element, uint64_t bytes) {
  if (sizes.size() > size_t(kMaxDims)) return fmt::format("{} dimensions; Ordo has at most {}", sizes.size(), kMaxDims);
  // As if no size were 0: strides of the other dimensions must be numbers, too.
  uint64_t count = 1, total = element;
  for (uint64_t size : sizes) {
    if (size > uint64_t(INT64_MAX) || (size != 0 && total > uint64_t(INT64_MAX) / size))
      return "its sizes are too large";
    if (size != 0) total *= size;
    count *= size;
  }
  if (count == 0) total = 0;
  if (total != bytes) return fmt::format("its sizes and dtype need {} bytes, but it has {}", total, bytes);
  return "";
}

uint64_t first_bad_bool(const Tensor& t) {
  if (t.dtype() != boolean) return t.nbytes();
  const uint8_t* bytes = static_cast<const uint8_t*>(t.data());
  for (uint64_t i = 0; i < t.nbytes(); ++i)
    if (bytes[i] > 1) return i;
  return t.nbytes();
}

}  // namespace ordo::nn
