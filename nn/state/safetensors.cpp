#include <ordo/nn/state/safetensors.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/state/data_file.h>
#include <ordo/nn/state/whole_file.h>

namespace ordo {

namespace {

// In the order in which safetensors sorts: the widest elements come last here and first in the file.
constexpr std::pair<const char*, DType> kDTypes[] = {{"BOOL", boolean},  {"U8", uint8},  {"F16", float16},
                                                     {"BF16", bfloat16}, {"I32", int32}, {"F32", float32},
                                                     {"F64", float64},   {"I64", int64}};
constexpr uint64_t kMostHeader = 100'000'000;  // the format's bound

int rank_of(DType dtype) {
  for (int i = 0; i < int(std::size(kDTypes)); ++i)
    if (kDTypes[i].second == dtype) return i;
  return -1;
}

std::string quoted(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::exception&) {
    detail::fail<ValueError>("save_safetensors", "names and metadata must be UTF-8");
  }
}

/// An entry of the header. Sizes and offsets are as the file has them, not checked yet.
struct Entry {
  std::string name = {}, dtype = {};
  std::vector<uint64_t> shape = {}, offsets = {};
  bool has_dtype = false, has_shape = false, has_offsets = false;
};

/// Reads the header's JSON, which may have these and no other parts, each once:
/// {"__metadata__": {text: text}, NAME: {"dtype": text, "shape": [numbers], "data_offsets": [numbers]}}
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
  std::string problem;    ///< why it stopped
  size_t problem_at = 0;  ///< where, if it is no JSON

  bool start_object(size_t) override {
    if (depth_++ == 0) return true;
    if (depth_ == 2 && !in_array_) return true;
    return stop("an object where none can be");
  }
  bool end_object() override {
    if (--depth_ != 1 || in_metadata_) return in_metadata_ = false, true;
    const Entry& e = entries.back();
    if (e.has_dtype && e.has_shape && e.has_offsets) return true;
    return stop("it needs dtype, shape and data_offsets");
  }
  bool key(std::string& text) override {
    key_ = text;
    if (depth_ == 1) {
      in_metadata_ = text == "__metadata__";
      where_ = text;
      if (!names_.insert(text).second) return stop("it is there twice");
      if (!in_metadata_) entries.push_back({.name = text});
      return true;
    }
    if (in_metadata_) return metadata.emplace(text, "").second || stop(fmt::format("'{}' is there twice", text));
    Entry& e = entries.back();
    bool* const seen = text == "dtype"          ? &e.has_dtype
                       : text == "shape"        ? &e.has_shape
                       : text == "data_offsets" ? &e.has_offsets
                                                : nullptr;
    if (!seen) return stop(fmt::format("an unknown part '{}'", text));
    if (*seen) return stop(fmt::format("'{}' is there twice", text));
    return *seen = true;
  }
  bool string(std::string& text) override {
    if (depth_ == 2 && !in_array_ && in_metadata_) return metadata[key_] = text, true;
    if (depth_ == 2 && !in_array_ && key_ == "dtype") return entries.back().dtype = text, true;
    return stop("a text where none can be");
  }
  bool start_array(size_t) override {
    if (depth_ != 2 || in_array_ || in_metadata_ || key_ == "dtype") return stop("a list where none can be");
    return in_array_ = true;
  }
  bool end_array() override { return in_array_ = false, true; }
  bool number_unsigned(number_unsigned_t number) override {
    if (!in_array_) return stop("a number where none can be");
    (key_ == "shape" ? entries.back().shape : entries.back().offsets).push_back(number);
    return true;
  }
  bool number_integer(number_integer_t) override { return stop("a negative number"); }
  bool number_float(number_float_t, const std::string& text) override {
    return stop(fmt::format("{} is not a whole number", text));
  }
  bool null() override { return stop("null where it cannot be"); }
  bool boolean(bool) override { return stop("true or false where they cannot be"); }
  bool binary(binary_t&) override { return stop("binary data"); }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    problem = "the header is no valid JSON here";
    problem_at = position;
    return false;
  }

 private:
  bool stop(const std::string& reason) {
    problem = where_.empty() ? "the header: " + reason : fmt::format("entry '{}' of the header: {}", where_, reason);
    return false;
  }
  int depth_ = 0;
  bool in_array_ = false, in_metadata_ = false;
  std::string key_, where_;
  std::set<std::string> names_;
};

}  // namespace

void save_safetensors(const std::string& path, const nn::NamedTensorList& tensors,
                      const std::map<std::string, std::string>& metadata) {
  const ordo::detail::LibraryCall library;
  const char* op = "save_safetensors";
  NoGrad guard;
  nn::NamedTensorList sorted = tensors;
  for (const auto& [name, tensor] : sorted) {
    detail::expect_defined(op, tensor, name.c_str());
    ORDO_CHECK(name != "__metadata__", ValueError, op, "no tensor can have the name '__metadata__'");
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const int x = rank_of(a.tensor.dtype()), y = rank_of(b.tensor.dtype());
    return x != y ? x > y : a.name < b.name;
  });
  std::set<std::string> names;
  std::string header = "{", between;
  if (!metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [key, value] : metadata) header += between + quoted(key) + ":" + quoted(value), between = ",";
    header += "}";
  }
  uint64_t end = 0;
  for (const auto& [name, tensor] : sorted) {
    ORDO_CHECK(names.insert(name).second, ValueError, op, "'{}' is given twice", name);
    std::string shape;
    for (int64_t size : tensor.sizes()) shape += (shape.empty() ? "" : ",") + std::to_string(size);
    const uint64_t begin = end;
    end += tensor.nbytes();
    header += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}", between, quoted(name),
                          kDTypes[rank_of(tensor.dtype())].first, shape, begin, end);
    between = ",";
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');  // so that elements are aligned
  ORDO_CHECK(header.size() <= kMostHeader, ValueError, op, "names and metadata need {} bytes; the format allows {}",
             header.size(), kMostHeader);
  nn::WholeFile file(path);
  const uint64_t length = header.size();
  std::array<uint8_t, 8> bytes;
  for (int i = 0; i < 8; ++i) bytes[size_t(i)] = uint8_t(length >> 8 * i);
  file.write(bytes.data(), bytes.size());
  file.write(header.data(), header.size());
  for (const auto& entry : sorted) {
    const Tensor host = entry.tensor.detach().to(cpu).contiguous();
    file.write(host.data(), host.nbytes());
  }
  file.commit();
}

namespace {

/// The text of the header, behind which the file stands then.
std::string read_header(nn::DataFile& file) {
  const uint64_t length = file.read_number(8, "the header's length");
  if (uint32_t(length) == 0x04034b50)  // "PK", 3, 4
    file.fail(0, "this is a zip archive, as torch.save() writes, and not in the format safetensors");
  if (length > kMostHeader) file.fail(0, "the header's length is {}; the format allows {}", length, kMostHeader);
  if (length > file.most_left())
    file.fail(0, "the header's length is {}, but {} bytes follow", length, file.most_left());
  std::string text(size_t(length), ' ');
  file.read(text.data(), length, "the header");
  if (text.empty() || text[0] != '{') file.fail(8, "the header must begin with '{{'");
  if (const size_t at = text.find('\0'); at != std::string::npos)  // which would end the JSON
    file.fail(8 + at, "the header is no valid JSON here");
  return text;
}

struct Extent {
  std::string name;
  DType dtype;
  Dims sizes;
  uint64_t begin, end;
};

/// Tensors in the order in which they lie in the file. All entries are checked against each other and the file before
/// memory is taken for the first.
std::vector<Extent> places_of(const std::vector<Entry>& entries, const nn::DataFile& file) {
  std::vector<Extent> places;
  for (const Entry& e : entries) {
    const auto bad = [&](const std::string& reason) { file.fail(8, "entry '{}' of the header: {}", e.name, reason); };
    const auto* dtype =
        std::find_if(std::begin(kDTypes), std::end(kDTypes), [&](auto& d) { return d.first == e.dtype; });
    if (dtype == std::end(kDTypes)) bad(fmt::format("Ordo has no dtype '{}'", e.dtype));
    if (e.offsets.size() != 2 || e.offsets[0] > e.offsets[1]) bad("data_offsets must be [begin, end]");
    const Dims sizes = nn::checked_sizes(e.shape, size_of(dtype->second), e.offsets[1] - e.offsets[0], bad);
    places.push_back({e.name, dtype->second, sizes, e.offsets[0], e.offsets[1]});
  }
  std::stable_sort(places.begin(), places.end(), [](const Extent& a, const Extent& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t at = 0;
  for (const Extent& p : places) {
    if (p.begin != at)
      file.fail(8, "entry '{}' of the header: its data begin at {}, but those before end at {}", p.name, p.begin, at);
    at = p.end;
  }
  if (at != file.most_left())
    file.fail(file.offset(), "the header promises {} bytes, but {} follow", at, file.most_left());
  return places;
}

}  // namespace

Safetensors load_safetensors(const std::string& path) {
  const ordo::detail::LibraryCall library;
  nn::DataFile file(path, "load_safetensors", nn::Packing::none);
  const std::string text = read_header(file);
  HeaderReader header;
  if (!nlohmann::json::sax_parse(text, &header))
    file.fail(8 + (header.problem_at ? header.problem_at - 1 : 0), "{}", header.problem);
  Safetensors result{{}, std::move(header.metadata)};
  for (const Extent& p : places_of(header.entries, file)) {
    const std::string wrong_bool = fmt::format("'{}' is BOOL, but this byte is neither 0 nor 1", p.name);
    result.tensors.push_back({p.name, file.read_tensor(p.dtype, p.sizes, p.name.c_str(), wrong_bool)});
  }
  return result;
}

}  // namespace ordo
