// What tests of readers of files share.
#pragma once

#include "tests/support/folder_test_base.h"
#include "tests/support/op_samples.h"

namespace ordo::test {

/// Of each case, which is a pair: the file that write(first) names is refused by `load` with a DataError of `reader`,
/// which names the file and says `second`. No size that a file promises is allocated before it was checked.
template <class Cases, class Write, class Load>
void expect_refused(const std::string& reader, const Cases& cases, const Write& write, const Load& load) {
  reset_peak_memory_stats();
  for (const auto& [contents, what] : cases) {
    SCOPED_TRACE(what);
    const std::string file = write(contents);
    EXPECT_ORDO_ERROR(load(file), DataError, "[" + reader + "] " + file + ": ");
    EXPECT_ORDO_ERROR(load(file), DataError, what);
  }
  EXPECT_LT(memory_stats().peak_allocated_bytes, size_t(1) << 20);
}

/// Whether f throws nothing. Where Ordo was configured without a library, its error says what to install.
template <class F>
bool is_installed(const std::string& package, const F& f) {
  try {
    return f(), true;
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("install " + package), std::string::npos) << error.what();
    return false;
  }
}

}  // namespace ordo::test
