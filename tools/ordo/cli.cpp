#include "tools/ordo/cli.h"

#include <fmt/format.h>
#include <ordo/ordo.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "tools/ordo/say.h"

namespace {

constexpr int kBadUsage = 2, kFailure = 1;

int parse_and_run(int argc, char** argv, std::span<const Command> commands) {
  CLI::App app("Ordo: a tensor engine with a determinism switch.", "ordo");
  app.set_version_flag("--version", std::string(ordo::version()));
  app.require_subcommand(0, 1);
  app.failure_message(CLI::FailureMessage::simple);
  std::vector<std::function<void()>> runs;
  for (const Command& c : commands) runs.push_back(c.add(Arguments(app.add_subcommand(c.name, c.about))));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    const int status = app.exit(error, out, complaint);
    say_lines(out.str()), say_lines(complaint.str(), stderr);
    return status == 0 ? 0 : kBadUsage;
  }
  for (size_t i = 0; i < runs.size(); ++i)
    if (app.got_subcommand(commands[i].name)) return runs[i](), 0;
  say_lines(app.help(), stderr);
  return kBadUsage;
}

int complain(const std::exception& error, int status) {
  if (*error.what()) say_lines(fmt::format("ordo: {}\n", error.what()), stderr);
  return status;
}

}  // namespace

Option Option::range(int64_t least, int64_t most) const { return option_->check(CLI::Range(least, most)), *this; }
Option Option::real_range(double least, double most) const { return option_->check(CLI::Range(least, most)), *this; }
Option Option::positive() const { return option_->check(CLI::PositiveNumber), *this; }
Option Option::one_of(const std::vector<std::string>& v) const { return option_->check(CLI::IsMember(v)), *this; }
Option Option::folder() const { return option_->check(CLI::ExistingDirectory), *this; }
Option Option::required() const { return option_->required(), *this; }
Option Option::needs(const Option& other) const { return option_->needs(other.option_), *this; }
Option Option::excludes(const Option& other) const { return option_->excludes(other.option_), *this; }
Option Option::values(int count) const { return option_->expected(count), *this; }
Option Option::with_commas() const { return option_->delimiter(',')->allow_extra_args(false), *this; }
Option Option::with_default() const { return option_->capture_default_str(), *this; }
bool Option::given() const { return option_->count() > 0; }

template <class T>
Option Arguments::add(const std::string& names, T& value, const std::string& about) const {
  if constexpr (std::is_same_v<T, bool>)
    return Option(app_->add_flag(names, value, about));
  else
    return Option(app_->add_option(names, value, about));
}
template Option Arguments::add(const std::string&, bool&, const std::string&) const;
template Option Arguments::add(const std::string&, int&, const std::string&) const;
template Option Arguments::add(const std::string&, int64_t&, const std::string&) const;
template Option Arguments::add(const std::string&, uint64_t&, const std::string&) const;
template Option Arguments::add(const std::string&, double&, const std::string&) const;
template Option Arguments::add(const std::string&, std::string&, const std::string&) const;
template Option Arguments::add(const std::string&, std::vector<int>&, const std::string&) const;
template Option Arguments::add(const std::string&, std::vector<std::string>&, const std::string&) const;

Arguments Arguments::command(const std::string& name, const std::string& about) const {
  return Arguments(app_->add_subcommand(name, about));
}
bool Arguments::given() const { return app_->parsed(); }

ordo::Device usable_device(const std::string& command, const std::string& text) {
  using namespace ordo;
  const Device device(text);
  if (device.is_cuda() && device.index() >= cuda::device_count())
    throw DeviceError(fmt::format(
        "[{}] there is no device {} here{}", command, device.str(),
        cuda::build() == "none" ? std::string(": this build has no CUDA")
        : cuda::device_count() == 0
            ? fmt::format(": {} (`./run ordo --emulated {}` has an emulated one)", why_no_cuda_device(), command)
            : fmt::format("; the last is cuda:{}", cuda::device_count() - 1)));
  return device;
}

int run_program(int argc, char** argv, std::span<const Command> commands) {
  try {
    return parse_and_run(argc, argv, commands);
  } catch (const ordo::DataError& error) {  // files that were named on the command line
    return complain(error, kBadUsage);
  } catch (const ordo::DeviceError& error) {
    return complain(error, kBadUsage);
  } catch (const ExitStatus& error) {
    return complain(error, error.status);
  } catch (const std::exception& error) {
    return complain(error, kFailure);
  }
}
