#include <limits>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/scatter/scatter.h>
#include <ordo/kernels/scatter/scatter_functors.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

namespace {

/// For every slot the number of its last item, plus 1: whoever comes first, the greatest remains. 0 where none goes.
template <class Number>
__global__ void last_scattered_kernel(KeyedShape shape, IndexView index, Number* last) {
  const int64_t n = shape.indices();
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < n; i += ordo::cuda::thread_count())
    if (const int64_t d = index[i]; d >= 0) atomicMax(last + shape.slot(i, d), Number(shape.item_of(i) + 1));
}

/// Which of the items that go to one place is the last.
struct LastItems {
  explicit LastItems(const KeyedItems& a)
      : shape(a.shape),
        index(a.index),
        wide(a.shape.items >= ordo::cuda::tuned_size(std::numeric_limits<int32_t>::max())) {}

  KeyedShape shape;
  IndexView index;
  bool wide;                   // of `last`
  const void* last = nullptr;  // 32-bit numbers, or 64-bit ones; null where a line has one item

  /// Where an element of the source goes; -1 where a later one does, and where the index is out of range.
  ORDO_HD int64_t place(const KeyedShape::At& at, int64_t element) const {
    const int64_t i = shape.rows ? at.item : element, d = last ? index.unrecorded(i) : index[i];
    if (d < 0) return -1;
    const int64_t place = shape.place(at, d), slot = shape.rows ? d : place;
    if (!last) return place;
    const int64_t item = wide ? int64_t(static_cast<const unsigned long long*>(last)[slot])
                              : int64_t(static_cast<const unsigned*>(last)[slot]);
    return item == at.item + 1 ? place : -1;
  }
};

/// An element of the source, which is written where its item is the last one.
template <class Word>
struct WriteLast {
  LastItems items;
  Word* output;
  const Word* source;
  ORDO_HD void operator()(int64_t element) const {
    const KeyedShape::At at = items.shape.at(element);
    if (const int64_t place = items.place(at, element); place >= 0) output[place] = source[items.shape.source(at)];
  }
};

/// An element of what is taken: what is at its place, if its item is the last one.
template <class Word>
struct TakeOut {
  LastItems items;
  Word* output;
  Word* taken;
  ORDO_HD void operator()(int64_t element) const {
    const KeyedShape::At at = items.shape.at(element);
    const int64_t place = items.place(at, element);
    Word& to = taken[items.shape.source(at)];
    to = Word(0);
    if (place < 0) return;
    to = output[place];
    output[place] = Word(0);
  }
};

/// Every place gets the greatest key of its items; 0 where there are none.
template <class T>
__global__ void extreme_keys_kernel(KeyedShape shape, IndexView index, const T* source, bool max,
                                    typename OrderedKey<T>::Key* keys) {
  const int64_t n = shape.elements();
  ORDO_NO_UNROLL
  for (int64_t element = ordo::cuda::thread_index(); element < n; element += ordo::cuda::thread_count()) {
    const KeyedShape::At at = shape.at(element);
    const int64_t d = index[shape.rows ? at.item : element];
    if (d >= 0) atomicMax(keys + shape.place(at, d), OrderedKey<T>::of(source[shape.source(at)], max));
  }
}

template <class T>
struct TakeExtreme {
  T* output;
  const typename OrderedKey<T>::Key* keys;
  bool max;
  ORDO_HD void operator()(int64_t place) const {
    const auto key = keys[place];
    if (key > OrderedKey<T>::of(output[place], max)) output[place] = OrderedKey<T>::value(key, max);
  }
};

__global__ void scatter_count_kernel(KeyedShape shape, IndexView index, unsigned long long* counts) {
  const int64_t n = shape.indices();
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < n; i += ordo::cuda::thread_count())
    if (const int64_t d = index.unrecorded(i); d >= 0) atomicAdd(counts + shape.slot(i, d), 1ull);
}

}  // namespace

/// Calls f(items), for whose time they are known.
template <class F>
static void with_last_items(const KeyedItems& a, const F& f) {
  const ordo::cuda::DeviceScope scope(a.device);
  LastItems items(a);
  const bool alone = a.shape.items == 1;
  const Scratch<char> last(alone ? 0 : a.shape.slots() * (items.wide ? 8 : 4), a.device);
  const auto find = [&]<class Number>(Number* numbers) {
    const cudaStream_t stream = ordo::cuda::current_stream(a.device);
    ordo::cuda::check(cudaMemsetAsync(numbers, 0, size_t(a.shape.slots()) * sizeof(Number), stream), "scatter");
    ordo::cuda::launch_over(last_scattered_kernel<Number>, a.shape.indices(), stream, a.shape, a.index, numbers);
  };
  if (!alone && items.wide) find(reinterpret_cast<unsigned long long*>(last.data()));
  if (!alone && !items.wide) find(reinterpret_cast<unsigned*>(last.data()));
  items.last = alone ? nullptr : last.data();
  f(items);
}

void scatter_write(const KeyedItems& a) {
  with_last_items(a, [&](const LastItems& items) {
    dispatch_word(size_of(a.dtype), [&]<class Word>() {
      each(a.shape.elements(), WriteLast<Word>{items, static_cast<Word*>(a.output), static_cast<const Word*>(a.source)},
           a.device);
    });
  });
}

void scatter_take_out(const KeyedItems& a, void* taken) {
  with_last_items(a, [&](const LastItems& items) {
    dispatch_word(size_of(a.dtype), [&]<class Word>() {
      each(a.shape.elements(), TakeOut<Word>{items, static_cast<Word*>(a.output), static_cast<Word*>(taken)}, a.device);
    });
  });
}

void scatter_extremum(const KeyedItems& a, bool max) {
  const ordo::cuda::DeviceScope scope(a.device);
  const cudaStream_t stream = ordo::cuda::current_stream(a.device);
  dispatch_numeric("scatter_reduce", a.dtype, [&]<class T>() {
    using Key = typename OrderedKey<T>::Key;
    const Scratch<Key> keys(a.shape.places(), a.device);
    ordo::cuda::check(cudaMemsetAsync(keys.data(), 0, size_t(a.shape.places()) * sizeof(Key), stream),
                      "scatter_reduce");
    if (a.shape.elements() > 0)
      ordo::cuda::launch_over(extreme_keys_kernel<T>, a.shape.elements(), stream, a.shape, a.index,
                              static_cast<const T*>(a.source), max, keys.data());
    each(a.shape.places(), TakeExtreme<T>{static_cast<T*>(a.output), keys.data(), max}, a.device);
  });
}

void scatter_count(const KeyedItems& a, int64_t* counts) {
  const ordo::cuda::DeviceScope scope(a.device);
  ordo::cuda::launch_over(scatter_count_kernel, a.shape.indices(), ordo::cuda::current_stream(a.device), a.shape,
                          a.index, reinterpret_cast<unsigned long long*>(counts));
}

void scatter_mean(const KeyedItems& a, const void* sums, const int64_t* counts, bool include_self) {
  dispatch_numeric("scatter_reduce", a.dtype, [&]<class T>() {
    each(a.shape.places(),
         MeanOfPlace<T>{a.shape, static_cast<T*>(a.output), static_cast<const mean_sum_t<T>*>(sums), counts,
                        include_self},
         a.device);
  });
}

}  // namespace ordo::kernels::cuda
