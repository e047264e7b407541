#include "bench/compare.h"

#include <map>

namespace ordo::bench {

std::vector<Change> compare(const Json& before, const Json& after, double threshold) {
  std::map<std::string, const Json*> earlier;
  for (const Json& r : before.at("results"))
    if (r.contains("ms")) earlier[r.at("name")] = &r;
  std::vector<Change> changes;
  for (const Json& r : after.at("results")) {
    const auto found = r.contains("ms") ? earlier.find(r.at("name")) : earlier.end();
    if (found == earlier.end()) continue;
    const Json &old_ms = found->second->at("ms"), &new_ms = r.at("ms");
    Change change{r.at("name"), old_ms.at("median"), new_ms.at("median"), Change::same, false};
    const std::string path = r.at("path");
    const bool ours = !path.starts_with("pytorch");  // what a peer does is no regression of Ordo
    const auto patterns = [](const Json& result) { return result.at("patterns").at("distinct").get<int>(); };
    if (patterns(*found->second) == 1 && patterns(r) > 1) {
      change.kind = Change::more_patterns;
      // Where additions come in the order of arrival, more patterns are luck; elsewhere a promise is broken.
      change.regression = ours && path != "atomic" && path != "not_guaranteed";
    } else if (new_ms.at("low").get<double>() > old_ms.at("high").get<double>()) {
      change.kind = Change::slower;
      change.regression = ours && change.new_ms > change.old_ms * (1 + threshold);
    } else if (new_ms.at("high").get<double>() < old_ms.at("low").get<double>()) {
      change.kind = Change::faster;
    }
    changes.push_back(change);
  }
  return changes;
}

}  // namespace ordo::bench
