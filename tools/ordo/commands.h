// The subcommands of `ordo`. Each adds itself to the command line; the returned function runs it.
#pragma once

#include <ordo/engine/device.h>

#include <functional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

using Command = std::function<void()>;

Command add_bench(CLI::App& app);
Command add_check(CLI::App& app);
Command add_demo(CLI::App& app);
Command add_diff(CLI::App& app);
Command add_info(CLI::App& app);
Command add_ops(CLI::App& app);
Command add_report(CLI::App& app);
Command add_scale(CLI::App& app);
Command add_show(CLI::App& app);

/// The device of that name; DeviceError in the name of `command` when it is not there.
ordo::Device usable_device(const std::string& command, const std::string& text);

/// Ends the program with that exit status.
struct ExitStatus : std::runtime_error {
  ExitStatus(int status, const std::string& message) : std::runtime_error(message), status(status) {}
  int status;
};
