#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels::cpu {
namespace {

/// Along memory: the extreme value first, which vectorises, and then its first position, in one block only.
template <class T, bool kMax>
class Along {
 public:
  using Value = compare_t<T>;
  Along(const ArgExtremumReducer<T, kMax>& r, const ReduceShape& g) : r_(r), g_(g), value_{r.x, nullptr} {}

  void run() const {
    const int64_t blocks = g_.blocks(), per_block = std::min<int64_t>(g_.length, kReduceBlock);
    if (blocks == 1) {
      parallel_for(0, g_.outputs, std::max<int64_t>(1, kReduceGrain / per_block), [&](int64_t first, int64_t last) {
        for (int64_t o = first; o < last; ++o) {
          const int64_t base = g_.base(o);
          store(o, base, g_.length <= kShort ? scan(base) : find(base, 0, extreme(base, 0)));
        }
      });
      return;
    }
    const Scratch<Value> extremes(g_.outputs * blocks, ordo::cpu);
    parallel_for(0, g_.outputs * blocks, kReduceGrain / per_block, [&](int64_t first, int64_t last) {
      for (int64_t item = first; item < last; ++item) extremes[item] = extreme(g_.base(item / blocks), item % blocks);
    });
    for (int64_t o = 0; o < g_.outputs; ++o) {
      const Value* v = extremes + o * blocks;
      int64_t best = 0;
      for (int64_t b = 1; b < blocks; ++b)
        if (beats(v[b], v[best])) best = b;
      store(o, g_.base(o), find(g_.base(o), best, v[best]));
    }
  }

 private:
  static constexpr int64_t kShort = 64;

  static bool beats(Value b, Value a) { return (kMax ? b > a : b < a) || (b != b && a == a); }
  int64_t end_of(int64_t block) const { return std::min(g_.length, (block + 1) * kReduceBlock); }
  int64_t offset(int64_t i) const { return g_.reduced <= 1 ? i * g_.inner_stride() : g_.offset(i); }

  Value extreme(int64_t base, int64_t block) const {
    return detail::reduce_block(value_, g_, base, 0, block * kReduceBlock, end_of(block));
  }
  int64_t find(int64_t base, int64_t block, Value wanted) const {
    for (int64_t i = block * kReduceBlock; i < end_of(block); ++i) {
      const Value v(r_.x[base + offset(i)]);
      if (v == wanted || (v != v && wanted != wanted)) return i;
    }
    return 0;
  }
  int64_t scan(int64_t base) const {
    int64_t best = 0;
    Value extreme(r_.x[base]);
    for (int64_t i = 1; i < g_.length; ++i) {
      const Value v(r_.x[base + offset(i)]);
      if (beats(v, extreme)) extreme = v, best = i;
    }
    return best;
  }
  void store(int64_t o, int64_t base, int64_t i) const { r_.store(o, {Value(r_.x[base + offset(i)]), i}); }

  const ArgExtremumReducer<T, kMax>& r_;
  const ReduceShape& g_;
  ExtremumReducer<T, kMax> value_;
};

template <bool kMax>
void run(const Tensor& t, const Tensor* values, const Tensor& indices, const ReduceShape& g) {
  dispatch_all("argmax", t.dtype(), [&]<class T>() {
    const ArgExtremumReducer<T, kMax> r{t.data<T>(), values ? values->data<T>() : nullptr, indices.data<int64_t>()};
    if (g.across_outputs())
      reduce_across(r, g);
    else if (g.outputs > 0)
      Along<T, kMax>(r, g).run();
  });
}

}  // namespace

void arg_extremum(bool max, const Tensor& t, const Tensor* values, const Tensor& indices, const ReduceShape& g) {
  max ? run<true>(t, values, indices, g) : run<false>(t, values, indices, g);
}

}  // namespace ordo::kernels::cpu
