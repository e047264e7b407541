// Records how large the gradients of the demo's trainings are: the kind of values `gradients` of `ordo bench`.
//
//   ordo_record_gradients FILE          writes bench/gradients/gradients.json
//   ordo_record_gradients --check FILE  exit status 1 when the trainings no longer give what it says
#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>

#include <ordo/nn/state/data_file.h>
#include <ordo/nn/state/whole_file.h>
#include <ordo/ordo.h>
#include "tools/demo/training.h"

namespace {

using namespace ordo;

/// How many values have which exponent: value = +-2^exponent * [1, 2).
struct Tally {
  int64_t values = 0, zeros = 0, negative = 0;
  std::map<int, int64_t> exponents;

  void count(const Tensor& t) {
    for (float v : t.to(cpu).to_vector<float>()) {
      ++values;
      zeros += v == 0;
      negative += v < 0;
      if (v != 0) ++exponents[int(std::bit_cast<uint32_t>(v) >> 23 & 0xff) - 127];
    }
  }
  std::string json() const {
    std::string list;
    for (const auto& [exponent, n] : exponents)
      list += fmt::format("{}    \"{}\": {}", list.empty() ? "" : ",\n", exponent, n);
    return fmt::format(
        "{{\n  \"about\": \"The float32 gradients that backward functions were given in an epoch of 640 digits and of "
        "640 "
        "documents, the demo's trainings, by ordo_record_gradients: how many had which exponent, how many were zero or "
        "negative.\",\n  \"values\": {},\n  \"zeros\": {},\n  \"negative\": {},\n  \"exponents\": {{\n{}\n  }}\n}}\n",
        values, zeros, negative, list);
  }
};

Tally record() {
  const DeterminismGuard guard(Determinism::device_to_device);
  Tally tally;
  std::mutex mutex;
  const OpListener listener([&](const OpEvent& event) {
    if (event.phase != OpEvent::Phase::backward) return;
    const std::lock_guard lock(mutex);
    for (const Tensor& gradient : event.inputs)
      if (gradient.defined() && gradient.dtype() == float32) tally.count(gradient);
  });
  for (demo::Task task : {demo::digits_task(""), demo::text_task()}) {
    task.train = task.train.first(640);
    task.test = task.test.first(1);
    demo::train(task, {});
  }
  return tally;
}

}  // namespace

int main(int count, char** arguments) try {
  const bool check = count == 3 && std::string(arguments[1]) == "--check";
  if (count != 2 && !check) {
    fmt::print(stderr, "usage: ordo_record_gradients [--check] FILE\n");
    return 2;
  }
  const std::string name = arguments[count - 1], json = record().json();
  if (!check) {
    nn::WholeFile file(name);
    file.write(json);
    file.commit();
    return 0;
  }
  const std::string recorded = nn::read_whole_file(name, "record_gradients");
  if (recorded == json) return 0;
  fmt::print(stderr, "{} is not what the trainings give: call ordo_record_gradients {}\n", name, name);
  return 1;
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
