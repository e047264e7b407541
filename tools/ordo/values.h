// Two tensors of the same place in two runs, value by value.
#pragma once

#include <ordo/ordo.h>

#include <cstdint>
#include <string>
#include <vector>

/// How the values of two tensors differ. Bits are compared; of two NaNs, and of a NaN and a number, no distance is
/// taken.
struct ValueDiff {
  std::string name;        ///< "output-0"
  std::string note = {};   ///< why nothing was compared: other sizes or dtypes, or a tensor that one run lacks
  std::string dtype = {};  ///< of the run
  int64_t elements = 0, differ = 0;  ///< how many there are, and have other bits
  int64_t nans = 0;                  ///< of those that differ: either is NaN
  int64_t nan_in_one = 0;            ///< of these: the other is a number
  int64_t nans_a = 0, nans_b = 0;    ///< of all elements of each run
  uint64_t ulps = 0;                 ///< greatest distance in numbers of this dtype; of integers, their difference
  double absolute = 0;               ///< greatest absolute difference
  std::vector<int64_t> index = {};   ///< of the first that differs
  std::string a = {}, b = {};        ///< its values

  bool equal() const { return note.empty() && differ == 0; }
  /// "output-0: 3 of 8 float32 values differ, by 2 ulps and 1.2e-07 at most; first at [0, 5]: 0.25 and 0.25000003"
  std::string str() const;
};

/// `stored` is bfloat16 where float32 holds its values.
ValueDiff compare_values(const std::string& name, const ordo::Tensor& a, const ordo::Tensor& b, ordo::DType stored);
/// Of all .npy files in two folders, inputs first.
std::vector<ValueDiff> compare_folders(const std::string& a, const std::string& b);
