#include <ordo/kernels/softmax/attention.h>

#include <algorithm>
#include <limits>

#include <ordo/engine/run/determinism.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/copy/triangle.h>
#include <ordo/kernels/elementwise/arithmetic.h>
#include <ordo/kernels/elementwise/where.h>
#include <ordo/kernels/indexing/cat.h>
#include <ordo/kernels/matmul/matmul.h>
#include <ordo/kernels/softmax/softmax.h>

namespace ordo::kernels {

/// The batch as one dimension.
static Tensor flat(const Tensor& t) {
  const Dims sizes{t.numel() / (t.size(-2) * t.size(-1)), t.size(-2), t.size(-1)};
  const Tensor view = views::try_view(t, sizes);
  return view.defined() ? view : views::view(contiguous(t), sizes);
}

Tensor attention_in_blocks(const Tensor& queries, const Tensor& keys, const Tensor& values, bool is_causal,
                           double scale) {
  if (!queries.is_cpu()) return {};
  const Tensor query = flat(mul(queries, scale)), key = flat(keys), value = flat(values);
  constexpr int64_t kScores = 1 << 20, kRows = 64;
  constexpr double kLeast = -std::numeric_limits<double>::infinity();
  const bool shortens = is_causal && determinism() != Determinism::device_to_device;
  const int64_t batch = query.size(0), length = query.size(1), most = std::max<int64_t>(1, key.size(1));
  const int64_t rows = shortens ? kRows : std::clamp<int64_t>(kScores / most, kRows, std::max(kRows, length));
  const int64_t matrices = std::max<int64_t>(1, kScores / (most * std::min(rows, length)));
  const Tensor kept = is_causal ? tril(full({length, key.size(1)}, true, boolean, query.device()), 0) : Tensor();
  TensorList batches;
  for (int64_t b = 0; b < batch; b += matrices) {
    const auto some = [&](const Tensor& t) { return views::narrow(t, 0, b, std::min(matrices, batch - b)); };
    const Tensor across = views::transpose(some(key), 1, 2), from = some(value);
    TensorList parts;
    for (int64_t r = 0; r < length; r += rows) {
      const int64_t count = std::min(rows, length - r), seen = shortens ? std::min(most, r + count) : most;
      Tensor scores = matmul(views::narrow(some(query), 1, r, count), views::narrow(across, 2, 0, seen));
      if (is_causal) scores = where(views::narrow(views::narrow(kept, 0, r, count), 1, 0, seen), scores, kLeast);
      parts.push_back(matmul(softmax(scores, -1), views::narrow(from, 1, 0, seen)));
    }
    batches.push_back(parts.size() == 1 ? parts[0] : cat(parts, 1));
  }
  Dims sizes = queries.sizes();
  sizes[sizes.size() - 1] = values.size(-1);
  return views::view(contiguous(batches.size() == 1 ? batches[0] : cat(batches, 0)), sizes);
}

}  // namespace ordo::kernels
