#include "tests/bits/bits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/bits/refusals.h"
#include "tests/bits/rows.h"
#include "tests/support/registry_test_base.h"

namespace ordo::test {
namespace {

constexpr const char* kFile = ORDO_BITS_FILE;
constexpr const char* kUsage =
    R"(usage: ordo bits [--device cpu|cuda] [--few] [--file FILE] [OPERATION...]
       ordo bits --write [--file FILE] [OPERATION...]

Computes the samples of all operations, or of those named, and compares the bits with tests/bits/bits.txt: at
run_to_run and device_to_device, on the CPU and on the GPU where there is one.
--few computes two dtypes of each sample, and no large sizes.
--write stores the bits of the CPU instead, in tests/bits/refusals.txt what the operations refuse, and in
tests/bits/rows.txt which dimensions hold rows.
Exit status: 1 when some differ, 2 for bad arguments.
)";

// -- one operation ----------------------------------------------------------------------------------------------------

/// FNV-1a, folded to 32 bits.
class Hash {
 public:
  void add(const void* data, size_t bytes) {
    const auto* at = static_cast<const uint8_t*>(data);
    for (size_t i = 0; i < bytes; ++i) value_ = (value_ ^ at[i]) * 0x100000001b3u;
    any_ = true;
  }
  void add(const Tensor& t) {
    const std::string shape = fmt::format("{} {}", name(t.dtype()), t.sizes().str());
    const Bytes bytes = result_bytes(t);
    add(shape.data(), shape.size());
    add(bytes.data(), bytes.size());
  }
  /// Eight digits; none where nothing was added.
  std::string str() const { return any_ ? fmt::format("{:08x}", uint32_t(value_ ^ value_ >> 32)) : ""; }

 private:
  uint64_t value_ = 0xcbf29ce484222325u;
  bool any_ = false;
};

struct Case {
  Sample sample;
  std::vector<DType> dtypes;
};

void number_equal(std::vector<Sample>& samples) {
  std::map<std::string, int> uses;
  for (Sample& s : samples)
    if (const int use = ++uses[s.label]; use > 1) s.label += fmt::format(" #{}", use);
}

std::vector<Sample> samples_of_size(const OpInfo& op, int64_t n) {
  const auto sizes = op_sizes().find(std::string(op.name));
  std::vector<Sample> samples;
  if (sizes != op_sizes().end()) samples = sizes->second(n);
  for (Sample& s : samples) s.label = fmt::format("{} n = {}", s.label, n);
  number_equal(samples);
  return samples;
}

std::vector<Case> cases_of(const OpInfo& op, Cases which) {
  std::vector<Case> cases;
  for (Sample& s : labelled_samples(op)) cases.push_back({s, dtypes_of(op, s)});
  if (which == Cases::few)
    for (Case& c : cases)
      if (c.dtypes.size() > 2) c.dtypes = {c.dtypes.front(), c.dtypes.back()};
  if (which == Cases::all)
    for (const int64_t n : {int64_t(257), int64_t(4097)})
      for (const Sample& s : samples_of_size(op, n)) {
        std::vector<DType> dtypes = dtypes_of(op, s);
        if (n > 257 && dtypes.size() > 1) dtypes.resize(1);
        cases.push_back({s, std::move(dtypes)});
      }
  return cases;
}

bool may_use_a_library(const OpInfo& op) {
  return std::any_of(op.algorithms.begin(), op.algorithms.end(),
                     [](const AlgorithmLevel& a) { return a.algorithm == Algorithm::library; });
}

/// Empty where it refuses them.
std::string hash_of_call(const OpInfo& op, const Sample& sample, const TensorList& inputs) {
  try {
    const TensorList all = result_and_gradients(op, sample, inputs, Gradients::second);
    Hash result, gradients;
    result.add(all[0]);
    for (size_t i = 1; i < all.size(); ++i) gradients.add(all[i]);
    return result.str() + gradients.str();
  } catch (const DTypeError&) {
  } catch (const ValueError&) {
  }
  return {};
}

// -- the file ---------------------------------------------------------------------------------------------------------

struct File {
  int contract = 0;
  std::map<std::string, Bits> ops;
};

/// A line is `add "label": float32 HASH, float64 HASH`; labels hold no quotation marks.
File read(const std::string& path) {
  File file;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t open = line.find('"'), close = line.find("\": ");
    if (line.starts_with("# Ordering contract ")) file.contract = std::atoi(line.c_str() + 20);
    if (line.starts_with('#') || open == std::string::npos || close == std::string::npos) continue;
    auto& hashes = file.ops[line.substr(0, open - 1)];
    std::istringstream words(line.substr(close + 3));
    for (std::string dtype, hash; words >> dtype >> hash;) {
      if (hash.ends_with(',')) hash.pop_back();
      hashes[line.substr(open, close + 1 - open) + " " + dtype] = hash;
    }
  }
  return file;
}

const File& the_file() {
  static const File file = read(kFile);
  return file;
}

Bits of_file(const File& file, const OpInfo& op) {
  const auto at = file.ops.find(std::string(op.name));
  return at == file.ops.end() ? Bits{} : at->second;
}

void write(const std::string& path, const File& file) {
  std::ofstream out(path, std::ios::trunc);
  out << "# The bits of all operations (tests/bits/bits.h). Made by `./run ordo bits --write`.\n";
  out << "# Ordering contract " << file.contract << "\n";
  for (const auto& [op, hashes] : file.ops) {
    std::string label;
    for (const auto& [key, hash] : hashes) {
      const size_t dtype = key.rfind(' ');
      const bool same = key.substr(0, dtype) == label;
      label = key.substr(0, dtype);
      out << (same ? ", " : (&hash == &hashes.begin()->second ? "" : "\n") + op + " " + label + ": ")
          << key.substr(dtype + 1) << " " << hash;
    }
    if (!hashes.empty()) out << "\n";
  }
  out.close();
  if (!out) throw DataError(fmt::format("[bits] {}: cannot be written", path));
}

// -- the command ------------------------------------------------------------------------------------------------------

struct Arguments {
  std::vector<Device> devices;
  bool write = false;
  Cases cases = Cases::all;
  std::string file = kFile;
  std::vector<const OpInfo*> ops;
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments a;
  for (size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (i + 1 == words.size()) throw ValueError(words[i] + " needs a value");
      return words[++i];
    };
    if (words[i] == "--device")
      a.devices = {Device(value())};
    else if (words[i] == "--file")
      a.file = value();
    else if (words[i] == "--write")
      a.write = true;
    else if (words[i] == "--few")
      a.cases = Cases::few;
    else if (const OpInfo* op = find_op(words[i]))
      a.ops.push_back(op);
    else
      throw ValueError(fmt::format("'{}' is neither an option nor an operation (ordo ops lists those)", words[i]));
  }
  if (a.write && (!a.devices.empty() || a.cases != Cases::all))
    throw ValueError("--write takes the CPU, and all cases");
  if (a.devices.empty()) a.devices = test_devices();
  for (const Device device : a.devices)
    if (device.is_cuda() && !cuda::is_available()) throw ValueError("there is no CUDA device: " + why_no_cuda_device());
  if (a.ops.empty())
    for (const OpInfo& op : ops()) a.ops.push_back(&op);
  return a;
}

int write_bits(const Arguments& a) {
  File file = read(a.file);
  file.contract = ordering_contract();
  for (const OpInfo* op : a.ops)
    file.ops[std::string(op->name)] = bits_of(*op, cpu, Determinism::device_to_device, Cases::all);
  write(a.file, file);
  if (a.file == kFile) write_refusals(a.ops), write_rows(a.ops);
  fmt::print("{}: the bits of {} operations\n", a.file, a.ops.size());
  return 0;
}

int compare_bits(const Arguments& a) {
  const File file = read(a.file);
  if (file.ops.empty()) throw ValueError(a.file + ": no such file, or no bits in it; --write makes one");
  if (file.contract != ordering_contract())
    throw ValueError(
        fmt::format("{} is of ordering contract {}, and this is {}", a.file, file.contract, ordering_contract()));
  bool differ = false;
  for (const DeviceDescription& device : devices()) {
    if (std::find(a.devices.begin(), a.devices.end(), device.device) == a.devices.end()) continue;
    fmt::print("{} ({})\n  {:<18}{:>8}{:>9}{:>9}  of {} operations\n", device.device.str(), device.name, "", "agree",
               "differ", "not run", a.ops.size());
    for (const Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
      int agree = 0;
      std::vector<std::string> wrong, by_library, not_here;
      for (const OpInfo* op : a.ops) {
        const std::string op_name(op->name);
        if (device.device.is_cuda() && !op->cuda) {
          not_here.push_back(op_name);
          continue;
        }
        const Bits got = bits_of(*op, device.device, level, a.cases);
        const auto found = differences(got, of_file(file, *op), a.cases);
        if (!found.empty())
          wrong.push_back(fmt::format("    {} {}{}", op->name, found[0],
                                      found.size() > 1 ? fmt::format(", and {} more", found.size() - 1) : ""));
        else if (std::all_of(got.begin(), got.end(), [](const auto& entry) { return entry.second.empty(); }))
          by_library.push_back(op_name);
        else
          ++agree;
      }
      fmt::print("  {:<18}{:>8}{:>9}{:>9}\n", name(level), agree, wrong.size(), by_library.size() + not_here.size());
      for (const std::string& text : wrong) fmt::print("{}\n", text);
      if (!by_library.empty())
        fmt::print("    not compared, as a library may choose their order: {}\n", fmt::join(by_library, ", "));
      if (!not_here.empty()) fmt::print("    not on this device: {}\n", fmt::join(not_here, ", "));
      differ |= !wrong.empty();
    }
  }
  fmt::print("{}\n", differ ? "Some bits differ from the file's." : "All bits are the file's.");
  return differ ? 1 : 0;
}

}  // namespace

Bits bits_of(const OpInfo& op, Device device, Determinism level, Cases cases) {
  const DeterminismGuard guard(level);
  // Neither the CPU nor the emulator has libraries that add.
  const bool has_libraries = device.is_cuda() && cuda::build() == "cuda" && level != Determinism::device_to_device;
  bool library = false;
  const OpListener listener([&](const OpEvent& e) { library |= has_libraries && e.row && may_use_a_library(*e.row); });
  Bits bits;
  for (const Case& c : cases_of(op, cases))
    for (const DType dtype : c.dtypes) {
      library = false;
      const std::string hash = hash_of_call(op, c.sample, convert(c.sample.inputs, dtype, device));
      if (!hash.empty()) bits[fmt::format("\"{}\" {}", c.sample.label, name(dtype))] = library ? "" : hash;
    }
  return bits;
}

std::vector<Sample> labelled_samples(const OpInfo& op) {
  const auto at = op_samples().find(std::string(op.name));
  std::vector<Sample> samples;
  if (at != op_samples().end()) samples = at->second();
  number_equal(samples);
  return samples;
}

Bits bits_written(const OpInfo& op) { return of_file(the_file(), op); }

std::vector<std::string> differences(const Bits& got, const Bits& want, Cases cases) {
  std::vector<std::string> texts;
  for (const auto& [key, hash] : got) {
    const auto at = want.find(key);
    if (at == want.end())
      texts.push_back(key + ": not in the file");
    else if (!hash.empty() && hash != at->second)
      texts.push_back(key + (hash.substr(0, 8) != at->second.substr(0, 8) ? ": the result" : ": the gradients"));
  }
  if (cases == Cases::all)
    for (const auto& [key, hash] : want)
      if (!got.contains(key)) texts.push_back(key + ": only in the file");
  return texts;
}

int bits_command(const std::vector<std::string>& arguments) {
  if (std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) return std::fputs(kUsage, stdout), 0;
  try {
    const Arguments a = parse(arguments);
    return a.write ? write_bits(a) : compare_bits(a);
  } catch (const RuntimeError& error) {
    fmt::print(stderr, "ordo bits: {}\n", error.what());
    return 2;
  }
}

}  // namespace ordo::test
