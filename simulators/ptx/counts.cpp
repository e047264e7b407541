#include "simulators/ptx/counts.h"

#include <algorithm>

namespace ordo::ptx {

Work work_of(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), base) != names.end();
  };
  const auto has = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
  if (is_one_of({"div", "rem"}) && (has(".s64") || has(".u64"))) return Work::long_division;
  if (is_one_of({"div", "rem", "sqrt", "rcp"})) return Work::division;
  if (is_one_of({"cvt", "cvta"})) return Work::conversion;
  if (is_one_of({"ld", "st", "atom", "red", "membar", "fence"})) return Work::memory;
  if (is_one_of({"bra", "bar", "barrier", "ret", "exit", "trap", "shfl", "vote", "match", "activemask", "nanosleep"}))
    return Work::control;
  return has(".f16") || has(".bf16") || has(".f32") || has(".f64") ? Work::floating : Work::integer;
}

SectorCache::SectorCache(size_t bytes) : sets_(std::max<size_t>(1, bytes / 32 / kWays)) {}

uint64_t SectorCache::use(uint64_t sector, Use how) {
  // Neighbours go to neighbouring sets; a stride of many sets is spread, as hardware's hash does.
  Set& set = sets_[(sector ^ sector >> 17) % sets_.size()];
  const auto at = std::find_if(set.begin(), set.end(), [=](uint64_t s) { return (s & ~kChanged) == sector; });
  const bool had = at != set.end(), was_changed = had && *at != sector, changes = how != Use::read;
  std::move_backward(set.begin(), had ? at : set.end() - 1, had ? at + 1 : set.end());
  set[0] = was_changed || changes ? sector | kChanged : sector;
  return uint64_t(!had && how != Use::write) + uint64_t(changes && !was_changed);
}

uint64_t BankPasses::conflicts() const {
  // As many lanes at a time as make 128 bytes.
  const size_t lanes = bytes_ <= 4 ? 32 : size_t(128 / bytes_);
  uint64_t conflicts = 0;
  for (size_t first = 0; first < count_; first += lanes) {
    std::array<uint64_t, 64> words{};
    size_t count = 0;
    for (size_t l = first; l < std::min(count_, first + lanes); ++l)
      for (uint64_t w = addresses_[l] / 4; w <= (addresses_[l] + bytes_ - 1) / 4 && count < words.size(); ++w)
        words[count++] = w;
    std::sort(words.begin(), words.begin() + std::ptrdiff_t(count));
    count = size_t(std::unique(words.begin(), words.begin() + std::ptrdiff_t(count)) - words.begin());
    std::array<uint8_t, 32> of_bank{};
    uint64_t most = 1;
    for (size_t w = 0; w < count; ++w) most = std::max<uint64_t>(most, ++of_bank[words[w] % 32]);
    conflicts += most - 1;
  }
  return conflicts;
}

}  // namespace ordo::ptx
