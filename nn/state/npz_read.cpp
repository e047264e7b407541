#include <ordo/nn/state/npy.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>

#ifdef ORDO_HAS_ZIP
#include <ordo/nn/state/archive.h>
#endif

namespace ordo {

nn::NamedTensorList load_npz(const std::string& path) {
  const ordo::detail::LibraryCall library;
#ifdef ORDO_HAS_ZIP
  const std::string ending = ".npy";
  const nn::Archive archive(path, "load_npz");
  nn::NamedTensorList tensors;
  for (const nn::Archive::Entry& entry : archive.entries(ending)) {
    nn::ArchiveMember member(archive, entry);
    const Tensor tensor = nn::read_npy(member);
    member.expect_end();
    tensors.push_back({entry.name.substr(0, entry.name.size() - ending.size()), tensor});
  }
  return tensors;
#else
  detail::fail<DataError>(
      "load_npz",
      "{}: Ordo was configured without libzip, which reads .npz files; install libzip-dev and configure again", path);
#endif
}

}  // namespace ordo
