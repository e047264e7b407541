// What an allocation of the library that fails is: an OutOfMemoryError, whatever asked for the memory. Internal.
//
// operator new calls the program's new-handler when it finds no memory. Ordo has one from when it is loaded. Where a
// function of the library runs on the thread, it gives the CPU's cached memory back and lets operator new try again, or
// else throws OutOfMemoryError. Elsewhere the handler that was there before is called. A program that sets a handler
// of its own later decides what the library's functions throw, too.
#pragma once

#include <ordo/engine/memory/initial_exec.h>

namespace ordo::detail {

/// How many LibraryCalls the calling thread is in.
extern constinit thread_local int library_calls ORDO_INITIAL_EXEC;

/// While it lives, a function of the library runs on this thread. Operations say so by their name (OperationName); this
/// is for public functions that are none, and for the library's own threads.
class LibraryCall {
 public:
  LibraryCall() { ++library_calls; }
  ~LibraryCall() { --library_calls; }
  LibraryCall(const LibraryCall&) = delete;
  LibraryCall& operator=(const LibraryCall&) = delete;
};

/// Throws OutOfMemoryError, also when there is no memory for its message. For memory that operator new does not give.
[[noreturn]] void throw_out_of_memory();

}  // namespace ordo::detail
