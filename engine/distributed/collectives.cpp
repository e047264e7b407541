#include <ordo/engine/distributed/collectives.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include <ordo/engine/run/determinism.h>
#include <ordo/engine/run/graph.h>
#include <ordo/engine/tensor/dtype.h>

namespace ordo::distributed {
namespace {

constexpr size_t kLargeBroadcast = size_t(1) << 16;  // bytes from which the members pass on a part each

CallHeader header_of(const char* op) {
  CallHeader header;
  std::strncpy(header.op, op, sizeof header.op - 1);
  return header;
}

}  // namespace

std::string CallHeader::str() const {
  std::string text = fmt::format("{} number {}", op, number);
  if (element >= 0) text += fmt::format(" of {}", name(DType(element)));
  if (dims >= 0) {
    std::string all;
    for (int d = 0; d < dims; ++d) all += fmt::format("{}{}", d ? ", " : "", sizes[d]);
    text += fmt::format(" [{}]", all);
  }
  if (reduce >= 0) text += fmt::format(", {}", name(ReduceOp(reduce)));
  if (root >= 0) text += fmt::format(", from rank {}", root);
  if (level >= 0) text += fmt::format(", at {}", name(Determinism(level)));
  if (library) text += ", by the library";
  return text;
}

bool meet(GroupState& group, CallHeader header) {
  ordo::detail::expect_no_capture("a call of several processes");
  header.number = ++group.calls;
  const int size = group.size(), rank = group.rank;
  double patience = 0;  // of several that wait, whoever waits for the one that is missing is in the earliest round
  for (int distance = 1; distance < size; distance *= 2, patience += 0.5) {
    const int from = (rank + size - distance) % size;
    CallHeader other;
    Messages messages(group, header.op);
    messages.receive(&other, sizeof other, from, Messages::header);
    messages.send(&header, sizeof header, (rank + distance) % size, Messages::header);
    messages.wait(patience);
    header.on_device = other.on_device = header.on_device && other.on_device;
    if (std::memcmp(&other, &header, sizeof other) != 0)
      group.world.fail(fmt::format("the ranks do not call the same: rank {} is at {}; rank {} is at {}",
                                   group.ranks[size_t(rank)], header.str(), group.ranks[size_t(from)], other.str()));
  }
  return header.on_device != 0;
}

DeviceTransport* meet(GroupState& group, CallHeader header, Device device) {
  header.on_device = offers_device(group, device);
  if (!meet(group, header)) return nullptr;
  connect_devices(group, device);
  return group.devices.transport.get();
}

void all_gather(GroupState& group, const char* op, void* all, const std::vector<size_t>& sizes) {
  Messages messages(group, op);
  std::vector<size_t> begin(sizes.size(), 0);
  std::partial_sum(sizes.begin(), sizes.end() - 1, begin.begin() + 1);
  char* const bytes = static_cast<char*>(all);
  for (int i = 1; i < group.size(); ++i) {
    const int from = (group.rank + group.size() - i) % group.size();
    messages.receive(bytes + begin[size_t(from)], sizes[size_t(from)], from);
  }
  const size_t own = size_t(group.rank);
  for (int i = 1; i < group.size(); ++i) messages.send(bytes + begin[own], sizes[own], (group.rank + i) % group.size());
  messages.wait();
}

void broadcast(GroupState& group, const char* op, void* data, size_t bytes, int root) {
  const int size = group.size(), rank = (group.rank + size - root) % size;  // counted from the root
  const auto member = [&](int r) { return (r + root) % size; };
  if (bytes < kLargeBroadcast || size == 2) {
    int distance = 1;
    while (distance < size && !(rank & distance)) distance *= 2;
    if (rank != 0) {
      Messages messages(group, op);
      messages.receive(data, bytes, member(rank - distance));
      messages.wait();
    }
    Messages messages(group, op);
    while ((distance /= 2) > 0)
      if (rank + distance < size) messages.send(data, bytes, member(rank + distance));
    messages.wait();
    return;
  }
  // The root gives each member a part, and all give their parts to all.
  const size_t part = (bytes + size_t(size) - 1) / size_t(size);
  std::vector<size_t> sizes, begin;
  for (size_t i = 0; i < size_t(size); ++i) {
    begin.push_back(std::min(bytes, i * part));
    sizes.push_back(std::min(bytes, (i + 1) * part) - begin.back());
  }
  char* const at = static_cast<char*>(data);
  Messages messages(group, op);
  if (rank == 0) {
    for (int i = 0; i < size; ++i)
      if (i != group.rank) messages.send(at + begin[size_t(i)], sizes[size_t(i)], i);
  } else {
    messages.receive(at + begin[size_t(group.rank)], sizes[size_t(group.rank)], root);
  }
  messages.wait();
  all_gather(group, op, data, sizes);
}

void all_to_all(GroupState& group, const char* op, const void* data, void* result, size_t bytes) {
  const char* const from = static_cast<const char*>(data);
  char* const to = static_cast<char*>(result);
  Messages messages(group, op);
  for (int i = 1; i < group.size(); ++i) {
    const int member = (group.rank + group.size() - i) % group.size();
    messages.receive(to + size_t(member) * bytes, bytes, member);
  }
  for (int i = 1; i < group.size(); ++i) {
    const int member = (group.rank + i) % group.size();
    messages.send(from + size_t(member) * bytes, bytes, member);
  }
  std::memcpy(to + size_t(group.rank) * bytes, from + size_t(group.rank) * bytes, bytes);
  messages.wait();
}

std::vector<std::string> gather_text(GroupState& group, const char* op, const std::string& mine) {
  std::vector<std::string> texts(size_t(group.size()));
  texts[size_t(group.rank)] = mine;
  if (group.size() == 1) return texts;
  group.run([&] {
    meet(group, header_of(op));
    std::vector<uint64_t> lengths(texts.size());
    lengths[size_t(group.rank)] = mine.size();
    all_gather(group, op, lengths.data(), std::vector<size_t>(texts.size(), sizeof(uint64_t)));
    std::string all(std::accumulate(lengths.begin(), lengths.end(), size_t(0)), '\0');
    size_t at = std::accumulate(lengths.begin(), lengths.begin() + group.rank, size_t(0));
    std::copy(mine.begin(), mine.end(), all.begin() + ptrdiff_t(at));
    all_gather(group, op, all.data(), {lengths.begin(), lengths.end()});
    at = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      texts[i] = all.substr(at, lengths[i]);
      at += lengths[i];
    }
  });
  return texts;
}

std::string broadcast_text(GroupState& group, const char* op, std::string text, int root) {
  if (group.size() == 1) return text;
  group.run([&] {
    meet(group, header_of(op));
    uint64_t length = text.size();
    broadcast(group, op, &length, sizeof length, root);
    text.resize(length);
    broadcast(group, op, text.data(), text.size(), root);
  });
  return text;
}

void expect_same(GroupState& group, const char* op, const std::string& lines) {
  const std::vector<std::string> all = gather_text(group, op, lines);
  for (size_t i = 1; i < all.size(); ++i) {
    const std::string &first = all[0], &other = all[i];
    if (first == other) continue;
    const auto line_at = [](const std::string& text, size_t begin) {
      return begin < text.size() ? text.substr(begin, text.find('\n', begin) - begin) : "";
    };
    size_t begin = 0;
    while (begin < std::min(first.size(), other.size()) && line_at(first, begin) == line_at(other, begin))
      begin += line_at(first, begin).size() + 1;
    group.world.fail(fmt::format("the processes do not fit together: rank {} has '{}', but rank {} has '{}'",
                                 group.ranks[0], line_at(first, begin), group.ranks[i], line_at(other, begin)));
  }
}

bool any_member(GroupState& group, const char* op, bool mine) {
  for (const std::string& text : gather_text(group, op, mine ? "1" : "0"))
    if (text == "1") return true;
  return false;
}

}  // namespace ordo::distributed
