#include "tools/ordo/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
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

struct Value {
  uint64_t bits = 0;
  int64_t rank = 0;
  double value = 0;
  bool nan = false;
  std::string str = {};
};

template <class T>
T at(const Tensor& t, int64_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(t.data()) + i * int64_t(sizeof(T)), sizeof(T));
  return value;
}

/// Element i of a contiguous tensor. `wide` holds the same numbers where the dtype is a half type.
Value value_of(const Tensor& t, const Tensor& wide, DType stored, int64_t i, bool text) {
  Value v;
  switch (t.dtype()) {
    case float64:
      v.value = at<double>(t, i);
      v.bits = std::bit_cast<uint64_t>(v.value);
      v.rank = rank_of(v.bits, uint64_t(1) << 63);
      break;
    case float32:
      v.bits = at<uint32_t>(t, i);
      v.value = at<float>(t, i);
      v.rank = stored == bfloat16 ? rank_of(v.bits >> 16, 1u << 15) : rank_of(v.bits, 1u << 31);
      break;
    case float16:
      v.bits = at<uint16_t>(t, i);
      v.value = at<float>(wide, i);
      v.rank = rank_of(v.bits, 1u << 15);
      break;
    case int64:
      v.rank = at<int64_t>(t, i);
      break;
    case int32:
      v.rank = at<int32_t>(t, i);
      break;
    default:
      v.rank = at<uint8_t>(t, i);
      break;  // uint8 and bool
  }
  const bool floating = t.dtype() == float64 || t.dtype() == float32 || t.dtype() == float16;
  if (!floating) v.bits = uint64_t(v.rank), v.value = double(v.rank);
  v.nan = floating && std::isnan(v.value);
  if (text && !floating) v.str = std::to_string(v.rank);
  if (text && floating) v.str = t.dtype() == float64 ? fmt::format("{}", v.value) : fmt::format("{}", float(v.value));
  return v;
}

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
  const Tensor x = a.contiguous(), y = b.contiguous();
  const bool half = a.dtype() == float16;
  const Tensor wide_x = half ? x.to(float32) : x, wide_y = half ? y.to(float32) : y;
  const bool integer = a.dtype() != float16 && a.dtype() != float32 && a.dtype() != float64;
  for (int64_t i = 0; i < d.elements; ++i) {
    const Value p = value_of(x, wide_x, stored, i, false), q = value_of(y, wide_y, stored, i, false);
    d.nans_a += p.nan, d.nans_b += q.nan;
    if (p.bits == q.bits) continue;
    if (d.differ++ == 0) {
      d.a = value_of(x, wide_x, stored, i, true).str, d.b = value_of(y, wide_y, stored, i, true).str;
      d.index.assign(size_t(a.dim()), 0);
      int64_t rest = i;
      for (size_t k = d.index.size(); k-- > 0;) d.index[k] = rest % a.sizes()[k], rest /= a.sizes()[k];
    }
    if (p.nan || q.nan) {
      ++d.nans;
      d.nan_in_one += p.nan != q.nan;
      continue;
    }
    const uint64_t ulps = distance(p.rank, q.rank);
    d.ulps = std::max(d.ulps, ulps);
    d.absolute = std::max(d.absolute, integer ? double(ulps) : std::abs(p.value - q.value));
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

nlohmann::ordered_json to_json(const ValueDiff& d) {
  return {{"tensor", d.name},   {"note", d.note}, {"dtype", d.dtype},           {"elements", d.elements},
          {"differ", d.differ}, {"nans", d.nans}, {"nan_in_one", d.nan_in_one}, {"nans_a", d.nans_a},
          {"nans_b", d.nans_b}, {"ulps", d.ulps}, {"absolute", d.absolute},     {"index", d.index},
          {"a", d.a},           {"b", d.b}};
}

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}
