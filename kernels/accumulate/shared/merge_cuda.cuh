// Adding up what goes to the same place before it is added there: between the lanes of a warp, and over the items that
// a thread walks. Internal to atomic_cuda.cuh and exact_cuda.cuh.
#pragma once

#include <cstdint>

#include <ordo/engine/cuda/atomics.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/accumulate/accumulate.h>

namespace ordo::kernels::cuda {

inline constexpr unsigned kAllLanes = 0xffffffffu;
/// A key that no place has.
inline constexpr int64_t kNowhere = -1;

/// Sums of V neighbouring columns.
template <class Sum, int V>
struct Pack {
  Sum v[V] = {};
  __device__ void add(const Pack& other) {
    for (int k = 0; k < V; ++k) v[k] = wrapping_add(v[k], other.v[k]);
  }
  /// That of another lane. All lanes of the warp take part.
  __device__ Pack from_lane(int lane) const {
    Pack other;
    for (int k = 0; k < V; ++k) other.v[k] = __shfl_sync(kAllLanes, v[k], lane);
    return other;
  }
};

template <class T, class Sum>
__device__ void atomic_add_pack(T* p, const Pack<Sum, 1>& sum) {
  ordo::cuda::atomic_add(p, T(sum.v[0]));
}
template <class T>
__device__ void atomic_add_pack(T* p, const Pack<float, 2>& sum) {
  ordo::cuda::atomic_add2(p, T(sum.v[0]), T(sum.v[1]));
}
__device__ inline void atomic_add_pack(float* p, const Pack<float, 4>& sum) {
  ordo::cuda::atomic_add4(p, float4{sum.v[0], sum.v[1], sum.v[2], sum.v[3]});
}

/// Adds up the sums of lanes with equal keys. True in the one lane of each key that is left with the total. All lanes
/// of the warp take part; those with the key kNowhere have nothing to add, and get false.
template <class P>
__device__ bool merge_lanes(int64_t key, P& sum) {
  const int lane = int(threadIdx.x) % 32;
  const unsigned equal = __match_any_sync(kAllLanes, key != kNowhere ? key : ~int64_t(lane));
  unsigned later = equal & (~1u << lane);  // lanes with the same key that this one may still hear from
  if (!__any_sync(kAllLanes, later != 0)) return key != kNowhere;
  // Lanes with a key are numbered; in each round the odd ones pass their sums to the even ones before them, and leave.
  int number = __popc(equal & ((1u << lane) - 1));
  const bool first = number == 0;
  do {
    const bool stays = number % 2 == 0;
    const P other = sum.from_lane(later != 0 ? __ffs(int(later)) - 1 : lane);
    if (later != 0 && stays) sum.add(other);
    const unsigned staying = __ballot_sync(kAllLanes, stays);
    later = stays ? later & staying : 0;
    number /= 2;
  } while (__any_sync(kAllLanes, later != 0));
  return first && key != kNowhere;
}

/// The destination that most lanes have; kNowhere when none has more than `once` lanes. All lanes take part.
__device__ inline int64_t most_frequent(int64_t destination, int once) {
  const int lane = int(threadIdx.x) % 32;
  const unsigned equal = __match_any_sync(kAllLanes, destination);
  const int lanes = destination != kNowhere ? __popc(equal) : 0;
  int most = lanes * 32 + lane;
  for (int distance = 16; distance > 0; distance /= 2) {
    const int other = __shfl_xor_sync(kAllLanes, most, distance);
    most = other > most ? other : most;
  }
  const int64_t found = __shfl_sync(kAllLanes, destination, most % 32);
  return most / 32 > once ? found : kNowhere;
}

/// What a thread has walked over and not added to the output: the run of equal keys that it is in, and one more sum,
/// of a key that came up often. Every run but the latter's is handed on when it ends.
template <class P>
class Walk {
 public:
  /// Takes a value. Returns the key of the sum to be added to the output now, which is then in `sum`, or kNowhere.
  __device__ int64_t take(int64_t key, const P& value, P& sum) {
    if (key == kNowhere) return kNowhere;
    if (key == run_key_) {
      run_.add(value);
      return kNowhere;
    }
    const int64_t full = end_run(sum);
    run_key_ = key;
    run_ = value;
    return full;
  }
  /// As take(). Ends the run.
  __device__ int64_t end_run(P& sum) {
    int64_t full = kNowhere;
    if (run_key_ == kNowhere) return full;
    if (run_key_ == often_key_) {
      often_.add(run_);
      credit_ += kCreditOfRun;
    } else if (credit_ > 0) {
      --credit_;
      full = run_key_;
      sum = run_;
    } else {
      full = often_key_;
      sum = often_;
      often_key_ = run_key_;
      often_ = run_;
      credit_ = kFirstCredit;
    }
    run_key_ = kNowhere;
    return full;
  }
  /// After end_run(): the other sum.
  __device__ int64_t often(P& sum) const {
    sum = often_;
    return often_key_;
  }

 private:
  // How many other runs the frequent key may let pass: some when it is new, and more whenever it comes up again. With
  // these, a key that half of all items have, in random places, keeps its place.
  static constexpr int kFirstCredit = 2, kCreditOfRun = 4;
  int64_t run_key_ = kNowhere, often_key_ = kNowhere;
  P run_, often_;
  int credit_ = 0;
};

}  // namespace ordo::kernels::cuda
