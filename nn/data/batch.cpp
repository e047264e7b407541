#include <ordo/nn/data/batch.h>

#include <cstring>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/index/gather.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::data {

static void expect_alike(const char* op, const std::vector<Sample>& samples) {
  const Sample& first = samples[0];
  for (size_t s = 0; s < samples.size(); ++s) {
    ORDO_CHECK(samples[s].size() == first.size() && !first.empty(), ValueError, op,
               "stacks samples of one number of tensors, but sample 0 of the batch has {} and sample {} has {}; others "
               "need a collate function",
               first.size(), s, samples[s].size());
    for (size_t k = 0; k < first.size(); ++k) {
      const Tensor &a = first[k], &b = samples[s][k];
      detail::expect_defined(op, b, "the sample's tensor");
      ORDO_CHECK(
          a.sizes() == b.sizes(), ShapeError, op,
          "stacks tensors of one shape, but tensor {} has sizes {} in sample 0 of the batch and {} in sample {}; "
          "others need a collate function",
          k, a.sizes(), b.sizes(), s);
      ORDO_CHECK(a.dtype() == b.dtype(), DTypeError, op, "tensor {} is {} in sample 0 of the batch and {} in sample {}",
                 k, a.dtype(), b.dtype(), s);
      ORDO_CHECK(a.device() == b.device(), DeviceError, op,
                 "tensor {} is on {} in sample 0 of the batch and on {} in sample {}", k, a.device(), b.device(), s);
    }
  }
}

TensorList stack_samples(const std::vector<Sample>& samples) {
  const char* op = "stack_samples";
  ORDO_CHECK(!samples.empty(), ValueError, op, "needs at least one sample");
  expect_alike(op, samples);
  NoGrad guard;
  TensorList batch;
  for (size_t k = 0; k < samples[0].size(); ++k) {
    const Tensor& first = samples[0][k];
    if (!first.is_cpu()) {
      TensorList all;
      for (const Sample& sample : samples) all.push_back(sample[k].detach());
      batch.push_back(stack(all));
      continue;
    }
    Dims sizes{int64_t(samples.size())};
    for (int64_t n : first.sizes()) sizes.push_back(n);
    const Tensor stacked = batch.emplace_back(detail::result(sizes, first.dtype(), cpu));
    char* to = static_cast<char*>(stacked.data());
    const size_t bytes = first.nbytes();
    for (size_t s = 0; bytes > 0 && s < samples.size(); ++s)
      std::memcpy(to + s * bytes, samples[s][k].detach().contiguous().data(), bytes);
  }
  return batch;
}

Tensor take_rows(const Tensor& t, const int64_t* rows, int64_t count) {
  if (!t.is_cpu()) {
    const Tensor index = from_vector(std::vector<int64_t>(rows, rows + count), {count});
    return index_select(t, 0, index.to(t.device()));
  }
  Dims sizes = t.sizes();
  sizes[0] = count;
  Tensor taken = detail::result(sizes, t.dtype(), t.device());
  if (taken.numel() == 0) return taken;
  const size_t bytes = taken.nbytes() / size_t(count);
  const char* from = static_cast<const char*>(t.data());
  char* to = static_cast<char*>(taken.data());
  parallel_for(0, count, int64_t(1 + 65536 / bytes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) std::memcpy(to + size_t(i) * bytes, from + size_t(rows[i]) * bytes, bytes);
  });
  return taken;
}

const Tensor& Batch::operator[](int64_t k) const {
  ORDO_CHECK(k >= 0 && k < int64_t(tensors.size()), IndexError, "Batch", "tensor {} of a batch of {} tensors", k,
             tensors.size());
  return tensors[size_t(k)];
}

const Tensor& Batch::pair_element(size_t k) const {
  ORDO_CHECK(tensors.size() == 2, ValueError, "Batch",
             "only a batch of two tensors is taken apart as a pair, but this one has {}; use batch[k]", tensors.size());
  return tensors[k];
}

}  // namespace ordo::data
