#include <ordo/kernels/indexing/index_put.h>

#include <ordo/engine/at_least_1d.h>
#include <ordo/engine/check.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/dispatch_word.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/indexing/pick.h>
#include <ordo/kernels/indexing/take.h>
#include <ordo/kernels/reduce/each_cpu.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "index",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .note = "a view for integers and slices; masks wait for the device"});
ORDO_REGISTER_OP({.name = "index_put",
                  .family = "indexing",
                  .dtypes = kAllTypes,
                  .note = "the last item stays; accumulate: as index_add"});

TensorList mask_coordinates(const Tensor& mask) {
  const Tensor m = views::at_least_1d(mask), all = nonzero(m);
  TensorList out;
  for (int d = 0; d < m.dim(); ++d) out.push_back(contiguous(views::select(all, 1, d)));
  return out;
}

Tensor linear_index(const char* op, const TensorList& indices, const Dims& dims, const Dims& sizes) {
  Dims common;
  for (const Tensor& index : indices) common = broadcast_sizes(op, common, index.sizes());
  Tensor linear;
  for (int j = 0; j < int(indices.size()); ++j) {
    const Tensor& index = indices[size_t(j)];
    const Device device = index.device();
    const IndexGuard guard(op, "index", dims[j], sizes[j], device);
    const Tensor wrapped = ordo::detail::result(index.sizes(), int64, device);
    ORDO_ON_DEVICE(device, wrap_index, contiguous(index), wrapped, sizes[j], guard);
    guard.finish();
    const Tensor next = views::expand(wrapped, common);
    if (j == 0) {
      linear = indices.size() == 1 ? wrapped : clone(next);
      continue;
    }
    ORDO_ON_DEVICE(device, combine_indices, linear, contiguous(next), sizes[j]);
  }
  return linear;
}

Tensor last_items(const Tensor& linear, int64_t cells) {
  const Tensor last = full({cells}, -1, int64, linear.device());
  ORDO_ON_DEVICE(linear.device(), last_items, linear, last);
  return last;
}

void index_put(const Tensor& to, int indexed, const Tensor& linear, const Tensor& last, const Tensor& values) {
  PutShape s;
  s.indexed = indexed;
  s.rank = to.dim();
  s.item_stride = values.strides()[0];
  for (int d = 0; d < s.rank; ++d) {
    s.sizes[d] = to.sizes()[d];
    s.to_strides[d] = to.strides()[d];
    if (d < indexed) continue;
    s.from_strides[d] = values.strides()[d - indexed + 1];
    s.inner *= s.sizes[d];
  }
  if (values.numel() == 0) return;
  ORDO_ON_DEVICE(to.device(), index_put, s, to, linear, last, values);
}

namespace cpu {

void wrap_index(const Tensor& index, const Tensor& out, int64_t size, const IndexGuard& guard) {
  dispatch_index("index", index.dtype(), [&]<class I>() {
    each(out.numel(), WrapIndex<I>{index.data<I>(), out.data<int64_t>(), size, guard.check()});
  });
}

void combine_indices(const Tensor& linear, const Tensor& next, int64_t size) {
  each(linear.numel(), CombineIndices{linear.data<int64_t>(), next.data<int64_t>(), size});
}

void last_items(const Tensor& linear, const Tensor& last) {
  const int64_t* place = linear.data<int64_t>();
  int64_t* item = last.data<int64_t>();
  for (int64_t i = 0; i < linear.numel(); ++i) item[place[i]] = i;
}

void index_put(const PutShape& s, const Tensor& to, const Tensor& linear, const Tensor& last, const Tensor& values) {
  dispatch_word(to.element_size(), [&]<class Word>() {
    each(values.numel(), PutElement<Word>{s, static_cast<Word*>(to.data()), static_cast<const Word*>(values.data()),
                                          linear.data<int64_t>(), last.data<int64_t>()});
  });
}

}  // namespace cpu

}  // namespace ordo::kernels
