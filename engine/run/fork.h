// What fork() finds. A child has the thread that forked and a copy of all memory, in which a lock that another thread
// had would never be free. So fork waits for the locks that all of a process shares, and has them itself while it
// copies. Locks of single objects are not among them: docs/architecture.md, "Threads of the program". Internal.
#pragma once

#include <mutex>

namespace ordo::detail {

/// Locks of the process, in the order in which a thread that needs several takes them.
enum class ProcessLock : unsigned char { recordings, interrupts, parameters, listeners, warnings, generators, memory };

std::mutex& process_mutex(ProcessLock which);

/// How many forks made this process of the first one.
int forks();

}  // namespace ordo::detail
