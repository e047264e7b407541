// Recordings of the emulator (ORDO_EMULATOR_RECORD) as a page that plays them.
#pragma once

#include <string>

/// Reads a recording and returns its page. DataError where the file is none.
std::string playback_page(const std::string& file);
