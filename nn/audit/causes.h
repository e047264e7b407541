// What made two paired events part, and what to do about it. Internal to nn and to the tools.
#pragma once

#include <string>

#include <ordo/nn/audit/diff.h>

namespace ordo::audit {

struct Verdict {
  Cause cause = Cause::none;
  std::string what = {};
};

/// Of two events that are different. Where several inputs differ, the first one counts.
Verdict judge(const Record& a, const Record& b, const Header& header_a, const Header& header_b);
/// What to change so that it does not happen again.
std::string remedy(const Divergence& divergence);
/// Whether all bytes are those of memory that nobody wrote: Ordo's fill pattern, or glibc's under MALLOC_PERTURB_.
bool is_fill_pattern(const TensorRecord& tensor);

}  // namespace ordo::audit
