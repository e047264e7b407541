#include <ordo/kernels/matmul/matmul.h>

#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/matmul/exact_product.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/reduce/reduce.h>

namespace ordo::kernels {

ORDO_REGISTER_PRODUCT("matmul");
ORDO_REGISTER_PRODUCT("mm");
ORDO_REGISTER_PRODUCT("bmm");
ORDO_REGISTER_PRODUCT("linear");

namespace {

bool usable(int64_t rows, int64_t cols, int64_t row, int64_t col) {
  return (col == 1 || cols <= 1) && (row >= std::max<int64_t>(1, cols) || rows <= 1);
}

void check_pair(const char* op, const Tensor& a, const Tensor& b) {
  detail::expect_same_device(op, a, b);
  detail::expect_same_dtype(op, a, b);
  detail::expect_not_bool(op, a.dtype());
}

// The last two dimensions of `t` as a matrix that gemm takes; `t` is replaced by a copy when its strides do not serve.
MatrixView matrix_view(Tensor& t) {
  const int row_dim = t.dim() - 2, col_dim = t.dim() - 1;
  const int64_t rows = t.sizes()[row_dim], cols = t.sizes()[col_dim];
  const Dims& strides = t.strides();
  if (usable(rows, cols, strides[row_dim], strides[col_dim]))
    return {t.data(), rows <= 1 ? std::max<int64_t>(1, cols) : strides[row_dim], 1, 0};
  if (usable(cols, rows, strides[col_dim], strides[row_dim]))
    return {t.data(), 1, cols <= 1 ? std::max<int64_t>(1, rows) : strides[col_dim], 0};
  t = contiguous(t);
  return {t.data(), std::max<int64_t>(1, cols), 1, 0};
}

// The distance from matrix to matrix of `t` broadcast to `batch` leading sizes, when one number gives it.
bool batch_stride(const Tensor& t, const Dims& batch, int64_t& stride) {
  stride = 0;
  int64_t inner = 1;  // matrices within the dimensions seen so far
  const int lead = batch.size(), own = t.dim() - 2;
  for (int i = 1; i <= lead; ++i) {
    const int64_t size = batch[lead - i];
    if (size == 1) continue;
    const int64_t step = i <= own && t.sizes()[own - i] != 1 ? t.strides()[own - i] : 0;
    if (inner == 1)
      stride = step;
    else if (step != stride * inner)
      return false;
    inner *= size;
  }
  return true;
}

MatrixView batched_view(Tensor& t, const Dims& batch) {
  MatrixView view = matrix_view(t);
  int64_t stride = 0;
  if (!batch_stride(t, batch, stride)) {
    Dims sizes = batch;
    sizes.push_back(t.sizes()[t.dim() - 2]);
    sizes.push_back(t.sizes()[t.dim() - 1]);
    t = contiguous(views::expand(t, sizes));
    view = matrix_view(t);
    batch_stride(t, batch, stride);
  }
  view.batch = stride;
  return view;
}

/// A product and what it is made of.
struct Product {
  Tensor left, right, result;  // whose memory `g` has
  Gemm g;
};

/// [..., m, k] x [..., k, n], not yet computed.
Product product_of(const char* op, const Tensor& a, const Tensor& b, DType out) {
  check_pair(op, a, b);
  const int da = a.dim(), db = b.dim();
  ORDO_CHECK(da >= 2 && db >= 2, ShapeError, op, "takes matrices, not {} and {}", a.sizes(), b.sizes());
  const int64_t m = a.sizes()[da - 2], k = a.sizes()[da - 1], n = b.sizes()[db - 1];
  ORDO_CHECK(k == b.sizes()[db - 2], ShapeError, op,
             "the last dimension of the first input must match the second-last of the second: {} with {}", a.sizes(),
             b.sizes());
  Product p{a, b, {}, {.m = m, .n = n, .k = k, .dtype = a.dtype(), .c_dtype = out}};
  Dims sizes = broadcast_sizes(op, Dims(a.sizes().begin(), da - 2), Dims(b.sizes().begin(), db - 2));
  p.g.batch = sizes.product();
  if (p.g.batch > 0) {
    p.g.a = batched_view(p.left, sizes);
    p.g.b = batched_view(p.right, sizes);
  }
  sizes.push_back(m);
  sizes.push_back(n);
  p.result = detail::result(sizes, out, a.device());
  p.g.c = {p.result.data(), n, 1, m * n};
  return p;
}

/// The greatest number of additions that a value of k goes through by rule 3.
int64_t additions(int64_t k) {
  int64_t count = std::min(k, kOrderedBlock), parts = (k + kOrderedBlock - 1) / kOrderedBlock;
  for (; parts > 1; parts = (parts + kOrderedGroup - 1) / kOrderedGroup) count += std::min(parts, kOrderedGroup);
  return count;
}

/// In double. What a batch of several matrices of the other operand shares is converted once.
Tensor widened(const Tensor& t, const Tensor& other) {
  Tensor own = t;
  for (int d = 0; d + 2 < t.dim(); ++d) {
    const int theirs = d - t.dim() + other.dim();
    if (t.strides()[d] == 0 && theirs >= 0 && other.sizes()[theirs] == t.sizes()[d] && other.strides()[theirs] != 0)
      own = views::narrow(own, d, 0, 1);
  }
  const bool columns = own.stride(-2) == 1 && own.stride(-1) != 1;
  return columns ? views::transpose(cast(views::transpose(own, -2, -1), float64), -2, -1) : cast(own, float64);
}

/// Along a dimension, for each row or column of a result of these sizes.
Tensor norms(const Tensor& t, int64_t dim, const Dims& sizes) {
  return contiguous(views::expand(norm(t, 2, {dim}, true), sizes));
}
Tensor steps(const Tensor& t, int64_t dim, const Dims& sizes) {
  const unsigned mask = reduced_mask("matmul", t.dim(), {dim});
  const Tensor out = detail::result(sizes_after(t.sizes(), mask, true), float64, t.device());
  if (out.numel() > 0) ORDO_ON_DEVICE(t.device(), common_steps, t, out, reduce_shape(t, mask));
  return contiguous(views::expand(out, sizes));
}

Tensor exact_product(const char* op, const Tensor& a, const Tensor& b, const Tensor& bias) {
  check_pair(op, a, b);
  const Product wide = product_of(op, widened(a, b), widened(b, a), float64);
  const Tensor out = detail::result(wide.result.sizes(), a.dtype(), a.device());
  if (out.numel() == 0) return out;
  ORDO_ON_DEVICE(a.device(), ordered_gemm, wide.g, a.device());
  const Tensor offset = bias.defined() ? contiguous(cast(bias, float64)) : Tensor();
  Dims rows = out.sizes(), columns = out.sizes();
  rows[out.dim() - 1] = columns[out.dim() - 2] = 1;
  const Tensor row_norms = norms(wide.left, -1, rows), column_norms = norms(wide.right, -2, columns);
  const Tensor row_steps = steps(wide.left, -1, rows), column_steps = steps(wide.right, -2, columns);
  // A little more than Higham's bound ("Accuracy and Stability of Numerical Algorithms", 3.1), for the norms' own errors.
  const ExactProduct p{.product = wide.g,
                       .row_norms = row_norms.data<double>(),
                       .column_norms = column_norms.data<double>(),
                       .row_steps = row_steps.data<double>(),
                       .column_steps = column_steps.data<double>(),
                       .bias = offset.defined() ? offset.data<double>() : nullptr,
                       .bound = 0x1.01p-53 * double(additions(wide.g.k))};
  ORDO_ON_DEVICE(a.device(), round_products, p, out);
  return out;
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, const char* op, std::optional<DType> out) {
  const detail::OperationName name(op);
  const Product p = product_of(op, a, b, out.value_or(a.dtype()));
  gemm(p.g, a.device());
  return p.result;
}

Tensor exact_matmul(const Tensor& a, const Tensor& b, const char* op) {
  const detail::OperationName name(op);
  return exact_product(op, a, b, {});
}

static void check_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_pair("linear", x, weight);
  ORDO_CHECK(weight.dim() == 2, ShapeError, "linear", "the weight must be [out, in], not {}", weight.sizes());
  const int64_t out = weight.sizes()[0], in = weight.sizes()[1];
  ORDO_CHECK(x.dim() >= 1 && x.sizes().back() == in, ShapeError, "linear",
             "the last dimension of the input must be {} for a weight of {}: the input is {}", in, weight.sizes(),
             x.sizes());
  if (!bias.defined()) return;
  check_pair("linear", x, bias);
  ORDO_CHECK(bias.dim() == 1 && bias.sizes()[0] == out, ShapeError, "linear",
             "the bias must be [{}] for a weight of {}, not {}", out, weight.sizes(), bias.sizes());
}

Tensor exact_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const detail::OperationName name("linear");
  check_linear(x, weight, bias);
  Dims sizes = x.sizes();
  sizes[x.dim() - 1] = weight.sizes()[0];
  const Tensor rows = views::view(contiguous(x), {Dims(sizes.begin(), x.dim() - 1).product(), weight.sizes()[1]});
  return views::view(exact_product("linear", rows, views::transpose(weight, 0, 1), bias), sizes);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const detail::OperationName name("linear");
  check_linear(x, weight, bias);
  const int64_t out = weight.sizes()[0], in = weight.sizes()[1];
  const Tensor offset = bias.defined() ? contiguous(bias) : bias;
  Dims sizes = x.sizes();
  sizes[x.dim() - 1] = out;
  const Tensor y = detail::result(sizes, x.dtype(), x.device());
  Tensor rows = x, matrix = weight;
  Gemm g{.m = in == 0 ? Dims(sizes.begin(), x.dim() - 1).product() : x.numel() / in,
         .n = out,
         .k = in,
         .dtype = x.dtype(),
         .c_dtype = x.dtype()};
  if (x.dim() == 2) {
    g.a = matrix_view(rows);
  } else {
    if (!x.is_contiguous()) rows = contiguous(x);
    g.a = {rows.data(), std::max<int64_t>(1, in), 1, 0};
  }
  g.b = matrix_view(matrix).transposed();
  g.c = {y.data(), std::max<int64_t>(1, out), 1, 0};
  g.bias = bias.defined() ? offset.data() : nullptr;
  gemm(g, x.device());
  return y;
}

}  // namespace ordo::kernels
