// put: the last item of a place stays, whichever thread writes it.
#include <gtest/gtest.h>

#include <vector>

#include <ordo/engine/parallel.h>
#include <ordo/ordo.h>

namespace ordo::test {
namespace {

TEST(Put, TheLastItemStaysWithAnyNumberOfThreads) {
  constexpr int64_t kItems = 300'000;
  for (const int64_t places : {1, 2, 7, 1000, 400'000}) {
    std::vector<int64_t> index;
    std::vector<float> expected(size_t(places), -1.0F), values;
    for (int64_t i = 0; i < kItems; ++i) {
      const int64_t place = i * i % 1'000'003 % places;
      index.push_back(i % 3 == 0 ? place - places : place);
      values.push_back(float(i));
      expected[size_t(place)] = float(i);
    }
    const Tensor start = full({places}, -1, float32);
    const Tensor at = from_vector(index, {kItems}), source = from_vector(values, {kItems});
    for (const int threads : {1, 2, 3, 9}) {
      set_num_threads(threads);
      EXPECT_EQ(put(start, at, source).to_vector<float>(), expected) << places << " " << threads;
    }
  }
  set_num_threads(2);
}

}  // namespace
}  // namespace ordo::test
