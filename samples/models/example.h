// What `train` can train: models, data drawn for them, their losses, and how well they do. One file each.
#pragma once

#include <ordo/ordo.h>

#include <memory>
#include <string>
#include <vector>

namespace examples {

using namespace ordo;

constexpr uint64_t kTrainSeed = 1, kTestSeed = 2;

class Example {
 public:
  virtual ~Example() = default;
  virtual nn::ModuleBase& model() = 0;
  /// `rows` items, as tensors whose rows belong together, in CPU memory. Equal seeds give equal items. An example whose
  /// items are parts of a file gives other parts for kTestSeed.
  virtual TensorList draw(int64_t rows, uint64_t seed) const = 0;
  virtual Tensor loss(const TensorList& batch) = 0;
  /// From 0 to 1, the more the better: the mean of what each item of the batch gets.
  virtual double score(const TensorList& batch) = 0;
  /// Writes a folder that transformers reads, of a model that came from one.
  virtual void save(const std::string& /*folder*/) {}
};

/// How large an example is (tests take small ones), and what it reads.
struct Scale {
  double width = 1;         ///< channels and states are multiplied by it
  std::string text = {};    ///< a file, for an example that reads one; empty: its own
  std::string folder = {};  ///< of a model that transformers wrote
  int64_t lora = 0;         ///< the rank of the parts that train; 0: all does
  int64_t of(int64_t channels) const { return std::max<int64_t>(2, int64_t(double(channels) * width)); }
};

struct Entry {
  const char* name;
  const char* about;
  const char* score;    ///< what score() counts
  int64_t rows, batch;  ///< of the training set, and of a step
  double lr;
  std::unique_ptr<Example> (*make)(Scale scale);
};

/// All of them; the file of each defines its entry.
const std::vector<Entry>& entries();
/// For the models of folders.
extern const Entry kFineTuning;

/// The part of a bool or number tensor's elements that is true or not 0.
inline double part_of(const Tensor& right) { return right.to(float64).mean().item(); }

}  // namespace examples
