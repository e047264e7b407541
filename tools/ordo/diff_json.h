// Where two runs part, as JSON.
#pragma once

#include <ordo/nn/audit/diff.h>

#include "tools/ordo/json.h"
#include "tools/ordo/values.h"

Json to_json(const ordo::audit::TraceDiff& diff);
Json to_json(const ValueDiff& diff);
