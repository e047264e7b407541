#include <ordo/nn/state/npy.h>

#include <algorithm>
#include <array>
#include <cstring>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/state/data_file.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo {

namespace nn {

namespace {

constexpr std::pair<const char*, DType> kDTypes[] = {{"|b1", boolean}, {"|u1", uint8},   {"<i4", int32},
                                                     {"<i8", int64},   {"<f2", float16}, {"<f4", float32},
                                                     {"<f8", float64}};
constexpr std::array<char, 6> kMagic = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
constexpr size_t kBeforeHeader = 10, kAlignment = 64;
constexpr uint64_t kMostHeader = 1 << 20;

/// Reads the header: a Python dict of three entries.
class HeaderReader {
 public:
  HeaderReader(const ByteSource& file, uint64_t start, const std::string& text)
      : file_(file), start_(start), text_(text) {}

  std::string dtype;
  bool fortran = false;
  std::vector<uint64_t> shape;

  void read() {
    bool seen[3] = {};
    expect('{');
    while (!take('}')) {
      const size_t at = (skip(), at_);
      const std::string key = quoted();
      const int which = key == "descr" ? 0 : key == "fortran_order" ? 1 : key == "shape" ? 2 : -1;
      if (which < 0 || std::exchange(seen[which], true)) fail(at, "an unknown or repeated key '{}'", key);
      expect(':');
      if (which == 0) dtype = quoted();
      if (which == 1) fortran = truth();
      if (which == 2) tuple();
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (at_ != text_.size()) fail(at_, "more than one dict");
    if (!(seen[0] && seen[1] && seen[2])) fail(0, "the header needs 'descr', 'fortran_order' and 'shape'");
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(size_t at, fmt::format_string<Args...> format, Args&&... args) const {
    file_.fail(start_ + at, format, std::forward<Args>(args)...);
  }
  void skip() {
    while (at_ < text_.size() && std::strchr(" \t\n\r", text_[at_]) && text_[at_] != '\0') ++at_;
  }
  bool take(char c) {
    skip();
    return at_ < text_.size() && text_[at_] == c && ++at_;
  }
  void expect(char c) {
    if (!take(c)) fail(at_, "the header must have '{}' here", c);
  }
  std::string quoted() {
    skip();
    const char quote = at_ < text_.size() ? text_[at_] : ' ';
    const size_t end = quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string::npos;
    if (end == std::string::npos) fail(at_, "the header must have a text in quotes here");
    const std::string inner = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inner;
  }
  bool truth() {
    skip();
    for (const char* word : {"True", "False"})
      if (text_.compare(at_, std::strlen(word), word) == 0) {
        at_ += std::strlen(word);
        return word[0] == 'T';
      }
    fail(at_, "the header must have True or False here");
  }
  void tuple() {
    expect('(');
    bool comma = true;
    while (!take(')')) {
      if (!comma) fail(at_, "the header must have ',' or ')' here");
      skip();
      const size_t begin = at_;
      uint64_t size = 0;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
        const uint64_t digit = uint64_t(text_[at_++] - '0');
        if (size > (uint64_t(INT64_MAX) - digit) / 10) fail(begin, "a size is too large");
        size = size * 10 + digit;
      }
      if (at_ == begin) fail(at_, "the header must have a size here");
      shape.push_back(size);
      comma = take(',');
    }
    if (shape.size() == 1 && !comma) fail(at_, "a tuple of one size needs a comma");
  }

  const ByteSource& file_;
  const uint64_t start_;
  const std::string& text_;
  size_t at_ = 0;
};

}  // namespace

std::string npy_header(const char* op, const std::string& of, const Tensor& tensor) {
  const auto* dtype =
      std::find_if(std::begin(kDTypes), std::end(kDTypes), [&](auto& d) { return d.second == tensor.dtype(); });
  ORDO_CHECK(dtype != std::end(kDTypes), DTypeError, op, "{}NumPy has no {}; convert it to float32", of,
             tensor.dtype());
  std::string shape;
  for (int64_t size : tensor.sizes()) shape += fmt::format("{}{}", shape.empty() ? "" : ", ", size);
  if (tensor.dim() == 1) shape += ",";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", dtype->first, shape);
  // NumPy leaves room for the first size to grow to 21 digits.
  if (tensor.dim() > 0) header.append(21 - std::to_string(tensor.size(0)).size(), ' ');
  const size_t whole = (kBeforeHeader + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.append(whole - kBeforeHeader - header.size() - 1, ' ');
  header += '\n';
  std::string start(kMagic.data(), kMagic.size());
  for (uint64_t byte : {uint64_t(1), uint64_t(0), uint64_t(header.size()), uint64_t(header.size() >> 8)})
    start += char(uint8_t(byte));
  return start + header;
}

Tensor read_npy(ByteSource& file) {
  std::array<char, 6> magic;
  file.read(magic.data(), magic.size(), "the magic text");
  if (magic != kMagic) file.fail(0, "expected a .npy file, which begins with 93 'NUMPY'");
  const uint64_t major = file.read_number(1, "the version"), minor = file.read_number(1, "the version");
  if (major < 1 || major > 3 || minor != 0) file.fail(6, "expected version 1.0, 2.0 or 3.0, found {}.{}", major, minor);
  const uint64_t length = file.read_number(major == 1 ? 2 : 4, "the header's length");
  if (length > kMostHeader || length > file.most_left())
    file.fail(8, "the header's length is {}, but {} bytes follow", length, file.most_left());
  const uint64_t start = file.offset();
  std::string text(size_t(length), ' ');
  file.read(text.data(), length, "the header");
  HeaderReader header(file, start, text);
  header.read();
  const auto* dtype =
      std::find_if(std::begin(kDTypes), std::end(kDTypes), [&](auto& d) { return d.first == header.dtype; });
  if (dtype == std::end(kDTypes)) file.fail(start, "Ordo has no dtype '{}'", header.dtype);
  Dims sizes = checked_sizes(header.shape, size_of(dtype->second), file.most_left(),
                             [&](const std::string& reason) { file.fail(start, "{}", reason); });
  if (header.fortran) std::reverse(sizes.begin(), sizes.end());
  NoGrad guard;
  const Tensor t = file.read_tensor(dtype->second, sizes, "the elements");
  if (!header.fortran) return t;
  Dims reversed;
  for (int d = t.dim(); d-- > 0;) reversed.push_back(d);
  return t.permute(reversed).contiguous();
}

}  // namespace nn

void save_npy(const std::string& path, const Tensor& tensor) {
  const ordo::detail::LibraryCall library;
  const char* op = "save_npy";
  detail::expect_defined(op, tensor, "tensor");
  const std::string header = nn::npy_header(op, "", tensor);
  NoGrad guard;
  const Tensor host = tensor.detach().to(cpu).contiguous();
  nn::WholeFile file(path);
  file.write(header.data(), header.size());
  file.write(host.data(), host.nbytes());
  file.commit();
}

Tensor load_npy(const std::string& path) {
  const ordo::detail::LibraryCall library;
  nn::DataFile file(path, "load_npy", nn::Packing::none);
  return nn::read_npy(file);
}

}  // namespace ordo
