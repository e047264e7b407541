#include "simulators/ptx/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ordo::ptx {
namespace {

constexpr size_t kAlignment = 256, kMargin = 256;
constexpr size_t kMostKept = size_t(64) << 20;  // of freed memory
constexpr int kUnwritten = 0xcd, kFreed = 0xdb;

}  // namespace

Memory::~Memory() {
  while (!freed_.empty()) release_oldest();
}

void* Memory::allocate(size_t bytes) {
  if (bytes > kTotal || in_use_ > kTotal - bytes) return nullptr;
  const size_t rounded = (std::max<size_t>(bytes, 1) + kMargin + kAlignment - 1) / kAlignment * kAlignment;
  auto* const data = static_cast<uint8_t*>(std::aligned_alloc(kAlignment, 2 * rounded));
  if (!data) return nullptr;
  std::memset(data, kUnwritten, rounded);
  std::memset(data + rounded, 0, rounded);
  const auto begin = reinterpret_cast<uint64_t>(data);
  pieces_[begin] = {.begin = begin, .size = bytes, .written = data + rounded};
  in_use_ += bytes;
  return data;
}

bool Memory::free(void* data) {
  const auto at = pieces_.find(reinterpret_cast<uint64_t>(data));
  if (at == pieces_.end() || at->second.freed) return false;
  Piece& piece = at->second;
  piece.freed = true;
  ++changes_;
  std::memset(data, kFreed, piece.size);
  in_use_ -= piece.size;
  kept_ += piece.size;
  freed_.push_back(piece.begin);
  while (kept_ > kMostKept) release_oldest();
  return true;
}

void Memory::release_oldest() {
  const auto at = pieces_.find(freed_.front());
  kept_ -= at->second.size;
  std::free(reinterpret_cast<void*>(at->first));
  pieces_.erase(at);
  freed_.pop_front();
}

void Memory::add(void* data, size_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(data);
  pieces_[begin] = {.begin = begin, .size = bytes, .pinned = true};
}

bool Memory::remove(void* data) {
  ++changes_;
  return pieces_.erase(reinterpret_cast<uint64_t>(data)) != 0;
}

const Memory::Piece* Memory::find(uint64_t address) const {
  auto at = pieces_.upper_bound(address);
  if (at == pieces_.begin()) return nullptr;
  --at;
  return address - at->first <= at->second.size ? &at->second : nullptr;
}

void Memory::copy(void* to, const void* from, size_t bytes) {
  std::memmove(to, from, bytes);
  const auto target = reinterpret_cast<uint64_t>(to), source = reinterpret_cast<uint64_t>(from);
  const Piece *const t = find(target), *const s = find(source);
  if (!t || !t->written) return;
  if (s && s->written)
    std::memmove(t->written + (target - t->begin), s->written + (source - s->begin), bytes);
  else
    t->set_written(target, bytes);
}

void Memory::set_written(const void* data, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(data);
  if (const Piece* piece = find(address)) piece->set_written(address, bytes);
}

}  // namespace ordo::ptx
