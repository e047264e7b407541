#include <ordo/nn/padding.h>

#include <ordo/nn/description.h>

namespace ordo::nn {

static std::string text(const std::vector<int64_t>& widths) {
  for (const int64_t w : widths)
    if (w != widths[0]) return Description::list(widths.data(), widths.data() + widths.size());
  return Description::text(widths[0]);
}

template <int N>
std::string ConstantPad<N>::description() const {
  return Description("ConstantPad" + std::to_string(N) + "d", text(padding_), value_);
}

template <int N, PadMode kMode>
std::string Pad<N, kMode>::description() const {
  constexpr const char* kNames[] = {"ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"};
  return Description(kNames[int(kMode)] + std::to_string(N) + "d", text(padding_));
}

#define ORDO_PADS(N)                         \
  template class ConstantPad<N>;             \
  template class Pad<N, PadMode::constant>;  \
  template class Pad<N, PadMode::reflect>;   \
  template class Pad<N, PadMode::replicate>; \
  template class Pad<N, PadMode::circular>
ORDO_PADS(1);
ORDO_PADS(2);
ORDO_PADS(3);

}  // namespace ordo::nn
