#include <ordo/engine/tensor/tensor.h>

#include <cstring>
#include <limits>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/accessor.h>
#include <ordo/engine/tensor/convert.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo {

const TensorImpl& Tensor::get() const {
  ORDO_CHECK(impl_, ValueError, "tensor", "this tensor is undefined (default-constructed or moved from)");
  return *impl_;
}

int Tensor::dim() const { return get().sizes.size(); }
int64_t Tensor::numel() const { return get().numel; }
const Dims& Tensor::sizes() const { return get().sizes; }
const Dims& Tensor::strides() const { return get().strides; }
int64_t Tensor::storage_offset() const { return get().offset; }
DType Tensor::dtype() const { return get().dtype; }
Device Tensor::device() const { return get().device(); }
bool Tensor::is_contiguous() const { return get().contiguous; }
void* Tensor::data() const { return get().data(); }

int64_t Tensor::size(int64_t d) const {
  ORDO_CHECK(dim() > 0, IndexError, "size", "a 0-d tensor has no dimension {}", d);
  return sizes()[wrap_dim("size", d, dim())];
}

int64_t Tensor::stride(int64_t d) const {
  ORDO_CHECK(dim() > 0, IndexError, "stride", "a 0-d tensor has no dimension {}", d);
  return strides()[wrap_dim("stride", d, dim())];
}

void Tensor::expect_dtype(DType t) const {
  ORDO_CHECK(dtype() == t, DTypeError, "data", "the tensor holds {}, not {}", dtype(), t);
}

void detail::throw_outside(int64_t index, int64_t size) {
  fail<IndexError>("accessor", "index {} is outside of a dimension of size {}", index, size);
}

void detail::expect_accessible(const Tensor& t, int dims) {
  ORDO_CHECK(t.is_cpu(), DeviceError, "accessor", "the tensor is on {}; move it with .cpu()", t.device());
  ORDO_CHECK(t.dim() == dims, ShapeError, "accessor", "asked for {} dimensions; the tensor has shape {}", dims,
             t.sizes());
}

namespace {

/// The bytes of the elements in row-major order, in host memory. `buffer` holds them when `t` cannot serve itself.
const void* host_bytes(const Tensor& t, std::vector<char>& buffer) {
  if (t.is_cpu() && t.is_contiguous()) return t.data();
  const TensorImpl& impl = *t.impl();
  if (t.is_cuda()) {
    // The span of memory that the view covers comes over in one piece and is read with the same strides.
    int64_t last = 0;
    for (int i = 0; i < t.dim(); ++i) last += (t.sizes()[i] - 1) * t.strides()[i];
    const size_t span = t.numel() ? size_t(last + 1) * t.element_size() : 0;
    auto storage = std::make_shared<Storage>(span, cpu);
    detail::copy_bytes(storage->data(), cpu, impl.data(), t.device(), span);
    return host_bytes(detail::make_tensor(std::move(storage), t.dtype(), t.sizes(), t.strides(), 0), buffer);
  }
  const size_t size = t.element_size();
  buffer = checked::vector<char>("to_vector", int64_t(t.nbytes()));
  char* out = buffer.data();
  Dims at = Dims::filled(t.dim(), 0);
  for (int64_t i = 0; i < t.numel(); ++i) {
    int64_t offset = 0;
    for (int d = 0; d < t.dim(); ++d) offset += at[d] * t.strides()[d];
    std::memcpy(out, static_cast<const char*>(t.data()) + offset * int64_t(size), size);
    out += size;
    for (int d = t.dim() - 1; d >= 0 && ++at[d] == t.sizes()[d]; --d) at[d] = 0;
  }
  return buffer.data();
}

/// f of the only element, in its own type.
template <class F>
decltype(auto) with_item(const Tensor& t, const F& f) {
  ORDO_CHECK(t.numel() == 1, ShapeError, "item",
             "only a tensor of one element converts to a number; this one has shape {}", t.sizes());
  alignas(8) char bytes[8];
  const void* at = t.data();
  if (t.is_cuda()) {
    detail::copy_bytes(bytes, cpu, t.data(), t.device(), t.element_size());
    at = bytes;
  }
  return dispatch_all("item", t.dtype(), [&]<class T>() { return f(*static_cast<const T*>(at)); });
}

}  // namespace

Tensor::operator bool() const {
  ORDO_CHECK(
      numel() == 1, ShapeError, "bool",
      "only a tensor of one element is true or false; this one has shape {}. Use any() or all(); of masks, & | ~ in "
      "place of && || !",
      sizes());
  return item_bool();
}

double Tensor::item_double() const {
  return with_item(*this, [](auto v) { return convert<double>(v); });
}
bool Tensor::item_bool() const {
  return with_item(*this, [](auto v) { return convert<bool>(v); });
}
int64_t Tensor::item_integer(int bits, bool is_signed) const {
  return with_item(*this, [=](auto v) {
    if (is_signed)
      return bits == 64   ? convert<int64_t>(v)
             : bits == 32 ? int64_t(convert<int32_t>(v))
             : bits == 16 ? int64_t(convert<int16_t>(v))
                          : int64_t(convert<int8_t>(v));
    return bits == 64   ? int64_t(convert<uint64_t>(v))
           : bits == 32 ? int64_t(convert<uint32_t>(v))
           : bits == 16 ? int64_t(convert<uint16_t>(v))
                        : int64_t(convert<uint8_t>(v));
  });
}

template <class T>
std::vector<T> Tensor::to_vector() const {
  const ordo::detail::LibraryCall library;
  const detail::OperationName name("to_vector");
  const int64_t n = numel();
  std::vector<char> buffer;
  const Tensor host = is_cuda() && is_contiguous() ? [&] {
    auto storage = std::make_shared<Storage>(nbytes(), ordo::cpu);
    detail::copy_bytes(storage->data(), ordo::cpu, data(), device(), nbytes());
    return detail::make_tensor(std::move(storage), dtype(), sizes(), strides(), 0);
  }() : *this;
  const void* bytes = host_bytes(host, buffer);
  return dispatch_all("to_vector", dtype(), [&]<class From>() {
    const From* from = static_cast<const From*>(bytes);
    auto out = checked::vector<T>("to_vector", n);
    for (int64_t i = 0; i < n; ++i) out[size_t(i)] = convert<T>(from[i]);
    return out;
  });
}

template <class T>
Tensor from_vector(const std::vector<T>& values, const Dims& sizes, TensorOptions options) {
  const ordo::detail::LibraryCall library;
  const detail::OperationName name("from_vector");
  for (int64_t s : sizes) ORDO_CHECK(s >= 0, ShapeError, "from_vector", "sizes {} hold a negative number", sizes);
  ORDO_CHECK(sizes.product() == int64_t(values.size()), ShapeError, "from_vector", "{} values do not fill the shape {}",
             values.size(), sizes);
  const Tensor host = detail::result(sizes, options.dtype, cpu);
  dispatch_all("from_vector", options.dtype, [&]<class To>() {
    To* to = host.data<To>();
    for (size_t i = 0; i < values.size(); ++i) to[i] = convert<To>(static_cast<T>(values[i]));
  });
  Tensor out = host;
  if (options.device.is_cuda()) {
    out = detail::result(sizes, options.dtype, options.device);
    detail::copy_bytes(out.data(), options.device, host.data(), cpu, host.nbytes());
  }
  if (options.requires_grad) out.set_requires_grad();
  return out;
}

template <class T>
Tensor from_vector(const std::vector<T>& values, const Dims& sizes) {
  const ordo::detail::LibraryCall library;
  return from_vector(values, sizes, {.dtype = dtype_of<T>});
}

#define INSTANTIATE(T)                                                \
  template std::vector<T> Tensor::to_vector<T>() const;               \
  template Tensor from_vector<T>(const std::vector<T>&, const Dims&); \
  template Tensor from_vector<T>(const std::vector<T>&, const Dims&, TensorOptions);
INSTANTIATE(bool)
INSTANTIATE(uint8_t)
INSTANTIATE(int32_t)
INSTANTIATE(int64_t)
INSTANTIATE(Half)
INSTANTIATE(BFloat16)
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace ordo
