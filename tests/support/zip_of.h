// Zip archives of a test's own.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ordo::test {

inline std::string little(uint64_t value, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += char(uint8_t(value >> 8 * i));
  return bytes;
}

/// An archive of members that are not packed.
inline std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string all, directory;
  for (const auto& [name, bytes] : members) {
    const uint64_t crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
    const std::string description = little(20, 2) + little(0, 2) + little(0, 2) + little(0x210000, 4) + little(crc, 4) +
                                    little(bytes.size(), 4) + little(bytes.size(), 4) + little(name.size(), 2) +
                                    little(0, 2);
    directory += "PK\1\2" + little(20, 2) + description + std::string(10, '\0') + little(all.size(), 4) + name;
    all += "PK\3\4" + description + name + bytes;
  }
  return all + directory + "PK\5\6" + little(0, 4) + little(members.size(), 2) + little(members.size(), 2) +
         little(directory.size(), 4) + little(all.size(), 4) + little(0, 2);
}

}  // namespace ordo::test
