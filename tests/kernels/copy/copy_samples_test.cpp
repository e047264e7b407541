// Samples of copies and fills.
#include <cmath>

#include <ordo/autograd/ops/arange.h>
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

std::vector<double> values_of(const Tensor& t) { return t.to_vector<double>(); }

const Dims kShapes[] = {{}, {0, 3}, {7}, {3, 5}, {33, 35}, {2, 40, 41}};

ORDO_OP_SAMPLES(clone) {
  std::vector<Sample> samples;
  for (const Dims& sizes : kShapes)
    samples.push_back({.label = sizes.str(),
                       .inputs = {test_values(sizes)},
                       .run = [](const TensorList& in) { return in[0].clone(); },
                       .reference = [](const TensorList& in) { return values_of(in[0]); },
                       .gradient = sizes.product() < 100});
  return samples;
}

ORDO_OP_SAMPLES(contiguous) {
  std::vector<Sample> samples;
  for (const Dims& sizes : {Dims{5, 3}, Dims{35, 40}, Dims{64, 8}, Dims{3, 70, 33}})
    samples.push_back({.label = "transposed " + sizes.str(),
                       .inputs = {test_values(sizes)},
                       .run = [](const TensorList& in) { return in[0].transpose(0, -1).contiguous(); },
                       .reference = [](const TensorList& in) { return values_of(in[0].transpose(0, -1)); },
                       .gradient = sizes.product() < 100});
  return samples;
}

ORDO_OP_SAMPLES(to) {
  std::vector<Sample> samples;
  samples.push_back({.label = "float64",
                     .inputs = {test_values({3, 5})},
                     .run = [](const TensorList& in) { return in[0].to(float64); },
                     .reference = [](const TensorList& in) { return values_of(in[0]); }});
  samples.push_back({.label = "int32",
                     .inputs = {test_values({40, 9}, 0, -100, 100)},
                     .run = [](const TensorList& in) { return in[0].to(int32); },
                     .reference =
                         [](const TensorList& in) {
                           auto v = values_of(in[0]);
                           for (double& x : v) x = std::trunc(x);
                           return v;
                         },
                     .gradient = false});
  samples.push_back({.label = "bool",
                     .inputs = {test_indices({50}, 3).to(float64)},
                     .run = [](const TensorList& in) { return in[0].to(boolean); },
                     .reference =
                         [](const TensorList& in) {
                           auto v = values_of(in[0]);
                           for (double& x : v) x = x != 0;
                           return v;
                         },
                     .gradient = false});
  return samples;
}

ORDO_OP_SAMPLES(copy_) {
  std::vector<Sample> samples;
  const Dims shapes[][2] = {{{5}, {5}},   {{3, 4}, {4}}, {{3, 4}, {3, 1}},
                            {{2, 3}, {}}, {{0, 3}, {3}}, {{3, 7, 31}, {7, 1}}};
  for (const auto& [to, from] : shapes)
    samples.push_back({.label = to.str() + " from " + from.str(),
                       .inputs = {test_values(to, 1), test_values(from, 2)},
                       .run =
                           [](const TensorList& in) {
                             Tensor t = in[0].clone();
                             return t.copy_(in[1]);
                           },
                       .reference = [](const TensorList& in) { return values_of(in[1].expand(in[0].sizes())); },
                       .gradient = to.product() < 100});
  return samples;
}

ORDO_OP_SAMPLES(fill_) {
  std::vector<Sample> samples;
  for (const Dims& sizes : kShapes)
    samples.push_back(
        {.label = sizes.str(),
         .inputs = {test_values(sizes)},
         .run =
             [](const TensorList& in) {
               Tensor t = in[0].clone();
               return t.fill_(2.5);
             },
         .reference = [](const TensorList& in) { return std::vector<double>(size_t(in[0].numel()), 2.5); },
         .gradient = sizes.product() < 100,
         .second_order = false});
  return samples;
}

ORDO_OP_SAMPLES(arange) {
  return {
      {.label = "like the input",
       .inputs = {test_values({1})},
       .run =
           [](const TensorList& in) { return arange(-1, 2, 0.25, {.dtype = in[0].dtype(), .device = in[0].device()}); },
       .reference =
           [](const TensorList&) {
             std::vector<double> v;
             for (int i = 0; i < 12; ++i) v.push_back(-1 + 0.25 * i);
             return v;
           },
       .gradient = false}};
}

ORDO_OP_SAMPLES(linspace) {
  return {
      {.label = "like the input",
       .inputs = {test_values({1})},
       .run =
           [](const TensorList& in) { return linspace(-1, 2, 7, {.dtype = in[0].dtype(), .device = in[0].device()}); },
       .reference = [](const TensorList&) { return std::vector<double>{-1, -0.5, 0, 0.5, 1, 1.5, 2}; },
       .gradient = false}};
}

}  // namespace
}  // namespace ordo::test
