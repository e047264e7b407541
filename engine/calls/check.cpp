#include <ordo/engine/calls/check.h>

#include <algorithm>

namespace ordo::detail {

template <class T>
fmt::format_context::iterator PlainFormatter<T>::format(const T& value, fmt::format_context& c) const {
  const auto copied = [&](std::string_view text) { return std::copy(text.begin(), text.end(), c.out()); };
  if constexpr (std::is_same_v<T, DType>)
    return copied(name(value));
  else
    return copied(value.str());
}

template struct PlainFormatter<Dims>;
template struct PlainFormatter<DType>;
template struct PlainFormatter<Device>;

}  // namespace ordo::detail
