#include "tests/support/integer_arguments.h"

namespace ordo::test {
namespace {

Tensor classes(Device d) { return log_softmax(some(d), 1); }
Tensor two(int64_t v, Device d) { return from_vector<int64_t>({0, v}, {2}).to(d); }

ORDO_OP_INTEGERS(gather) {
  return {{"dim",
           [](int64_t v, Device d) {
             return gather(some(d), v, zeros({2, 3}, {.dtype = int64, .device = d}));
           }},
          {"index", [](int64_t v, Device d) {
             return gather(some(d), 1, one_index(v, d).view({1, 1}));
           }}};
}
ORDO_OP_INTEGERS(index) {
  using indexing::Slice;
  return {{"integer", [](int64_t v, Device d) { return some(d).index({v}); }},
          {"start",
           [](int64_t v, Device d) {
             return some(d).index({0, Slice(v)});
           }},
          {"stop",
           [](int64_t v, Device d) {
             return some(d).index({0, Slice(0, v)});
           }},
          {"step",
           [](int64_t v, Device d) {
             return some(d).index({0, Slice(0, 3, v)});
           }},
          {"index tensor", [](int64_t v, Device d) {
             return some(d).index({one_index(v, d), one_index(0, d)});
           }}};
}
ORDO_OP_INTEGERS(index_put) {
  using indexing::Slice;
  return {{"integer", [](int64_t v, Device d) { return some(d).index_put({v}, some(d)[0]); }},
          {"step",
           [](int64_t v, Device d) {
             return some(d).index_put({0, Slice(0, 1, v)}, ones({1}, {.device = d}));
           }},
          {"index tensor", [](int64_t v, Device d) {
             return some(d).index_put({one_index(v, d), one_index(0, d)}, ones({1}, {.device = d}));
           }}};
}
ORDO_OP_INTEGERS(index_put_) {
  return {{"value", [](int64_t v, Device d) { return some(d).index_put_({0}, v); }},
          {"uint8 value", [](int64_t v, Device d) { return some(d).to(uint8).index_put_({0}, v); }},
          {"masked value", [](int64_t v, Device d) { return some(d).to(uint8).index_put_({some(d) > 2}, v); }},
          {"index to add", [](int64_t v, Device d) { return some(d).index_put_({two(v, d)}, ones({}, d), true); }}};
}
ORDO_OP_INTEGERS(index_select) {
  return {{"dim", [](int64_t v, Device d) { return index_select(some(d), v, one_index(0, d)); }},
          {"index", [](int64_t v, Device d) { return index_select(some(d), 1, one_index(v, d)); }}};
}
ORDO_OP_INTEGERS(one_hot) {
  return {{"num_classes", [](int64_t v, Device d) { return one_hot(one_index(0, d), v); }},
          {"target", [](int64_t v, Device d) { return one_hot(one_index(v, d), 3); }},
          {"target decides", [](int64_t v, Device d) { return one_hot(one_index(v, d)); }}};
}
ORDO_OP_INTEGERS(index_add) {
  return {{"dim", [](int64_t v, Device d) { return index_add(some(d), v, two(1, d), some(d)); }},
          {"index", [](int64_t v, Device d) { return index_add(some(d), 0, two(v, d), some(d)); }},
          {"alpha", [](int64_t v, Device d) { return index_add(some(d), 0, two(1, d), some(d), v); }},
          {"alpha of integers",
           [](int64_t v, Device d) { return index_add(some(d).to(int32), 0, two(1, d), some(d).to(int32), v); }},
          {"algorithm",
           [](int64_t v, Device d) { return index_add(some(d), 0, two(1, d), some(d), 1, Algorithm(uint8_t(v))); }}};
}
ORDO_OP_INTEGERS(scatter_add) {
  return {
      {"dim",
       [](int64_t v, Device d) {
         return scatter_add(some(d), v, zeros({2, 3}, {.dtype = int64, .device = d}), some(d));
       }},
      {"index",
       [](int64_t v, Device d) {
         return scatter_add(some(d), 1, one_index(v, d).view({1, 1}), some(d));
       }},
      {"algorithm", [](int64_t v, Device d) {
         return scatter_add(some(d), 1, zeros({2, 3}, {.dtype = int64, .device = d}), some(d), Algorithm(uint8_t(v)));
       }}};
}
ORDO_OP_INTEGERS(bincount) {
  return {
      {"minlength", [](int64_t v, Device d) { return bincount(one_index(0, d), {}, v); }},
      {"minlength with weights", [](int64_t v, Device d) { return bincount(two(1, d), ones({2}, {.device = d}), v); }},
      {"input", [](int64_t v, Device d) { return bincount(two(v, d)); }},
      {"algorithm",
       [](int64_t v, Device d) { return bincount(two(1, d), ones({2}, {.device = d}), 0, Algorithm(uint8_t(v))); }}};
}
ORDO_OP_INTEGERS(embedding) {
  return {{"input", [](int64_t v, Device d) { return embedding(one_index(v, d), some(d)); }},
          {"padding_idx", [](int64_t v, Device d) { return embedding(one_index(0, d), some(d), v); }},
          {"size of the input", [](int64_t v, Device d) {
             if (v < 0 || v > INT64_MAX / 8) return Tensor();  // no int64 tensor has that size
             return embedding(zeros({1}, {.dtype = int64, .device = d}).expand({v}), some(d));
           }}};
}
ORDO_OP_INTEGERS(embedding_bag) {
  return {{"input", [](int64_t v, Device d) { return embedding_bag(two(v, d), some(d), one_index(0, d)); }},
          {"offsets", [](int64_t v, Device d) { return embedding_bag(two(1, d), some(d), two(v, d)); }},
          {"mode",
           [](int64_t v, Device d) {
             return embedding_bag(two(1, d), some(d), one_index(0, d), EmbeddingBagMode(uint8_t(v)));
           }},
          {"padding_idx", [](int64_t v, Device d) {
             return embedding_bag(two(1, d), some(d), one_index(0, d), EmbeddingBagMode::sum, {}, false, v);
           }}};
}
ORDO_OP_INTEGERS(IndexPlan) {
  return {{"index", [](int64_t v, Device d) { return IndexPlan(two(v, d), 3).index(); }},
          {"size", [](int64_t v, Device d) { return IndexPlan(two(0, d), v).index(); }}};
}
ORDO_OP_INTEGERS(nll_loss) {
  return {{"target", [](int64_t v, Device d) { return nll_loss(classes(d), two(v, d)); }},
          {"ignore_index", [](int64_t v, Device d) { return nll_loss(classes(d), two(v, d), {}, v); }},
          {"reduction",
           [](int64_t v, Device d) { return nll_loss(classes(d), two(1, d), {}, -100, Reduction(uint8_t(v))); }}};
}
ORDO_OP_INTEGERS(cross_entropy) {
  return {{"target", [](int64_t v, Device d) { return cross_entropy(some(d), two(v, d)); }},
          {"ignore_index", [](int64_t v, Device d) { return cross_entropy(some(d), two(v, d), {}, v); }}};
}

}  // namespace
}  // namespace ordo::test
