#pragma once

#include <gtest/gtest.h>

#include <string>

/// EXPECT_CONTAINS(diff.str(), "equal"): the text has this part.
#define EXPECT_CONTAINS(text, part) EXPECT_PRED_FORMAT2(::testing::IsSubstring, std::string(part), std::string(text))
