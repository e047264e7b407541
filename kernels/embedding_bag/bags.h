// Where bags begin and end. Internal; shared by both devices.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/accumulate/index_view.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>

namespace ordo::kernels {

struct Bags {
  const int64_t* offsets;  // null: every bag has `length` items
  int64_t offset_count, length;
  int64_t bags, items;
  int64_t padding;  // row to leave out, or -1

  // Offsets out of range or order are reported elsewhere; here they must only do no harm.
  ORDO_HD int64_t clamp(int64_t at) const { return at < 0 ? 0 : at < items ? at : items; }
  ORDO_HD int64_t begin(int64_t bag) const { return offsets != nullptr ? clamp(offsets[bag]) : bag * length; }
  ORDO_HD int64_t end(int64_t bag) const {
    if (offsets == nullptr) return (bag + 1) * length;
    return bag + 1 < offset_count ? clamp(offsets[bag + 1]) : items;
  }
  int64_t mean_length() const { return bags == 0 ? 0 : items / bags + 1; }
  /// Whether items are in no bag, which only a last offset leaves any of; on CUDA, whether there may be.
  bool has_uncovered(Device device) const {
    return offset_count > bags && (device.is_cuda() || clamp(offsets[bags]) < items);
  }
};

// Per device; tensors are contiguous. What is out of range has been recorded, or will be.
/// One of values' elements is an ordered sum, a mean or a maximum, by a thread.
ORDO_DEVICES(void, embedding_bag, const Bags& bags, const IndexView& index, const Tensor& weight,
             const Tensor& sample_weights, EmbeddingBagMode mode, const Tensor& values, const Tensor& rows)
/// For every item, the row to which its bag's gradient goes, -1 for none, and the bag: `bags.bags` for those in none.
/// `counts`: how many items of each bag are not left out.
ORDO_DEVICES(void, find_bags, const Bags& bags, const IndexView& index, Device device, int64_t* row_of, int64_t* bag_of,
             int64_t* counts)
ORDO_DEVICES(void, embedding_bag_sample_gradient, int64_t items, const int64_t* row_of, const int64_t* bag_of,
             const Tensor& grad, const Tensor& weight, const Tensor& output)
namespace cpu {
/// Sums and means, some neighbouring columns at a time.
void embedding_bag_sums(const Bags& bags, const IndexView& index, const Tensor& weight, const Tensor& sample_weights,
                        bool mean, const Tensor& values);
}  // namespace cpu

}  // namespace ordo::kernels
