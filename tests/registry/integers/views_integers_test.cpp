#include "tests/support/integer_arguments.h"

namespace ordo::test {
namespace {

/// Shapes that hold v, in the places that a rule about shapes may overlook.
std::vector<IntegerArgument> shapes(const std::function<Tensor(const Dims&, Device)>& f) {
  return {{"{v}", [f](int64_t v, Device d) { return f({v}, d); }},
          {"{v, 3}",
           [f](int64_t v, Device d) {
             return f({v, 3}, d);
           }},
          {"{0, v}",
           [f](int64_t v, Device d) {
             return f({0, v}, d);
           }},
          {"{v, 0, v}",
           [f](int64_t v, Device d) {
             return f({v, 0, v}, d);
           }},
          {"{v, v}",
           [f](int64_t v, Device d) {
             return f({v, v}, d);
           }},
          {"{v, -1}", [f](int64_t v, Device d) {
             return f({v, -1}, d);
           }}};
}

ORDO_OP_INTEGERS(view) {
  auto all = shapes([](const Dims& s, Device d) { return some(d).view(s); });
  for (auto& more : shapes([](const Dims&s, Device d) { return some(d).narrow(0, 0, 0).view(s); })) {
    more.name += " of nothing";
    all.push_back(more);
  }
  return all;
}
ORDO_OP_INTEGERS(reshape) {
  return shapes([](const Dims& s, Device d) { return some(d).t().reshape(s); });
}
ORDO_OP_INTEGERS(expand) {
  return shapes([](const Dims& s, Device d) { return ones({1, 1}, {.device = d}).expand(s); });
}
ORDO_OP_INTEGERS(empty) {
  return shapes([](const Dims& s, Device d) { return empty(s, {.device = d}); });
}
ORDO_OP_INTEGERS(zeros) {
  return shapes([](const Dims& s, Device d) { return zeros(s, {.device = d}); });
}
ORDO_OP_INTEGERS(full) {
  auto all = shapes([](const Dims& s, Device d) { return full(s, 2, {.device = d}); });
  all.push_back({"value", [](int64_t v, Device d) { return full({2}, v, {.dtype = int32, .device = d}); }});
  return all;
}
ORDO_OP_INTEGERS(rand) {
  return shapes([](const Dims& s, Device d) { return rand(s, {.device = d}); });
}
ORDO_OP_INTEGERS(randn) {
  return shapes([](const Dims& s, Device d) { return randn(s, {.device = d}); });
}
ORDO_OP_INTEGERS(bernoulli) {
  return shapes([](const Dims& s, Device d) { return bernoulli(s, 0.5, {.device = d}); });
}
ORDO_OP_INTEGERS(randint) {
  auto all = shapes([](const Dims& s, Device d) { return randint(0, 9, s, {.dtype = int64, .device = d}); });
  all.push_back({"low", [](int64_t v, Device d) { return randint(v, 9, {3}, {.dtype = int64, .device = d}); }});
  all.push_back({"high", [](int64_t v, Device d) { return randint(0, v, {3}, {.dtype = uint8, .device = d}); }});
  return all;
}
ORDO_OP_INTEGERS(resize_) {
  return shapes([](const Dims& s, Device d) { return some(d).resize_(s); });
}
ORDO_OP_INTEGERS(from_vector) {
  return shapes([](const Dims& s, Device d) { return from_vector<float>({1, 2, 3}, s, {.device = d}); });
}
ORDO_OP_INTEGERS(empty_strided) {
  return {{"sizes",
           [](int64_t v, Device d) {
             return empty_strided({v, 2}, {1, 1}, {.device = d});
           }},
          {"strides",
           [](int64_t v, Device d) {
             return empty_strided({2, 2}, {v, 1}, {.device = d});
           }},
          {"strides of one", [](int64_t v, Device d) {
             return empty_strided({1, 0}, {v, v}, {.device = d});
           }}};
}
ORDO_OP_INTEGERS(transpose) {
  return {{"dim0", [](int64_t v, Device d) { return some(d).transpose(v, 0); }},
          {"dim1", [](int64_t v, Device d) { return some(d).transpose(0, v); }}};
}
ORDO_OP_INTEGERS(permute) {
  return {{"dims", [](int64_t v, Device d) { return some(d).permute({v, 0}); }}};
}
ORDO_OP_INTEGERS(slice) {
  return {{"dim", [](int64_t v, Device d) { return some(d).slice(v, 0, 2); }},
          {"start", [](int64_t v, Device d) { return some(d).slice(1, v, 3); }},
          {"end", [](int64_t v, Device d) { return some(d).slice(1, 0, v); }},
          {"step", [](int64_t v, Device d) { return some(d).slice(1, 0, 3, v); }},
          {"step of a wide one", [](int64_t v, Device d) {
             return empty_strided({2, 0}, {int64_t(1) << 60, 1}, {.device = d}).slice(0, 0, 2, v);
           }}};
}
ORDO_OP_INTEGERS(select) {
  return {{"dim", [](int64_t v, Device d) { return some(d).select(v, 0); }},
          {"index", [](int64_t v, Device d) { return some(d).select(1, v); }}};
}
ORDO_OP_INTEGERS(narrow) {
  return {{"dim", [](int64_t v, Device d) { return some(d).narrow(v, 0, 1); }},
          {"start", [](int64_t v, Device d) { return some(d).narrow(1, v, 1); }},
          {"length", [](int64_t v, Device d) { return some(d).narrow(1, 1, v); }}};
}
ORDO_OP_INTEGERS(squeeze) {
  return {{"dim", [](int64_t v, Device d) { return some(d).squeeze(v); }}};
}
ORDO_OP_INTEGERS(unsqueeze) {
  return {{"dim", [](int64_t v, Device d) { return some(d).unsqueeze(v); }}};
}
ORDO_OP_INTEGERS(movedim) {
  return {{"source", [](int64_t v, Device d) { return movedim(some(d), v, 0); }},
          {"destination", [](int64_t v, Device d) { return movedim(some(d), 0, v); }}};
}
ORDO_OP_NO_INTEGERS(meshgrid);
ORDO_OP_INTEGERS(unbind) {
  return {{"dim", [](int64_t v, Device d) { return unbind(some(d), v)[0]; }},
          {"size of the input", [](int64_t v, Device d) {
             return v > 0 ? unbind(zeros({1}, {.dtype = uint8, .device = d}).expand({v}))[0] : Tensor();
           }}};
}
ORDO_OP_INTEGERS(split) {
  return {{"split_size", [](int64_t v, Device d) { return split(some(d), v)[0]; }},
          {"dim", [](int64_t v, Device d) { return split(some(d), 1, v)[0]; }},
          {"sizes",
           [](int64_t v, Device d) {
             return split(some(d), {1, v, 1})[0];
           }},
          {"size of the input", [](int64_t v, Device d) {
             return v > 0 ? split(zeros({1}, {.dtype = uint8, .device = d}).expand({v}), 1)[0] : Tensor();
           }}};
}
ORDO_OP_INTEGERS(chunk) {
  return {{"chunks", [](int64_t v, Device d) { return chunk(some(d), v)[0]; }},
          {"dim", [](int64_t v, Device d) { return chunk(some(d), 2, v)[0]; }}};
}
ORDO_OP_INTEGERS(flatten) {
  return {{"start_dim", [](int64_t v, Device d) { return some(d).flatten(v); }},
          {"end_dim", [](int64_t v, Device d) { return some(d).flatten(0, v); }}};
}

}  // namespace
}  // namespace ordo::test
