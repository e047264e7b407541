// The command line: subcommands, their options, and how they end. CLI11's header takes longer to compile than a
// subcommand; cli.cpp alone reads it.
#pragma once

#include <ordo/engine/tensor/device.h>

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// An option. What its functions forbid is said, with exit status 2, before a command runs.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  Option range(int64_t least, int64_t most) const;
  Option real_range(double least, double most) const;
  Option positive() const;
  Option one_of(const std::vector<std::string>& values) const;
  Option folder() const;  ///< that exists
  Option required() const;
  Option needs(const Option& other) const;
  Option excludes(const Option& other) const;
  Option values(int count) const;  ///< takes so many
  Option with_commas() const;      ///< a list in one word: 1,2
  Option with_default() const;     ///< --help shows what it is without the option
  bool given() const;              ///< on the command line

 private:
  CLI::Option* option_;
};

/// The options of a command.
class Arguments {
 public:
  explicit Arguments(CLI::App* app) : app_(app) {}
  /// `names`: "--size", "-o,--output", or without dashes a name for what has no option before it. A bool is a flag;
  /// others are numbers, a text, and vectors of numbers or texts.
  template <class T>
  Option add(const std::string& names, T& value, const std::string& about = "") const;
  Arguments command(const std::string& name, const std::string& about) const;
  bool given() const;  ///< this command, on the command line

 private:
  CLI::App* app_;
};

/// A subcommand. `add` adds its options and returns what runs it.
struct Command {
  const char* name;
  const char* about;
  std::function<void()> (*add)(Arguments arguments);
};

extern const Command kBench, kCheck, kDemo, kDiff, kInfo, kOps, kReport, kScale, kShow;

/// The program `ordo` with these subcommands; returns its exit status.
int run_program(int argc, char** argv, std::span<const Command> commands);

/// The device of that name; DeviceError in the name of `command` when it is not there.
ordo::Device usable_device(const std::string& command, const std::string& text);

/// Ends the program with that exit status, and says why where that is not empty.
struct ExitStatus : std::runtime_error {
  ExitStatus(int status, const std::string& message) : std::runtime_error(message), status(status) {}
  int status;
};
