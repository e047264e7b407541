#include <ordo/nn/state/torch_file.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>

#ifdef ORDO_HAS_ZIP
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <set>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/shape/shapes.h>
#include <ordo/engine/tensor/printable.h>
#include <ordo/nn/state/archive.h>
#include <ordo/nn/state/pickle.h>
#endif

namespace ordo {

#ifdef ORDO_HAS_ZIP

namespace {

constexpr std::pair<const char*, DType> kStorages[] = {
    {"torch FloatStorage", float32},     {"torch DoubleStorage", float64}, {"torch HalfStorage", float16},
    {"torch BFloat16Storage", bfloat16}, {"torch LongStorage", int64},     {"torch IntStorage", int32},
    {"torch ByteStorage", uint8},        {"torch BoolStorage", boolean}};
constexpr const char* kOtherStorages[] = {
    "torch CharStorage",  "torch ShortStorage",  "torch ComplexFloatStorage", "torch ComplexDoubleStorage",
    "torch QInt8Storage", "torch QUInt8Storage", "torch QInt32Storage",       "torch.storage UntypedStorage"};
constexpr int64_t kMostElements = int64_t(1) << 40;  // of a tensor without elements, if its zeros were ones
constexpr size_t kLongestName = 4096;
constexpr int kDeepest = 64;
constexpr const char *kTensor = "torch._utils _rebuild_tensor_v2", *kParameter = "torch._utils _rebuild_parameter",
                     *kOrderedDict = "collections OrderedDict", *kSize = "torch Size", *kDevice = "torch device";

class TorchReader : private nn::Unpickler {
 public:
  explicit TorchReader(const std::string& path) : archive_(path, "load_torch") {
    for (const nn::Archive::Entry& entry : archive_.entries()) {
      if (entry.packed) archive_.fail(entry.name, "it is packed, which torch.save() does not do");
      entries_.emplace(entry.name, entry);
    }
    for (const auto& [name, entry] : entries_)
      if (name.ends_with("/data.pkl")) prefix_ = name.substr(0, name.size() - 8);
    if (prefix_.empty()) archive_.fail("it has no member data.pkl: torch.save() has not written it");
    if (entries_.contains(prefix_ + "constants.pkl"))
      archive_.fail("it is a program of torch.jit.save(); save its state_dict() with torch.save()");
    if (entries_.contains(prefix_ + "byteorder") && bytes_of(prefix_ + "byteorder") != "little")
      archive_.fail("its numbers are big-endian");
  }

  nn::NamedTensorList tensors() {
    const nn::Archive::Entry& entry = entries_.at(prefix_ + "data.pkl");
    pickle_ = std::make_unique<nn::ArchiveMember>(archive_, entry);
    std::string pickle(pickle_->most_left(), '\0');
    pickle_->read(pickle.data(), pickle.size(), "the pickle");
    pickle_->expect_end();
    collect(read(pickle), "", 0);
    return std::move(tensors_);
  }

 private:
  [[noreturn]] void fail_at(uint64_t offset, const std::string& reason) const override {
    pickle_->fail(offset, "{}", reason);
  }
  std::string bytes_of(const std::string& name) {
    nn::ArchiveMember member(archive_, entries_.at(name));
    std::string bytes(member.most_left(), '\0');
    member.read(bytes.data(), bytes.size(), "it");
    member.expect_end();
    return bytes;
  }

  static bool is_one_of(const auto& names, const std::string& name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  }
  static const DType* storage_dtype(const std::string& name) {
    const auto* found =
        std::find_if(std::begin(kStorages), std::end(kStorages), [&](auto& s) { return s.first == name; });
    return found == std::end(kStorages) ? nullptr : &found->second;
  }
  bool knows(const std::string& name) const override {
    return storage_dtype(name) || is_one_of(kOtherStorages, name) ||
           is_one_of(std::initializer_list<const char*>{kTensor, kParameter, kOrderedDict, kSize, kDevice}, name);
  }

  nn::PickleValue& call(const std::string& name, const nn::PickleValue& arguments) override {
    const auto& given = arguments.items;
    if (name == kOrderedDict && given.empty()) return made(Kind::dict);
    if (name == kSize && given.size() == 1 && given[0]->is(Kind::tuple)) return *given[0];
    if (name == kDevice) return made(Kind::none);
    if (name == kParameter && given.size() == 3 && given[0]->is(Kind::tensor)) return *given[0];
    if (name == kTensor && given.size() >= 4 && given[0]->is(Kind::storage)) return tensor_of(arguments);
    fail(fmt::format("a call of '{}' with other arguments than torch.save() writes", name));
  }

  /// ("storage", the dtype's name, the member's, a device, how many elements)
  nn::PickleValue& persistent(const nn::PickleValue& id) override {
    const auto& part = id.items;
    if (!id.is(Kind::tuple) || part.size() != 5 || !part[0]->is(Kind::text) || part[0]->text != "storage" ||
        !part[1]->is(Kind::name) || !part[2]->is(Kind::text) || !part[4]->is(Kind::integer))
      fail("a reference that is not to a storage");
    const std::string &name = part[1]->text, &key = part[2]->text;
    const DType* const dtype = storage_dtype(name);
    if (!dtype) fail(fmt::format("'{}': Ordo has no such dtype", name));
    if (const auto known = storages_.find(key); known != storages_.end()) {
      if (known->second->tensor.dtype() != *dtype || known->second->tensor.numel() != part[4]->integer)
        fail(fmt::format("storage '{}' is of two dtypes or sizes", printable(key)));
      return *known->second;
    }
    const auto entry = entries_.find(prefix_ + "data/" + key);
    if (entry == entries_.end()) fail(fmt::format("storage '{}' is not in the archive", printable(key)));
    const auto bad = [&](const std::string& reason) { archive_.fail(entry->first, reason); };
    const Dims sizes = nn::checked_sizes({uint64_t(part[4]->integer)}, size_of(*dtype), entry->second.size, bad);
    nn::ArchiveMember member(archive_, entry->second);
    nn::PickleValue& storage = made(Kind::storage);
    storage.tensor = member.read_tensor(*dtype, sizes, "the storage");
    member.expect_end();
    storages_.emplace(key, &storage);
    return storage;
  }

  Dims numbers(const nn::PickleValue& tuple) const {
    if (!tuple.is(Kind::tuple) || tuple.items.size() > size_t(kMaxDims))
      fail(fmt::format("sizes or strides that are no tuple of at most {} integers", kMaxDims));
    Dims all;
    for (const nn::PickleValue* item : tuple.items) {
      if (!item->is(Kind::integer) || item->integer < 0) fail("a size or stride that is no integer, or negative");
      all.push_back(item->integer);
    }
    return all;
  }

  /// (storage, offset, sizes, strides, ...)
  nn::PickleValue& tensor_of(const nn::PickleValue& arguments) {
    const auto& given = arguments.items;
    const Tensor& storage = given[0]->tensor;
    const int64_t held = storage.numel();
    const Dims sizes = numbers(*given[2]), strides = numbers(*given[3]);
    if (sizes.size() != strides.size()) fail("a tensor with more sizes than strides, or fewer");
    if (!given[1]->is(Kind::integer) || given[1]->integer < 0 || given[1]->integer > held)
      fail("a tensor that begins outside its storage");
    int64_t count = 1, last = given[1]->integer;
    const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
    for (int d = 0; d < sizes.size(); ++d) {
      const int64_t size = std::max<int64_t>(sizes[d], 1);
      if (count > (empty ? kMostElements : held) / size) fail("a tensor with more elements than its storage");
      count *= size;
      last = size > 1 && strides[d] > (held - last) / (size - 1) ? held : last + (size - 1) * strides[d];
    }
    if (!empty && last >= held) fail("a tensor that reaches beyond its storage");
    nn::PickleValue& value = made(Kind::tensor);
    value.tensor = empty ? zeros(sizes, storage.options()) : as_strided(storage, sizes, strides, given[1]->integer);
    return value;
  }

  /// Tensors by their names; returns whether there are some.
  bool collect(nn::PickleValue& value, const std::string& name, int depth) {
    if (value.is(Kind::tensor)) {
      if (name.size() > kLongestName) archive_.fail(fmt::format("a name of {} bytes", name.size()));
      if (!names_.insert(name).second) archive_.fail(fmt::format("two tensors have the name '{}'", printable(name)));
      tensors_.push_back({name, value.tensor});
      return true;
    }
    const bool dict = value.is(Kind::dict);
    if (!dict && !value.is(Kind::list) && !value.is(Kind::tuple)) return false;
    using Walk = nn::PickleValue::Walk;
    if (value.walk == Walk::after && !value.has_tensors) return false;
    if (value.walk != Walk::before || depth > kDeepest)
      archive_.fail(fmt::format("'{}': a container of tensors that is there twice, or too deep in others",
                                printable(name.substr(0, kLongestName))));
    value.walk = Walk::within;
    for (size_t i = 0; i < value.items.size(); i += dict ? 2 : 1) {
      const nn::PickleValue& key = *value.items[i];
      const bool named = !dict || key.is(Kind::text) || key.is(Kind::integer);
      const std::string own = !dict ? std::to_string(i) : key.is(Kind::text) ? key.text : std::to_string(key.integer);
      const bool has = collect(*value.items[i + (dict ? 1 : 0)], name.empty() ? own : name + "." + own, depth + 1);
      if (has && !named)
        archive_.fail(fmt::format("'{}': tensors under a key that is neither text nor integer", printable(name)));
      value.has_tensors = value.has_tensors || has;
    }
    value.walk = Walk::after;
    return value.has_tensors;
  }

  const nn::Archive archive_;
  std::map<std::string, nn::Archive::Entry> entries_;
  std::string prefix_;  // "archive/"
  std::unique_ptr<nn::ArchiveMember> pickle_;
  std::map<std::string, nn::PickleValue*> storages_;
  std::set<std::string> names_;
  nn::NamedTensorList tensors_;
};

}  // namespace

nn::NamedTensorList load_torch(const std::string& path) {
  const ordo::detail::LibraryCall library;
  NoGrad guard;
  return TorchReader(path).tensors();
}

#else

nn::NamedTensorList load_torch(const std::string& path) {
  const ordo::detail::LibraryCall library;
  detail::fail<DataError>(
      "load_torch",
      "{}: Ordo was configured without libzip, which reads the archive; install libzip-dev and configure again", path);
}

#endif

}  // namespace ordo
