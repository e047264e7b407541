#include "tools/ordo/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

namespace {

using namespace ordo;
namespace fs = std::filesystem;

/// Consecutive numbers of a floating-point type, from its bits; both zeros are 0. `sign` is the type's highest bit.
int64_t rank_of(uint64_t bits, uint64_t sign) {
  const auto magnitude = int64_t(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

uint64_t distance(int64_t a, int64_t b) { return a > b ? uint64_t(a) - uint64_t(b) : uint64_t(b) - uint64_t(a); }

/// The elements of a tensor: their bits, and what these mean.
class Elements {
 public:
  Elements(const Tensor& t, DType stored)
      : floating(is_floating(t.dtype())),
        raw_(t.contiguous()),
        wide_(raw_.to(floating ? float64 : int64)),
        bytes_(raw_.nbytes() / size_t(std::max<int64_t>(1, raw_.numel()))),
        half_(stored == bfloat16 && t.dtype() == float32) {}

  const bool floating;
  uint64_t bits(int64_t i) const {
    uint64_t bits = 0;  // the machine stores the low bytes first
    std::memcpy(&bits, static_cast<const char*>(raw_.data()) + size_t(i) * bytes_, bytes_);
    return bits;
  }
  double value(int64_t i) const { return floating ? wide_.data<double>()[i] : double(wide_.data<int64_t>()[i]); }
  bool nan(int64_t i) const { return floating && std::isnan(value(i)); }
  /// Consecutive numbers have consecutive ranks.
  int64_t rank(int64_t i) const {
    if (!floating) return wide_.data<int64_t>()[i];
    return half_ ? rank_of(bits(i) >> 16, 1u << 15) : rank_of(bits(i), uint64_t(1) << (8 * bytes_ - 1));
  }
  std::string str(int64_t i) const {
    if (!floating) return std::to_string(rank(i));
    return raw_.dtype() == float64 ? fmt::format("{}", value(i)) : fmt::format("{}", float(value(i)));
  }

 private:
  Tensor raw_, wide_;
  size_t bytes_;
  bool half_;  ///< bfloat16, whose values float32 holds
};

}  // namespace

ValueDiff compare_values(const std::string& name, const Tensor& a, const Tensor& b, DType stored) {
  ValueDiff d;
  d.name = name, d.dtype = ordo::name(stored);
  if (a.dtype() != b.dtype() || a.sizes() != b.sizes()) {
    d.note = fmt::format("{} {} in one run, {} {} in the other", ordo::name(a.dtype()), a.sizes().str(),
                         ordo::name(b.dtype()), b.sizes().str());
    return d;
  }
  d.elements = a.numel();
  const Elements x(a, stored), y(b, stored);
  for (int64_t i = 0; i < d.elements; ++i) {
    d.nans_a += x.nan(i), d.nans_b += y.nan(i);
    if (x.bits(i) == y.bits(i)) continue;
    if (d.differ++ == 0) {
      d.a = x.str(i), d.b = y.str(i);
      d.index.assign(size_t(a.dim()), 0);
      int64_t rest = i;
      for (size_t k = d.index.size(); k-- > 0;) d.index[k] = rest % a.sizes()[k], rest /= a.sizes()[k];
    }
    if (x.nan(i) || y.nan(i)) {
      ++d.nans;
      d.nan_in_one += x.nan(i) != y.nan(i);
      continue;
    }
    const uint64_t ulps = distance(x.rank(i), y.rank(i));
    d.ulps = std::max(d.ulps, ulps);
    d.absolute = std::max(d.absolute, x.floating ? std::abs(x.value(i) - y.value(i)) : double(ulps));
  }
  return d;
}

std::vector<ValueDiff> compare_folders(const std::string& a, const std::string& b) {
  std::set<std::string> names;
  for (const std::string& folder : {a, b})
    if (fs::is_directory(folder))
      for (const auto& file : fs::directory_iterator(folder))
        if (file.path().extension() == ".npy") names.insert(file.path().filename().string());
  std::vector<ValueDiff> all;
  for (const std::string& file : names) {
    std::string name = file.substr(0, file.size() - 4);
    const bool wider = name.ends_with(".bfloat16");
    if (wider) name.resize(name.size() - 9);
    const fs::path in_a = fs::path(a) / file, in_b = fs::path(b) / file;
    if (!fs::exists(in_a) || !fs::exists(in_b)) {
      all.push_back({.name = name, .note = fmt::format("run {} has no {}", fs::exists(in_a) ? "B" : "A", file)});
      continue;
    }
    const Tensor x = load_npy(in_a.string()), y = load_npy(in_b.string());
    all.push_back(compare_values(name, x, y, wider ? bfloat16 : x.dtype()));
  }
  return all;
}

std::string ValueDiff::str() const {
  if (!note.empty()) return fmt::format("{}: {}", name, note);
  if (differ == 0) return fmt::format("{}: equal, {} {} values", name, elements, dtype);
  std::string text = fmt::format("{}: {} of {} {} values differ", name, differ, elements, dtype);
  const bool integer = dtype == "int32" || dtype == "int64" || dtype == "uint8" || dtype == "bool";
  if (nans < differ)
    text +=
        integer ? fmt::format(", by {} at most", ulps) : fmt::format(", by {} ulps and {:.3g} at most", ulps, absolute);
  if (nans > 0) text += fmt::format(", {} of them NaN in a run, {} in A and {} in B in all", nans, nans_a, nans_b);
  return text + fmt::format("; first at [{}]: {} and {}", fmt::join(index, ", "), a, b);
}
