// What every operation refuses, written down. Each sample of an operation (ORDO_OP_SAMPLES) is called with one input
// changed: undefined, of another dtype, of another size, of more or fewer dimensions, with indices out of range; and
// each integer argument (ORDO_OP_INTEGER) is given integers around its range. tests/bits/refusals.txt has a line for
// each error, in which # stands for numbers and T for a dtype, with the changes that lead to it:
//
//   index_add DTypeError [index_add] index must be T or T, not T <- 1 bool | 1 float32
//
// A check that goes away, a new one, and another text all differ from the file.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/device.h>

namespace ordo::test {

/// By error, the changes that lead to it.
using Refusals = std::map<std::string, std::set<std::string>>;

/// `unnamed` gets what the operation throws that is no Error, or does not begin with its name.
Refusals refusals_of(const OpInfo& op, Device device, std::vector<std::string>& unnamed);

/// What the file says of an operation.
Refusals refusals_written(const OpInfo& op);

/// Writes those of the CPU. The file keeps what it says of other operations.
void write_refusals(const std::vector<const OpInfo*>& ops);

/// Lines as in the file, "only in the file" or "not in the file" behind them.
std::vector<std::string> differences(const Refusals& got, const Refusals& want);

}  // namespace ordo::test
