#include <ordo/nn/audit/recording.h>

#include <algorithm>

namespace ordo::audit {

static kernels::Layout<1> layout_of(const TensorImpl& t) {
  const TensorImpl* operands[1] = {&t};
  return kernels::broadcast_layout(t.sizes, operands);
}

bool KnownFingerprints::is_of(const Memory& memory, const Storage& storage) {
  // The storage's address may be another's by now, which the weak pointer knows.
  return !memory.storage.expired() && memory.version == storage.version();
}

bool KnownFingerprints::is_view(const View& view, const kernels::Layout<1>& l, const TensorImpl& t) {
  return view.offset == t.offset && view.element_size == size_of(t.dtype) && view.layout.numel == l.numel &&
         view.layout.rank == l.rank && std::equal(l.sizes, l.sizes + l.rank, view.layout.sizes) &&
         std::equal(l.strides[0], l.strides[0] + l.rank, view.layout.strides[0]);
}

std::optional<Fingerprint> KnownFingerprints::find(const Tensor& t, uint64_t since) const {
  const TensorImpl& impl = *t.impl();
  const auto at = memories_.find(impl.storage.get());
  if (at == memories_.end() || !is_of(at->second, *impl.storage)) return std::nullopt;
  const auto layout = layout_of(impl);
  for (const View& v : at->second.views)
    if (v.call >= since && is_view(v, layout, impl)) return v.fingerprint;
  return std::nullopt;
}

void KnownFingerprints::keep(const Tensor& t, const Fingerprint& fingerprint, uint64_t call) {
  constexpr size_t kLeast = 64, kMost = 4096, kMostViews = 16;
  if (memories_.size() >= limit_) {
    // What is gone takes memory until it is forgotten, and the cache's.
    std::erase_if(memories_, [](const auto& m) { return m.second.storage.expired(); });
    if (memories_.size() >= kMost) memories_.clear();
    limit_ = std::max(kLeast, 2 * memories_.size());
  }
  const TensorImpl& impl = *t.impl();
  Memory& memory = memories_[impl.storage.get()];
  if (!is_of(memory, *impl.storage)) {
    memory.storage = impl.storage;
    memory.version = impl.storage->version();
    memory.views.clear();
  }
  const View view{layout_of(impl), impl.offset, size_of(impl.dtype), call, fingerprint};
  for (View& v : memory.views)
    if (is_view(v, view.layout, impl)) {
      v = view;
      return;
    }
  if (memory.views.size() >= kMostViews) memory.views.clear();
  memory.views.push_back(view);
}

}  // namespace ordo::audit
