// What `ordo show` has besides operations.
#pragma once

#include <functional>
#include <utility>

#include "tools/ordo/cli.h"

using Subcommand = std::pair<Arguments, std::function<void()>>;
Subcommand add_show_fork(Arguments show);
Subcommand add_show_playback(Arguments show);
