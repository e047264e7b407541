// Padding of the last one, two or three dimensions, as the operation pad does it:
//   ConstantPad with a number, ZeroPad with zeros, ReflectionPad with the input mirrored at its border cells,
//   ReplicationPad with those cells again, CircularPad with the input's other end.
// The widths are one number for all sides, or {left, right, top, bottom, front, back}, the last dimension first.
//
//   nn::Sequential model{nn::ReflectionPad2d({1, 1, 2, 0}), nn::Conv2d(3, 8, 3)};   // H + 2, W + 2
#pragma once

#include <concepts>
#include <vector>

#include <ordo/autograd/ops/resampling.h>
#include <ordo/nn/description.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

/// Two numbers for each of N dimensions, the last one first; one number stands for all.
template <int N>
struct PadWidths : std::vector<int64_t> {
  PadWidths(int64_t all) : std::vector<int64_t>(2 * N, all) {}
  template <std::integral... I>
  requires(sizeof...(I) == 2 * N) PadWidths(I... each) : std::vector<int64_t>{int64_t(each)...} {}
  std::string str() const {
    return *this == PadWidths(front()) ? Description::text(front()) : Description::list(data(), data() + size());
  }
};

template <int N>
class ConstantPad : public Module {
 public:
  ConstantPad(PadWidths<N> padding, double value) : padding_(std::move(padding)), value_(value) {}
  Tensor forward(const Tensor& input) override { return pad(input, padding_, PadMode::constant, value_); }
  std::string description() const override {
    return Description("ConstantPad" + std::to_string(N) + "d", padding_.str(), value_);
  }

 private:
  PadWidths<N> padding_;
  double value_;
};
using ConstantPad1d = ConstantPad<1>;
using ConstantPad2d = ConstantPad<2>;
using ConstantPad3d = ConstantPad<3>;

/// Padding that takes its values from the input, or zeros.
template <int N, PadMode kMode>
class Pad : public Module {
 public:
  explicit Pad(PadWidths<N> padding) : padding_(std::move(padding)) {}
  Tensor forward(const Tensor& input) override { return pad(input, padding_, kMode); }
  std::string description() const override {
    constexpr const char* kNames[] = {"ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"};
    return Description(kNames[int(kMode)] + std::to_string(N) + "d", padding_.str());
  }

 private:
  PadWidths<N> padding_;
};
using ZeroPad1d = Pad<1, PadMode::constant>;
using ZeroPad2d = Pad<2, PadMode::constant>;
using ZeroPad3d = Pad<3, PadMode::constant>;
using ReflectionPad1d = Pad<1, PadMode::reflect>;
using ReflectionPad2d = Pad<2, PadMode::reflect>;
using ReflectionPad3d = Pad<3, PadMode::reflect>;
using ReplicationPad1d = Pad<1, PadMode::replicate>;
using ReplicationPad2d = Pad<2, PadMode::replicate>;
using ReplicationPad3d = Pad<3, PadMode::replicate>;
using CircularPad1d = Pad<1, PadMode::circular>;
using CircularPad2d = Pad<2, PadMode::circular>;
using CircularPad3d = Pad<3, PadMode::circular>;

}  // namespace ordo::nn
