// Files that libFuzzer (https://llvm.org/docs/LibFuzzer.html) makes up, for the parsers of our own, and for what we
// make of libpng, libjpeg and libzip: `./run fuzz files`. The first byte of an input names the format; the rest is the
// file. A parser must read it, or throw a DataError that names the file, the place and the reason. What is read must
// come back from a file that is written of it. ORDO_FUZZ_FORMAT=NAME leaves inputs of other formats out;
// `ordo_fuzz_files --formats` prints the names.
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include <ordo/engine/calls/error.h>
#include <ordo/nn/audit/diff.h>
#include <ordo/nn/audit/trace.h>
#include <ordo/nn/checksum.h>
#include <ordo/nn/data/csv.h>
#include <ordo/nn/data/image_file.h>
#include <ordo/nn/data/image_sets.h>
#include <ordo/nn/models/tokenizer.h>
#include <ordo/nn/state/npy.h>
#include <ordo/nn/state/safetensors.h>
#include <ordo/nn/state/torch_file.h>
#include "tests/support/zip_of.h"

namespace ordo::test {
namespace {

namespace fs = std::filesystem;

void expect(bool holds, const std::string& message) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

/// In memory where the system has a file system for that; removed at the end.
struct Folder {
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  fs::path path = (fs::exists("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path()) /
                  ("ordo_fuzz_files." + std::to_string(getpid()));
};

std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What `write` makes of a value that was read is read to a value of which `write` makes the same bytes.
void expect_round_trip(const std::string& path, const std::function<void(const std::string& from)>& rewrite) {
  rewrite(path);
  const std::string once = bytes_of_file(path);
  rewrite(path);
  expect(once == bytes_of_file(path), "what was read is not what is read again");
}

struct Format {
  const char* name;
  std::string file;  ///< its name in the folder
  std::function<void(const std::string& path)> read;
  std::string unit = "byte ";                           ///< of the places that its errors name; empty: they need none
  std::function<std::string(std::string)> change = {};  ///< of the bytes that libFuzzer made up
};

/// Few pixels, so that the memory that a header may ask for is less than what the fuzzer allows.
void read_image(const std::string& path) { sha256_hex({data::read_image(path, {.max_pixels = 1 << 16})}); }

/// Texts, too, which a file may have no tokens for.
void read_tokenizer(const std::string& path) {
  const models::Tokenizer tokenizer(path);
  for (const char* text :
       {"the sum's order", " na\u00efve  \u65e5\u672c 12 don't\n", "<s>\u2581[CLS]\U0001f600", "a\xff"})
    try {
      tokenizer.decode(tokenizer.encode(text));
      tokenizer.encode_with_special_tokens(text, text);
    } catch (const ValueError&) {
    }
}

/// A PNG file whose chunks have the checksums of their bytes, which libFuzzer would not find.
std::string with_checksums(std::string bytes) {
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; ++i) value = value << 8 | uint8_t(bytes[at + i]);
    return value;
  };
  for (size_t at = 8; at + 12 <= bytes.size();) {
    const size_t length = number(at), end = at + 8 + length;
    if (length > bytes.size() || end + 4 > bytes.size()) break;
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()) + at + 4, length + 4);
    for (size_t i = 0; i < 4; ++i) bytes[end + i] = char(crc >> (24 - 8 * i));
    at = end + 4;
  }
  return bytes;
}

/// A trace (nn/audit/trace.h) whose records have the checksums of their bytes.
std::string with_record_checksums(std::string bytes) {
  const auto byte = [&](size_t at) { return size_t(uint8_t(bytes[at])); };
  for (size_t at = 12; at + 8 < bytes.size();) {
    const size_t body = at + 8, length = byte(at) | byte(at + 1) << 8 | byte(at + 2) << 16 | byte(at + 3) << 24;
    if (length > bytes.size() - body) break;
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()) + body, length);
    for (size_t i = 0; i < 4; ++i) bytes[at + 4 + i] = char(crc >> (8 * i));
    at = body + length;
  }
  return bytes;
}

const std::map<char, Format>& formats() {
  static const std::map<char, Format> all = {
      {'s',
       {"safetensors", "a.safetensors",
        [](const std::string& path) {
          expect_round_trip(path, [](const std::string& p) {
            const Safetensors loaded = load_safetensors(p);
            save_safetensors(p, loaded.tensors, loaded.metadata);
          });
        }}},
      {'n',
       {"npy", "a.npy",
        [](const std::string& path) {
          expect_round_trip(path, [](const std::string& p) { save_npy(p, load_npy(p)); });
        }}},
      {'z',
       {"npz", "a.npz",
        [](const std::string& path) {
          expect_round_trip(path, [](const std::string& p) { save_npz(p, load_npz(p)); });
        },
        ""}},
      {'m',
       {"torch", "a.pt", [](const std::string& path) { load_torch(path); }, "",
        [](const std::string& pickle) {
          return zip_of({{"a/data.pkl", pickle}, {"a/data/0", std::string(96, '\1')}});
        }}},
      {'p', {"image", "a.image", read_image, ""}},
      {'q', {"png", "a.png", read_image, "", with_checksums}},
      {'i', {"idx", "a.idx", [](const std::string& path) { sha256_hex({data::read_idx(path)}); }}},
      {'c',
       {"cifar10", "test_batch.bin",
        [](const std::string& path) {
          const data::ImageDataset set = data::cifar10(fs::path(path).parent_path().string(), false);
          sha256_hex({set.images, set.labels});
        }}},
      {'v',
       {"csv", "a.csv",
        [](const std::string& path) {
          for (const data::CsvType type : {data::CsvType::real, data::CsvType::integer, data::CsvType::text})
            for (const auto& column : data::read_csv(path, {.types = {{"a", type}}}).columns)
              sha256_hex({column.values});
        },
        "line "}},
      {'k', {"tokenizer", "tokenizer.json", read_tokenizer, ""}},
      {'t',
       {"trace", "a.trace",
        [](const std::string& path) {
          const audit::Trace trace = audit::read(path);
          expect(audit::diff(path, path).equal, "a trace differs from itself");
          expect(audit::diff(trace, trace).equal, "a trace in memory differs from itself");
        },
        "at byte ", with_record_checksums}},
  };
  return all;
}

}  // namespace
}  // namespace ordo::test

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc < 2 || std::string((*argv)[1]) != "--formats") return 0;
  for (const auto& [letter, format] : ordo::test::formats()) std::puts(format.name);
  std::exit(0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace ordo::test;
  if (size == 0) return -1;
  const auto format = formats().find(char(bytes[0]));
  static const char* const wanted = std::getenv("ORDO_FUZZ_FORMAT");
  if (format == formats().end() || (wanted && format->second.name != std::string(wanted)))
    return -1;  // not worth keeping
  static const Folder folder;
  const std::string path = (folder.path / format->second.file).string();
  std::string contents(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  if (format->second.change) contents = format->second.change(contents);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << contents;
  try {
    format->second.read(path);
  } catch (const ordo::ValueError&) {
    if (format->first != 'v') throw;  // read_csv's, where no column has the name "a"
  } catch (const ordo::DataError& error) {
    const std::string text = error.what();
    // "tokenizer.json, model: ..."
    const bool in_part =
        format->first == 'k' && text.substr(std::min(text.size(), text.find(path))).starts_with(path + ", ");
    const std::string place = path + (in_part ? ", " : ": ") + format->second.unit;
    const size_t at = text.find(place);
    const bool has_reason = format->second.unit.empty() ? text.size() > at + place.size()
                                                        : text.find(": ", at + place.size()) != std::string::npos;
    expect(at != std::string::npos && has_reason, "an error without file, place or reason: " + text);
  }
  return 0;
}
