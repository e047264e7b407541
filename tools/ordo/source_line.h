// The line of a program that called an operation, from the calls that a dump wrote (nn/audit/dump.h).
#pragma once

#include <filesystem>
#include <string>

/// "train.cpp:42 (step)" of the innermost call that is not Ordo's own, with binutils' addr2line; "" where nothing is known. Of a program
/// without lines (-g1) only the function. `scratch`: a file that is written for it.
std::string source_line(const std::filesystem::path& calls, const std::filesystem::path& scratch);
