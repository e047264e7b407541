// MPI as a Transport: compiled once for each MPI that is found, into a library that `init` opens. It calls nothing of
// Ordo's, and Ordo nothing of MPI's.
#define OMPI_SKIP_MPICXX 1  // only the C functions
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include <ordo/engine/distributed/distributed.h>
#include <ordo/engine/distributed/transport.h>
#include <ordo/engine/tensor/dtype.h>

namespace ordo::distributed {
namespace {

MPI_Datatype type_of(int element) {
  if (DType(element) == uint8) return MPI_UINT8_T;
  if (DType(element) == int32) return MPI_INT32_T;
  if (DType(element) == int64) return MPI_INT64_T;
  return DType(element) == float64 ? MPI_DOUBLE : MPI_FLOAT;
}

MPI_Op op_of(ReduceOp op) {
  if (op == ReduceOp::product) return MPI_PROD;
  if (op == ReduceOp::min) return MPI_MIN;
  return op == ReduceOp::max ? MPI_MAX : MPI_SUM;
}

class MpiTransport : public Transport {
 public:
  explicit MpiTransport(bool concurrent) : concurrent_(concurrent) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    int* largest = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &found);
    if (found) largest_tag_ = *largest;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    name_.assign(text, size_t(length));
    name_ = name_.substr(0, name_.find_first_of(",\n"));
    const std::string version = " Version:\t";  // in MPICH's
    if (const size_t at = name_.find(version); at != std::string::npos) name_.replace(at, version.size(), " ");
  }

  const char* name() const override { return name_.c_str(); }
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  bool concurrent() const override { return concurrent_; }

  Request send(const void* data, size_t bytes, int to, int tag) override {
    auto* request = new MPI_Request;
    MPI_Isend(data, int(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD, request);
    return request;
  }
  Request receive(void* data, size_t bytes, int from, int tag) override {
    auto* request = new MPI_Request;
    MPI_Irecv(data, int(bytes), MPI_BYTE, from, tag, MPI_COMM_WORLD, request);
    return request;
  }
  bool test(Request request) override {
    auto* mine = static_cast<MPI_Request*>(request);
    int done = 0;
    MPI_Test(mine, &done, MPI_STATUS_IGNORE);
    if (done) delete mine;
    return done != 0;
  }

  void reduce(void* data, size_t count, int element, ReduceOp op, const std::vector<int>& ranks, int group) override {
    const MPI_Comm comm = communicator(ranks, group);
    int width = 1;
    MPI_Type_size(type_of(element), &width);
    while (count > 0) {
      const size_t now = count < kLargestMessage / size_t(width) ? count : kLargestMessage / size_t(width);
      MPI_Allreduce(MPI_IN_PLACE, data, int(now), type_of(element), op_of(op), comm);
      data = static_cast<char*>(data) + now * size_t(width);
      count -= now;
    }
  }

  // Where all ranks meet the same error, the first one's message is enough: it ends the others while they wait. Where
  // each has its own, the others have a second in which to say it.
  void abort(const char* message, bool each) override {
    if (!each) std::this_thread::sleep_for(std::chrono::milliseconds(400 * (rank_ < 10 ? rank_ : 10)));
    std::fputs(message, stderr);
    std::fflush(stderr);
    // Also for mpirun, which passes it on, unless it ends first.
    std::this_thread::sleep_for(std::chrono::milliseconds(each ? 1000 : 200));
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
  }
  void finish() override {
#ifdef MPICH_VERSION
    // Where a process closes its connections while another still drives its own, to complete the meeting that all come
    // from, MPICH 4.0 over UCX's TCP connects the two again, and waits for ever. While all sleep, all have left it.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
#endif
    MPI_Finalize();
  }

 private:
  MPI_Comm communicator(const std::vector<int>& ranks, int group) {
    if (group == 0) return MPI_COMM_WORLD;
    MPI_Comm* comm = nullptr;
    {
      const std::lock_guard lock(mutex_);
      comm = &communicators_.try_emplace(group, MPI_COMM_NULL).first->second;
    }
    if (*comm == MPI_COMM_NULL) {  // one thread at a time calls something of the group
      MPI_Group all, part;
      MPI_Comm_group(MPI_COMM_WORLD, &all);
      MPI_Group_incl(all, int(ranks.size()), ranks.data(), &part);
      // Open MPI 4.1 sends with this tag on the same communicator: it must be none of send() and receive(), which count
      // from 0.
      MPI_Comm_create_group(MPI_COMM_WORLD, part, largest_tag_ - group, comm);
      MPI_Group_free(&part);
      MPI_Group_free(&all);
    }
    return *comm;
  }

  const bool concurrent_;
  int rank_ = 0, size_ = 1;
  int largest_tag_ = 32767;  // which every MPI has
  std::string name_;
  std::mutex mutex_;  // of the communicators
  std::map<int, MPI_Comm> communicators_;
};

}  // namespace
}  // namespace ordo::distributed

extern "C" [[gnu::visibility("default")]] ordo::distributed::Transport* ordo_open_transport(char* error, size_t size) {
  int ready = 0, given = 0;
  MPI_Initialized(&ready);
  // Threads with groups of their own wait at the same time. An MPI that is not made for it gets one call at a time, but
  // not always from the same thread.
  if (!ready && MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given) != MPI_SUCCESS) {
    std::snprintf(error, size, "MPI_Init_thread failed");
    return nullptr;
  }
  if (ready) MPI_Query_thread(&given);
  if (given < MPI_THREAD_SERIALIZED) {
    std::snprintf(error, size, "this MPI does not serve several threads (MPI_THREAD_SERIALIZED)");
    return nullptr;
  }
  return new ordo::distributed::MpiTransport(given == MPI_THREAD_MULTIPLE);
}
