#include <ordo/nn/audit/recording.h>

namespace ordo::audit {

bool KnownFingerprints::is_of(const Entry& entry, const TensorImpl& t) {
  // The storage's address may be another's by now, which the weak pointer knows.
  return !entry.storage.expired() && entry.version == t.storage->version() && entry.offset == t.offset &&
         entry.dtype == t.dtype && entry.sizes == t.sizes && entry.strides == t.strides;
}

std::optional<Fingerprint> KnownFingerprints::find(const Tensor& t) const {
  const auto at = entries_.find(t.impl()->storage.get());
  if (at == entries_.end() || !is_of(at->second, *t.impl())) return std::nullopt;
  return at->second.fingerprint;
}

void KnownFingerprints::keep(const Tensor& t, const Fingerprint& fingerprint) {
  constexpr size_t kMost = 4096;
  if (entries_.size() >= kMost) std::erase_if(entries_, [](const auto& e) { return e.second.storage.expired(); });
  if (entries_.size() >= kMost) entries_.clear();
  const TensorImpl& impl = *t.impl();
  entries_.insert_or_assign(impl.storage.get(), Entry{impl.storage, impl.storage->version(), impl.offset, impl.sizes,
                                                      impl.strides, impl.dtype, fingerprint});
}

}  // namespace ordo::audit
