#include <ordo/nn/state/checkpoint.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/files.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/state/entries.h>
#include <ordo/nn/state/safetensors.h>

namespace ordo {

namespace fs = std::filesystem;

constexpr std::string_view kStep = "step-", kExtension = ".safetensors";
constexpr const char *kBest = "best.safetensors", *kMetric = "metric", *kLock = ".lock";

/// A file rather than the folder is locked: on network file systems only files can be.
static std::shared_ptr<const void> locked(const std::string& folder) {
  const std::string path = (fs::path(folder) / kLock).string();
  if (::access(folder.c_str(), W_OK) != 0) return nullptr;  // nothing can be saved
  const int file = detail::open_to_write("CheckpointFolder", path, O_RDWR | O_CREAT, path);
  std::shared_ptr<const void> lock(nullptr, [file](const void*) { ::close(file); });
  ORDO_CHECK(detail::lock_file(file), DataError, "CheckpointFolder",
             "{}: another run has this folder; wait for its end, or choose another folder", folder);
  return lock;
}

/// Where there is no memory for a name, the iterators of std::filesystem end the program.
static std::vector<std::string> names_in(const std::string& folder) {
  const auto expect = [&](bool good) {
    ORDO_CHECK(good, DataError, "CheckpointFolder", "{}: {}", folder, std::strerror(errno));
  };
  struct Close {
    void operator()(DIR* directory) const { ::closedir(directory); }
  };
  const std::unique_ptr<DIR, Close> directory(::opendir(folder.c_str()));
  expect(directory != nullptr);
  std::vector<std::string> names;
  errno = 0;  // which tells the end from an error
  while (const dirent* const entry = ::readdir(directory.get())) {
    names.emplace_back(entry->d_name);
    errno = 0;
  }
  expect(errno == 0);
  return names;
}

// -- Checkpoint -------------------------------------------------------------------------------------------------------

void Checkpoint::add_part(const std::string& name, std::function<nn::NamedTensorList()> state,
                          std::function<nn::Commit(const nn::NamedTensorList&)> prepare) {
  ORDO_CHECK(!name.empty() && name.find('.') == std::string::npos, ValueError, "Checkpoint",
             "a part needs a name without dots, not '{}'", name);
  for (const Entry& part : parts_)
    ORDO_CHECK(part.name != name, ValueError, "Checkpoint", "the name '{}' is taken", name);
  parts_.push_back({name, std::move(state), std::move(prepare)});
}

void Checkpoint::add(const std::string& name, Generator generator) {
  const ordo::detail::LibraryCall library;
  add_part(
      name, [generator] { return nn::NamedTensorList{nn::state_of("state", generator.state())}; },
      [generator](const nn::NamedTensorList& state) -> nn::Commit {
        nn::Entries given("Generator", state);
        const GeneratorState loaded = given.take<GeneratorState>("state");
        given.finish();
        return [own = generator, loaded]() mutable { own.set_state(loaded); };
      });
}

template <class N>
void Checkpoint::add_number(const std::string& name, N& number) {
  const ordo::detail::LibraryCall library;
  add_part(
      name, [&number] { return nn::NamedTensorList{nn::state_of("value", number)}; },
      [&number](const nn::NamedTensorList& state) -> nn::Commit {
        nn::Entries given("number", state);
        const N loaded = given.take<N>("value");
        given.finish();
        return [&number, loaded] { number = loaded; };
      });
}
void Checkpoint::add(const std::string& name, int64_t& number) { add_number(name, number); }
void Checkpoint::add(const std::string& name, double& number) { add_number(name, number); }

void Checkpoint::add(const std::string& name, Tensor values) {
  const ordo::detail::LibraryCall library;
  detail::expect_defined("Checkpoint", values, name.c_str());
  add_part(
      name,
      [values] {
        return nn::NamedTensorList{{"value", values}};
      },
      [values](const nn::NamedTensorList& state) -> nn::Commit {
        nn::Entries given("Tensor", state);
        const Tensor loaded = given.take("value", values.sizes());
        given.finish();
        return [own = values, loaded]() mutable {
          NoGrad guard;
          own.copy_(loaded);
        };
      });
}

nn::NamedTensorList Checkpoint::state_dict() const {
  const ordo::detail::LibraryCall library;
  nn::NamedTensorList all;
  for (const Entry& part : parts_)
    for (auto& entry : nn::with_prefix(part.name + ".", part.state())) all.push_back(std::move(entry));
  return all;
}

void Checkpoint::save(const std::string& path) const { save_safetensors(path, state_dict()); }

void Checkpoint::load(const std::string& path) { load_parts(path, parts_, true); }

void Checkpoint::load(const std::string& path, const std::vector<std::string>& parts) {
  const ordo::detail::LibraryCall library;
  std::vector<Entry> chosen;
  for (const std::string& name : parts) {
    const auto found = std::find_if(parts_.begin(), parts_.end(), [&](const Entry& p) { return p.name == name; });
    ORDO_CHECK(found != parts_.end(), ValueError, "Checkpoint", "there is no part '{}'", name);
    chosen.push_back(*found);
  }
  load_parts(path, chosen, false);
}

void Checkpoint::load_parts(const std::string& path, const std::vector<Entry>& parts, bool all) {
  const ordo::detail::LibraryCall library;
  const nn::NamedTensorList state = load_safetensors(path).tensors;
  if (all)
    for (const auto& entry : state) {
      const std::string name = entry.name.substr(0, entry.name.find('.'));
      ORDO_CHECK(std::any_of(parts.begin(), parts.end(), [&](const Entry& p) { return p.name == name; }), DataError,
                 "Checkpoint", "{}: '{}' belongs to no part; load those you want by name", path, entry.name);
    }
  std::vector<nn::Commit> commits;
  for (const Entry& part : parts) {
    const nn::NamedTensorList own = nn::within_prefix(part.name + ".", state);
    try {
      commits.push_back(part.prepare(own));
    } catch (const OutOfMemoryError&) {
      throw;
    } catch (const Error& error) {
      detail::fail<DataError>("Checkpoint", "{}: part '{}': {}", path, part.name, error.what());
    }
  }
  for (const nn::Commit& commit : commits) commit();
}

// -- CheckpointFolder -------------------------------------------------------------------------------------------------

CheckpointFolder::CheckpointFolder(const std::string& path, CheckpointFolderOptions options)
    : path_(path), options_(options) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(options.keep >= 0, ValueError, "CheckpointFolder", "needs keep of at least 0, not {}", options.keep);
  try {
    fs::create_directories(path);
    lock_ = locked(path);
    for (const std::string& name : names_in(path))
      if (name.ends_with(fmt::format("{}.part", kExtension))) fs::remove(fs::path(path) / name);
  } catch (const fs::filesystem_error& error) {
    detail::fail<DataError>("CheckpointFolder", "{}: {}", path, error.code().message());
  }
  if (!best()) return;
  const auto metadata = load_safetensors(*best()).metadata;
  const auto metric = metadata.find(kMetric);
  ORDO_CHECK(metric != metadata.end(), DataError, "CheckpointFolder", "{}: it does not say its metric", *best());
  best_ = std::strtod(metric->second.c_str(), nullptr);
}

std::vector<std::string> CheckpointFolder::steps() const {
  std::vector<std::string> names;
  for (const std::string& name : names_in(path_)) {
    if (!name.starts_with(kStep) || !name.ends_with(kExtension)) continue;
    const std::string digits = name.substr(kStep.size(), name.size() - kStep.size() - kExtension.size());
    if (!digits.empty() && std::all_of(digits.begin(), digits.end(), [](unsigned char c) { return std::isdigit(c); }))
      names.push_back(name);
  }
  // Numbers of more digits are larger.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

std::string CheckpointFolder::save(const Checkpoint& checkpoint, int64_t step) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(step >= 0, ValueError, "CheckpointFolder", "needs a step of at least 0, not {}", step);
  const std::string path = (fs::path(path_) / fmt::format("{}{:012}{}", kStep, step, kExtension)).string();
  checkpoint.save(path);
  auto names = steps();
  const auto saved = std::find(names.begin(), names.end(), fs::path(path).filename());
  ORDO_CHECK(saved != names.end(), DataError, "CheckpointFolder",
             "{}: it was saved, and is gone; does another program remove files here?", path);
  names.erase(saved + 1, names.end());  // later ones, of a run that was set back
  std::error_code error;                // a file that cannot be removed harms nobody
  for (size_t i = 0; options_.keep > 0 && i + size_t(options_.keep) < names.size(); ++i)
    fs::remove(fs::path(path_) / names[i], error);
  return path;
}

bool CheckpointFolder::save_best(const Checkpoint& checkpoint, double metric) {
  const ordo::detail::LibraryCall library;
  if (std::isnan(metric)) return false;
  if (best_ && !(options_.larger_is_better ? metric > *best_ : metric < *best_)) return false;
  save_safetensors((fs::path(path_) / kBest).string(), checkpoint.state_dict(), {{kMetric, fmt::format("{}", metric)}});
  best_ = metric;
  return true;
}

std::optional<std::string> CheckpointFolder::latest() const {
  const ordo::detail::LibraryCall library;
  const auto names = steps();
  return names.empty() ? std::nullopt : std::optional((fs::path(path_) / names.back()).string());
}

std::optional<std::string> CheckpointFolder::best() const {
  const ordo::detail::LibraryCall library;
  const fs::path path = fs::path(path_) / kBest;
  std::error_code error;
  return fs::exists(path, error) ? std::optional(path.string()) : std::nullopt;
}

bool CheckpointFolder::load_latest(Checkpoint& checkpoint) const {
  const ordo::detail::LibraryCall library;
  const auto path = latest();
  if (path) checkpoint.load(*path);
  return path.has_value();
}

}  // namespace ordo
