// The result of a comparison as a page, and as JSON.
#pragma once

#include <ordo/nn/audit/diff.h>

#include <nlohmann/json_fwd.hpp>
#include <string>

/// One HTML file that needs no other.
std::string diff_page(const ordo::audit::TraceDiff& diff, const std::string& a, const std::string& b);
nlohmann::ordered_json to_json(const ordo::audit::TraceDiff& diff);
