// Tensor::str() and what << writes. NumPy's layout. Numbers share one format and one width; more than 1000 elements are summarised to the
// first and last three of each dimension.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo {
namespace {

constexpr int64_t kSummariseAbove = 1000, kEdge = 3;
constexpr int kPrecision = 8;

/// Digits after the point that a value needs, at most kPrecision.
int digits_needed(double v, bool scientific) {
  const std::string text = scientific ? fmt::format("{:.{}e}", v, kPrecision) : fmt::format("{:.{}f}", v, kPrecision);
  const size_t point = text.find('.'), end = std::min(text.find('e'), text.size());
  size_t last = end;
  while (last > point + 1 && text[last - 1] == '0') --last;
  return int(last - point - 1);
}

class Printer {
 public:
  explicit Printer(const Tensor& t) : t_(t), summarise_(t.numel() > kSummariseAbove) {}

  std::string print() {
    if (t_.numel() == 0) return "[]";
    collect(t_, 0);
    choose_format();
    size_t next = 0;
    if (t_.dim() == 0) return format(next);
    std::string out;
    write(0, next, out);
    return out;
  }

 private:
  bool skips(int64_t n) const { return summarise_ && n > 2 * kEdge; }

  /// The elements that will be shown, in order.
  void collect(const Tensor& t, int dim) {
    if (t.numel() == 0) return;
    if (dim == t_.dim() || !summarise_) {
      const auto values = t.to_vector<double>();
      values_.insert(values_.end(), values.begin(), values.end());
      if (t.dtype() == int64) {
        const auto whole = t.to_vector<int64_t>();
        integers_.insert(integers_.end(), whole.begin(), whole.end());
      }
      return;
    }
    const int64_t n = t_.sizes()[dim];
    for (int64_t i = 0; i < n; ++i) {
      if (skips(n) && i == kEdge) i = n - kEdge;
      collect(views::select(t, 0, i), dim + 1);
    }
  }

  void choose_format() {
    if (is_floating(t_.dtype())) {
      double largest = 0, smallest = INFINITY;
      for (double v : values_)
        if (std::isfinite(v) && v != 0) {
          largest = std::max(largest, std::abs(v));
          smallest = std::min(smallest, std::abs(v));
        }
      // float32 and below hold about seven digits; more would print the conversion, not the value.
      scientific_ = largest >= 1e8 || (largest > 0 && (smallest < 1e-4 || largest / smallest > 1e3 * 1e3));
      for (double v : values_)
        if (std::isfinite(v)) digits_ = std::max(digits_, digits_needed(shown(v), scientific_));
    }
    for (size_t i = 0; i < values_.size(); ++i) width_ = std::max(width_, text(i).size());
  }

  /// The value, rounded to the digits that its dtype holds.
  double shown(double v) const {
    if (t_.dtype() == float64) return v;
    const std::string text = fmt::format("{:.{}g}", v, t_.dtype() == float32 ? 8 : 4);
    std::from_chars(text.data(), text.data() + text.size(), v);
    return v;
  }

  std::string text(size_t i) const {
    const double v = values_[i];
    if (t_.dtype() == boolean) return v != 0 ? "True" : "False";
    if (t_.dtype() == int64) return std::to_string(integers_[i]);
    if (!is_floating(t_.dtype())) return std::to_string(int64_t(v));
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    if (scientific_) {
      std::string s = fmt::format("{:.{}e}", shown(v), digits_);
      return digits_ ? s : s.insert(s.find('e'), 1, '.');
    }
    // Points are aligned; trailing zeros give way to spaces.
    std::string s = fmt::format("{:.{}f}", shown(v), digits_);
    if (digits_ == 0) return s + ".";
    for (size_t i = s.size(); s[--i] == '0';) s[i] = ' ';
    return s;
  }
  std::string format(size_t& next) { return fmt::format("{:>{}}", text(next++), width_); }

  void write(int dim, size_t& next, std::string& out) {
    const int64_t n = t_.sizes()[dim];
    const bool innermost = dim == t_.dim() - 1;
    out += '[';
    for (int64_t i = 0; i < n; ++i) {
      if (i > 0)
        out += innermost ? std::string(" ")
                         : std::string(size_t(t_.dim() - 1 - dim), '\n') + std::string(size_t(dim + 1), ' ');
      if (skips(n) && i == kEdge) {
        out += "...";
        i = n - kEdge - 1;
        continue;
      }
      if (innermost)
        out += format(next);
      else
        write(dim + 1, next, out);
    }
    out += ']';
  }

  const Tensor& t_;
  bool summarise_;
  bool scientific_ = false;
  int digits_ = 0;
  size_t width_ = 0;
  std::vector<double> values_;
  std::vector<int64_t> integers_;
};

}  // namespace

std::string Tensor::str() const {
  const detail::LibraryCall library;
  return defined() ? Printer(*this).print() : "undefined";
}

std::ostream& operator<<(std::ostream& out, const Tensor& t) {
  out << t.str();
  if (!t.defined() || t.dim() == 0) return out;
  out << (t.dim() == 1 ? " " : "\n") << t.dtype() << " " << t.sizes();
  return t.is_cpu() ? out : out << " " << t.device();
}
std::ostream& operator<<(std::ostream& out, const Dims& sizes) { return out << sizes.str(); }
std::ostream& operator<<(std::ostream& out, DType dtype) { return out << name(dtype); }
std::ostream& operator<<(std::ostream& out, Device device) { return out << device.str(); }

}  // namespace ordo
