// The subcommands of `ordo`. Each adds itself to the command line; the returned function runs it.
#pragma once

#include <functional>

namespace CLI {
class App;
}

using Command = std::function<void()>;

Command add_demo(CLI::App& app);
Command add_info(CLI::App& app);
Command add_ops(CLI::App& app);
