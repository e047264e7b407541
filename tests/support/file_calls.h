// What a program asks of the system for its files: file_calls.cpp takes the places of fsync() and rename().
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ordo::test {

/// The calls of this thread as long as the object lives: "fsync PATH, 12 bytes", "fsync FOLDER", "rename PATH to PATH".
class FileCalls {
 public:
  FileCalls();
  ~FileCalls();
  FileCalls(const FileCalls&) = delete;
  FileCalls& operator=(const FileCalls&) = delete;

  std::vector<std::string> calls;
  std::function<void(const std::string&)> after_rename;  ///< gets the new path
};

}  // namespace ordo::test
