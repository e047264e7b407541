// What a forked process does.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>

#include <ordo/engine/run/parallel.h>
#include "tests/support/child_process.h"

namespace ordo::test {

/// Forks; the child calls f, with one thread, and ends. Returns its status, as waitpid gives it.
inline int in_child(const std::function<void()>& f) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process can be forked");
  if (child == 0) {
    set_num_threads(1);
    try {
      f();
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  const Ended ended = wait_for(child);
  if (!ended.in_time) throw std::runtime_error("a forked process does not end");
  return ended.status;
}

}  // namespace ordo::test
