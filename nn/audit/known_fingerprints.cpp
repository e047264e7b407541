#include <ordo/nn/audit/recording.h>

namespace ordo::audit {

bool KnownFingerprints::is_of(const Memory& memory, const Storage& storage) {
  // The storage's address may be another's by now, which the weak pointer knows.
  return !memory.storage.expired() && memory.version == storage.version();
}

std::optional<Fingerprint> KnownFingerprints::find(const Tensor& t, uint64_t since) const {
  const TensorImpl& impl = *t.impl();
  const auto at = memories_.find(impl.storage.get());
  if (at == memories_.end() || !is_of(at->second, *impl.storage)) return std::nullopt;
  for (const View& v : at->second.views) {
    if (v.call < since || v.offset != impl.offset || v.numel != impl.numel || v.dtype != impl.dtype) continue;
    if ((v.contiguous && impl.contiguous) || (v.sizes == impl.sizes && v.strides == impl.strides)) return v.fingerprint;
  }
  return std::nullopt;
}

void KnownFingerprints::keep(const Tensor& t, const Fingerprint& fingerprint, uint64_t call) {
  constexpr size_t kMost = 4096, kMostViews = 16;
  if (memories_.size() >= kMost) std::erase_if(memories_, [](const auto& m) { return m.second.storage.expired(); });
  if (memories_.size() >= kMost) memories_.clear();
  const TensorImpl& impl = *t.impl();
  Memory& memory = memories_[impl.storage.get()];
  if (!is_of(memory, *impl.storage)) memory = {impl.storage, impl.storage->version(), {}};
  if (memory.views.size() >= kMostViews) memory.views.clear();
  const View view{impl.sizes, impl.strides, impl.offset, impl.numel, impl.dtype, impl.contiguous, call, fingerprint};
  for (View& v : memory.views)
    if (v.offset == view.offset && v.sizes == view.sizes && v.strides == view.strides && v.dtype == view.dtype) {
      v = view;
      return;
    }
  memory.views.push_back(view);
}

}  // namespace ordo::audit
