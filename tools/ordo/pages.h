// Pages and pictures: Python draws them, in tools/scripts/.
#pragma once

#include <string>
#include <vector>

#include "tools/ordo/json.h"

/// Where a script of Python is, "tools/scripts/show.py": beside an installed `ordo`, else among the sources. Empty
/// where it is in neither.
std::string script_file(const std::string& name);
/// Python interpreters to try: $ORDO_PYTHON alone, or python3 on PATH, then the system's.
std::vector<std::string> pythons();
/// Runs tools/scripts/SCRIPT with these arguments, by the first Python that has `module`, which is of that package.
/// ExitStatus where there is none, and with the script's own status where it fails.
void run_script(const std::string& command, const std::string& script, std::vector<std::string> arguments,
                const std::string& module = "json", const std::string& package = "python3");
/// The page or picture of a kind that tools/scripts/show.py draws of a file, or of `data`.
std::string drawn_from(const std::string& command, const std::string& kind, const std::string& file);
std::string drawn(const std::string& command, const std::string& kind, const Json& data);
/// DataError in the name of `command` where the file cannot be written.
void write_file(const std::string& command, const std::string& file, const std::string& text);
