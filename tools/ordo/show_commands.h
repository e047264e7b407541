// What `ordo show` has besides operations.
#pragma once

#include <utility>

#include "tools/ordo/commands.h"

std::pair<CLI::App*, Command> add_show_fork(CLI::App& show);
std::pair<CLI::App*, Command> add_show_playback(CLI::App& show);
