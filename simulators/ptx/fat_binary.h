// Device code as nvcc puts it into a program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ordo::ptx {

struct PtxText {
  int architecture;  // 90 for sm_90
  std::string text;
};

/// The PTX of a fat binary, decompressed. `data` is where one begins in memory. Throws std::runtime_error when it is
/// none, or is compressed in an unknown way.
std::vector<PtxText> ptx_of(const void* data);

/// The registers that ptxas gave a thread of each kernel, by its name, in the machine code for an architecture. Empty
/// where there is none.
std::map<std::string, uint32_t> registers_of(const void* data, int architecture);

}  // namespace ordo::ptx
