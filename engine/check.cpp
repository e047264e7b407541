#include <ordo/engine/check.h>

#include <fmt/format.h>

namespace ordo::detail {

template <class T>
fmt::format_context::iterator PlainFormatter<T>::format(const T& value, fmt::format_context& c) const {
  if constexpr (std::is_same_v<T, DType>)
    return fmt::format_to(c.out(), "{}", name(value));
  else
    return fmt::format_to(c.out(), "{}", value.str());
}

template struct PlainFormatter<Dims>;
template struct PlainFormatter<DType>;
template struct PlainFormatter<Device>;

}  // namespace ordo::detail
