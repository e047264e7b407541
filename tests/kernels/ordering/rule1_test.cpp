// Ordering rule 1 in all of its implementations, byte for byte against the plain loops of rule1.h. An implementation
// that is new needs a line here, or in rule1_cuda_test.cu.
#include <cstring>

#include <ordo/engine/run/emulation.h>
#include <ordo/kernels/accumulate/sorted/dense_rows_cpu.h>
#include <ordo/kernels/accumulate/sorted/fold_cpu.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>
#include <ordo/kernels/ordering/dense_sums_cpu.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/pooling/pool.h>
#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/scatter/scatter.h>
#include <ordo/kernels/segment_reduce/segment_reduce.h>
#include <ordo/kernels/softmax/softmax.h>
#include "tests/kernels/accumulate/table_items.h"
#include "tests/kernels/ordering/rule1.h"
#include "tests/kernels/ordering/rule1_implementations.h"
#include "tests/support/threads_scope.h"

namespace ordo::test::rule1_test {
namespace {

using namespace kernels;
using kernels::cpu::DenseSums;
using kernels::cpu::OrderedRow;
using namespace kernels::cpu::accumulate_detail;
using Values = std::vector<float>;

constexpr int64_t kAny = 300000, kTwoLevels = 5000, kOneLevel = 200;
constexpr int64_t kGroup = 64;  // as docs/ordering.md has it

float left_to_right(const float* first, const float* last) {
  float sum = *first;
  while (++first < last) sum += *first;
  return sum;
}

// -- the classes ----------------------------------------------------------------------------------------------------

const Rule1Registration kClasses{
    {"OrderedSum_push", kAny,
     [](const Values& v) {
       OrderedSum<float> sum;
       for (float x : v) sum.push(x);
       return Values{sum.result()};
     }},
    {"OrderedSum_push_group", kAny,
     [](const Values& v) {
       OrderedSum<float> sum;
       const float *at = v.data(), *end = at + v.size();
       for (; end - at >= kGroup; at += kGroup) sum.push_group(left_to_right(at, at + kGroup));
       for (; at < end; ++at) sum.push(*at);
       return Values{sum.result()};
     }},
    {"OrderedRow", kAny,
     [](const Values& v) {
       OrderedRow<float> sum;
       Values row(3);
       const float *at = v.data(), *end = at + v.size();
       for (; end - at >= kGroup; at += kGroup) {
         row.assign(3, left_to_right(at, at + kGroup));
         sum.push_group(row.data(), 3);
       }
       if (at < end) row.assign(3, left_to_right(at, end));
       sum.finish(row.data(), 3, at < end);
       return row;
     }},
    {"DenseSums", kAny,
     [](const Values& v) {
       DenseSums<float> sums(2, int64_t(2 * v.size()));
       std::vector<DenseSums<float>::Entry> entries;
       sums.begin(2);
       for (float x : v) sums.add(0, x), entries.push_back({1, x});
       sums.add(entries.data(), int64_t(entries.size()));
       Values out(2);
       for (int d : {0, 1}) sums.finish(d, out[size_t(d)]);
       Values neighbours(2);
       sums.finish(0, 2, neighbours.data());
       out.insert(out.end(), neighbours.begin(), neighbours.end());
       return out;
     }},
    {"DenseRows", kAny,
     [](const Values& v) {
       DenseRows<float> sums(1, 3, int64_t(v.size()));
       for (float x : v) {
         for (int j = 0; j < 3; ++j) sums.row(0)[j] += x;
         sums.added(0);
       }
       sums.finish(0);
       return Values(sums.row(0), sums.row(0) + 3);
     }},
    {"fold_blocks", kAny,
     [](Values v) { return Values{kernels::cpu::detail::fold_blocks<Addition<float>>(v.data(), int64_t(v.size()))}; }},
};

/// Sorted items, and, with threads, runs that are cut between them.
Values fold_runs(const Values& v, int64_t columns) {
  const int64_t count = int64_t(v.size());
  const std::vector<int64_t> to(v.size(), 0);
  Values rows;
  for (float x : v) rows.insert(rows.end(), size_t(columns), x);
  const TableItems<float> items{count, to.data(), rows.data(), columns};
  Values out(size_t(columns), 0);
  const SortedItems sorted(items, 1);
  RunFold<TableItems<float>>(items, out.data(), {1, 1, columns}, sorted.entries()).run();
  return out;
}

const Rule1Registration kFolds{
    {"RunFold_one_column", kAny, [](const Values& v) { return fold_runs(v, 1); }},
    {"RunFold_columns", kAny, [](const Values& v) { return fold_runs(v, 3); }},
};

// -- the operations, on every device --------------------------------------------------------------------------------

Tensor on(Device device, const Values& v, const Dims& sizes) { return from_vector(v, sizes).to(device); }

/// A segment of `columns` columns of these values.
template <int64_t columns>
Values segment_sums(Device d, const Values& v, int64_t count) {
  const Tensor data = on(d, v, {count, 1}).expand({count, columns});
  const Tensor offsets = tensor<int64_t>({0, count}).to(d);
  return segment_reduce(data, offsets, 0, Reduce::sum, {}).to_vector<float>();
}

template <int64_t columns>
Values index_adds(Device device, const Values& v, int64_t count) {
  const Tensor source = on(device, v, {count, 1}).expand({count, columns});
  const Tensor index = zeros({count}, {int64, device}), into = zeros({2, columns}, {float32, device});
  return kernels::index_add(into, 0, index, source, 1, Algorithm::sorted).slice(0, 0, 1).to_vector<float>();
}

/// Two lines of `columns` columns, the items of which all go to one place.
template <int64_t columns>
Values scatter_adds(Device device, const Values& v, int64_t count) {
  const Tensor source = on(device, v, {1, count, 1}).expand({2, count, columns});
  const Tensor index = ones({2, count, columns}, {int64, device}), into = zeros({2, 2, columns}, {float32, device});
  return kernels::scatter_add(into, 1, index, source, Algorithm::sorted).select(1, 1).contiguous().to_vector<float>();
}

BagArguments bag_of(const Tensor& input) {
  BagArguments bag;
  bag.input = input;
  bag.mode = EmbeddingBagMode::sum;
  return bag;
}

/// A bag of one item with the gradient of a row of these values.
Values sample_gradients(Device d, const Values& v, int64_t count) {
  const Tensor ones_row = ones({1, count}, {float32, d}), input = zeros({1, 1}, {int64, d});
  return embedding_bag_sample_gradient(bag_of(input), ones_row, on(d, v, {1, count})).to_vector<float>();
}

/// The first value of each block of rule 2 is one of `v`, the others are zeros: what is added by rule 1 is `v`.
Values blocks_of(const Values& v) {
  Values all((v.size() - 1) * size_t(kReduceBlock) + 1);
  for (size_t i = 0; i < v.size(); ++i) all[i * size_t(kReduceBlock)] = v[i];
  return all;
}

struct Operation {
  const char* name;
  int64_t most, most_emulated;
  Values (*sums)(Device, const Values&, int64_t count);
};

const Operation kOperations[] = {
    {"index_add_one_column", kAny, kAny, index_adds<1>},
    {"index_add_few_columns", kTwoLevels, kTwoLevels, index_adds<3>},
    {"index_add_columns", kTwoLevels, kTwoLevels, index_adds<33>},
    {"index_add_aligned_columns", kTwoLevels, kTwoLevels, index_adds<16>},
    {"scatter_add_lines", kAny, kOneLevel, scatter_adds<1>},
    {"scatter_add_columns", kTwoLevels, kOneLevel, scatter_adds<35>},
    {"embedding_bag", kAny, kTwoLevels,
     [](Device d, const Values& v, int64_t count) {
       const Tensor input = arange(0, count, 1, {int64, d}).reshape({1, count});
       return embedding_bag(bag_of(input), on(d, v, {count, 1})).values.to_vector<float>();
     }},
    {"embedding_bag_sample_gradient", kAny, kTwoLevels, sample_gradients},
    {"segment_reduce", kAny, kTwoLevels, segment_sums<1>},
    {"segment_reduce_columns", kTwoLevels, kTwoLevels, segment_sums<5>},
    {"avg_pool", kAny, kTwoLevels,
     [](Device d, const Values& v, int64_t count) {
       const auto arguments = avg_pool_arguments<2>({1, count}, {}, 0, false, true, 1);
       return avg_pool(on(d, v, {1, 1, 1, count}), arguments).to_vector<float>();
     }},
    {"avg_pool_backward", kTwoLevels, kOneLevel,  // the cell in the middle is in all windows
     [](Device d, const Values& v, int64_t count) {
       const auto arguments = avg_pool_arguments<2>({1, count}, 1, 0, false, true, 1);
       return Values{avg_pool_backward(on(d, v, {1, 1, 1, count}), {1, 1, 1, 2 * count - 1}, arguments)
                         .to_vector<float>()[size_t(count - 1)]};
     }},
    {"max_pool_backward", kTwoLevels, kOneLevel,
     [](Device d, const Values& v, int64_t count) {
       const Tensor chosen = full({1, 1, count}, count - 1, {int64, d});
       return Values{
           max_pool_backward(on(d, v, {1, 1, count}), chosen, {1, 1, 2 * count - 1}, max_pool_arguments<1>(count, 1))
               .to_vector<float>()[size_t(count - 1)]};
     }},
    {"adaptive_avg_pool_backward", kAny, kTwoLevels,  // one cell, of which all outputs are averages
     [](Device d, const Values& v, int64_t count) {
       return avg_pool_backward(on(d, v, {1, 1, count}), {1, 1, 1}, adaptive_pool_arguments<1>(count))
           .to_vector<float>();
     }},
    {"adaptive_max_pool_backward", kAny, kTwoLevels,
     [](Device d, const Values& v, int64_t count) {
       return max_pool_backward(on(d, v, {1, 1, count}), zeros({1, 1, count}, {int64, d}), {1, 1, 1},
                                adaptive_pool_arguments<1>(count))
           .to_vector<float>();
     }},
    {"conv_transpose", 1000, kOneLevel,  // the cell in the middle gets 1 * v[k] from every kernel element k
     [](Device d, const Values& v, int64_t count) {
       return Values{
           conv_transpose(ones({1, 1, count}, {float32, d}), on(d, v, {1, 1, count}), {}, conv_arguments<1>(), 0)
               .to_vector<float>()[size_t(count - 1)]};
     }},
    {"sum_of_blocks", kTwoLevels, kOneLevel,
     [](Device d, const Values& v, int64_t) {
       const Values all = blocks_of(v);
       return kernels::sum(on(d, all, {int64_t(all.size())}), {}).to_vector<float>();
     }},
    {"softmax_sum_of_blocks", kOneLevel, kOneLevel,  // the gradient is g - exp(0) sum(g)
     [](Device d, const Values& v, int64_t) {
       Values all = blocks_of(v);
       all.push_back(0);
       const int64_t count = int64_t(all.size());
       const Tensor gradient = log_softmax_backward(on(d, all, {1, count}), zeros({1, count}, {float32, d}), 1);
       return Values{-gradient.to_vector<float>().back()};
     }},
};

std::vector<Rule1Implementation> all_implementations() {
  std::vector<Rule1Implementation> all = rule1_implementations();
  for (const Operation& op : kOperations) {
    all.push_back({std::string(op.name) + "_cpu", op.most,
                   [&op](const Values& v) { return op.sums(Device(), v, int64_t(v.size())); }});
    if (ordo::cuda::is_available())
      all.push_back({std::string(op.name) + "_cuda", ordo::cuda::is_simulated() ? op.most_emulated : op.most,
                     [&op](const Values& v) { return op.sums("cuda", v, int64_t(v.size())); }});
  }
  return all;
}

struct Rule1 : testing::TestWithParam<Rule1Implementation> {
  ThreadsScope scope_;
};

// Around a group, some groups, and the second and third power of a group.
const int64_t kLengths[] = {1,    2,    63,   64,    65,     66,     127,    128,    129,    191,
                            193,  1000, 4032, 4033,  4095,   4096,   4097,   4160,   4161,   4224,
                            8192, 8193, 9000, 64000, 262143, 262144, 262145, 262208, 262209, 266305};

TEST_P(Rule1, keeps_the_order) {
  const Rule1Implementation& implementation = GetParam();
  const DeterminismGuard guard(Determinism::device_to_device);
  const auto mixed = test_mixed_values({kLengths[std::size(kLengths) - 1]}, 1).to(float32).to_vector<float>();
  for (int64_t length : kLengths) {
    if (length > implementation.most) break;
    set_num_threads(int(1 + length % 3));
    const Values v(mixed.begin(), mixed.begin() + length);
    const float want = rule1(v);
    const Values got = implementation.sums(v);
    if (got.empty()) GTEST_SKIP() << "no CUDA device";
    for (float sum : got)
      ASSERT_EQ(std::memcmp(&sum, &want, sizeof sum), 0) << length << " values: " << sum << " instead of " << want;
  }
}

TEST(OrderedSum, of_nothing_is_zero_and_begins_with_the_first_value) {
  EXPECT_EQ(OrderedSum<double>().result(), 0);
  OrderedSum<float> sum;
  sum.push(-0.0f);  // 0 + -0 would be +0
  EXPECT_TRUE(std::signbit(sum.result()));
  EXPECT_EQ(sum.count(), 1);
}

INSTANTIATE_TEST_SUITE_P(Ordering, Rule1, testing::ValuesIn(all_implementations()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ordo::test::rule1_test
