// What a run needs to go on, in files.
//
//   int64_t step = 0;
//   Checkpoint run;
//   run.add("model", model);
//   run.add("optimizer", optimizer);
//   run.add("loader", loader);
//   run.add("generator", default_generator());
//   run.add("step", step);
//   CheckpointFolder folder("runs/digits", {.keep = 3});
//   folder.load_latest(run);                     // false when there is none yet
//   for (...; ++step) {
//     ...
//     if (step % 100 == 0) folder.save(run, step);
//   }
//
// docs/training.md says what a run must save so that it continues with the same bits.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/generator.h>
#include <ordo/nn/named_tensor.h>

namespace ordo {

/// What can be a part of a checkpoint: modules, optimisers, loaders, averages, and classes of your own. prepare checks
/// everything and changes nothing until its result is called, which must not fail.
template <class T>
concept HasState = requires(T& part, const T& constant, const nn::NamedTensorList& state) {
  { constant.state_dict() } -> std::convertible_to<nn::NamedTensorList>;
  { part.prepare_state_dict(state) } -> std::convertible_to<nn::Commit>;
};

/// Everything that a run needs to go on, in one safetensors file. Parts are referred to, not copied, and must outlive
/// the checkpoint.
///
/// Throws: add(), ValueError when a name is empty, taken or contains a dot.
class Checkpoint {
 public:
  template <HasState T>
  void add(const std::string& name, T& part) {
    const detail::LibraryCall call;
    add_part(
        name, [&part] { return part.state_dict(); },
        [&part](const nn::NamedTensorList& state) { return part.prepare_state_dict(state); });
  }
  void add(const std::string& name, Generator generator);  ///< handles share their stream
  void add(const std::string& name, int64_t& number);
  void add(const std::string& name, double& number);
  void add(const std::string& name, Tensor values);  ///< loaded into the tensor's memory

  /// The entries of all parts, as "PART.ENTRY".
  nn::NamedTensorList state_dict() const;
  /// As save_safetensors does: equal states are equal files, and the file is there whole or not at all.
  ///
  /// Throws: as save_safetensors.
  void save(const std::string& path) const;
  /// Loads all parts, or none.
  ///
  /// Throws: DataError naming the file and the part that does not fit, or that is missing or unexpected; nothing has
  /// changed then.
  void load(const std::string& path);
  /// Loads these parts only, in the same way.
  ///
  /// Throws: also ValueError when there is no such part.
  void load(const std::string& path, const std::vector<std::string>& parts);

 private:
  struct Entry {
    std::string name;
    std::function<nn::NamedTensorList()> state;
    std::function<nn::Commit(const nn::NamedTensorList&)> prepare;
  };
  void add_part(const std::string& name, std::function<nn::NamedTensorList()> state,
                std::function<nn::Commit(const nn::NamedTensorList&)> prepare);
  template <class N>
  void add_number(const std::string& name, N& number);
  void load_parts(const std::string& path, const std::vector<Entry>& parts, bool all);
  std::vector<Entry> parts_;
};

struct CheckpointFolderOptions {
  int64_t keep = 3;  ///< so many of the latest stay; 0: all
  bool larger_is_better = false;
};

/// A run's checkpoints: the latest ones, as step-000000001200.safetensors, and the best one, as best.safetensors. A run
/// that is killed at any moment leaves whole files only. One run at a time has a folder, as long as the object or a
/// copy of it lives: its file .lock is locked. Whoever only reads calls Checkpoint::load().
///
/// Throws: DataError when the folder cannot be created or read, or when another run has it; ValueError when keep is
/// negative.
class CheckpointFolder {
 public:
  /// Creates the folder, and removes what an interrupted save left.
  explicit CheckpointFolder(const std::string& path, CheckpointFolderOptions options = {});

  /// Saves, then removes those that are too old. Returns the file's path.
  ///
  /// Throws: ValueError when step is negative; DataError, and all earlier ones stay, when the disk is full or fails, or
  /// when the new file goes at once.
  std::string save(const Checkpoint& checkpoint, int64_t step);
  /// Saves as the best if `metric` is better than that of the best so far, also of an earlier run; never if it is NaN.
  bool save_best(const Checkpoint& checkpoint, double metric);
  std::optional<std::string> latest() const;  ///< the path of the highest step's file
  std::optional<std::string> best() const;
  /// False when there is none.
  ///
  /// Throws: as Checkpoint::load().
  bool load_latest(Checkpoint& checkpoint) const;

 private:
  std::vector<std::string> steps() const;  // names, the earliest first
  std::string path_;
  CheckpointFolderOptions options_;
  std::shared_ptr<const void> lock_;
  std::optional<double> best_;
};

}  // namespace ordo
