// The values that `ordo show` adds, and how far a sum of them is from the true one.
#pragma once

#include <ordo/engine/tensor/dtype.h>

#include <vector>

/// `count` fixed values of both signs and of sizes from 2^-8 to 2^8, which float64 or float32 holds without rounding.
/// They are multiples of 2^-60. Of int64, integers.
std::vector<double> spread_values(int count, ordo::DType dtype);
/// How far `sum` is from the true sum of values that are multiples of 2^-60, in units of the last place that the true
/// sum has in float32 or float64; of int64, in ones. 0.5 and less is as good as possible.
double error_in_ulps(double sum, const std::vector<double>& values, ordo::DType dtype);
