// What the operations do on the samples of the tests, written down for another program to repeat.
#pragma once

#include <string>
#include <vector>

namespace ordo::test {

/// `ordo_tests record FILE [OPERATION...]`: writes a line of JSON for every sample of every operation, or of those
/// named, that is small enough, as the CPU computes it in float64: the operation's arguments, its results, and the
/// gradients of its arguments. bench/peers/compare.py reads it. 0, or 2: bad arguments.
int record_command(const std::vector<std::string>& arguments);

}  // namespace ordo::test
