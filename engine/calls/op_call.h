// The door that every public operation passes. A function that computes, forward or backward, differentiable or not,
// opens an OpCall under its name and gives it its arguments and results:
//
//   Tensor square(const Tensor& t) {
//     const OpCall call("square", t);
//     return record(call, kernels::square(t), {t}, ...);     // or, where nothing is recorded: call.done(result)
//   }
//
// Errors name the outermost call of a thread. Whoever wants to know what runs (a trace, an audit, a profile)
// subscribes; without a subscriber a call costs a load.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/calls/op_scope.h>
#include <ordo/engine/calls/operation_name.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// An argument that is not a tensor. An optional without a value is a monostate.
using OpAttribute = std::variant<std::monostate, bool, int64_t, double, std::string, Dims>;

/// A call of an operation, as listeners see it.
struct OpEvent {
  enum class Phase : unsigned char {
    forward,  ///< a public function
    backward  ///< a recorded operation's backward function: gradients of its results in, of its inputs out
  };
  enum class Role : unsigned char {
    operation,
    batch,  ///< a loader delivers one
    step    ///< an optimiser changes parameters: the outputs, all of its own
  };
  std::string_view name;        ///< the public function's: "index_add", in place "index_add_"
  const OpInfo* row = nullptr;  ///< the operation's row in the registry; null for what has none ("backward")
  Phase phase = Phase::forward;
  Role role = Role::operation;
  uint64_t number = 0;                  ///< of the call, in the order in which the process began its calls
  int depth = 0;                        ///< how many calls of this thread are open around it; 0: called by the program
  TensorList inputs;                    ///< all tensors among the arguments, in their order, masks and indices included
  std::vector<OpAttribute> attributes;  ///< the other arguments, in their order
  std::string order;                    ///< of all arguments: t, the next tensor; a, the next attribute; [tt], a list
  TensorList outputs;                   ///< empty until the call ends; in place: the changed tensor
  Determinism level{};                  ///< in force
  Algorithm algorithm{};                ///< that computed; automatic where the call did not come to choose one
  Device device = cpu;                  ///< of the first output, else of the first input
  std::string_view node;                ///< in a backward pass: the recorded operation whose gradient is computed
  uint64_t node_sequence = 0;           ///< and its number; 0 outside
  std::string scope;                    ///< path of the module that runs; in a backward pass of the one that recorded
  bool failed = false;                  ///< left by an exception; outputs are those given before it
};

/// Numbers that are taken from a stream.
struct RandomDraw {
  GeneratorState from;  ///< before
  uint64_t blocks = 0;  ///< of four 32-bit numbers
  std::string_view op;  ///< the innermost operation that is open; "" outside of all
  std::string_view scope;
};

/// Until it is destroyed, `end` is called for every operation of every thread, on the thread of the call, after it has
/// computed; `begin`, where given, before, when inputs still hold their old contents. Calls that are open when it is
/// made are not reported; those that are open when it is destroyed report their end. The operations that a listener
/// itself calls are not reported. An exception that `begin` throws leaves the operation, which has done nothing then.
/// `end` and `draw`, which hears of random numbers, must not throw: what they throw all the same is written to stderr.
/// Throws: ValueError when `end` is empty.
class OpListener {
 public:
  using Function = std::function<void(const OpEvent&)>;
  using DrawFunction = std::function<void(const RandomDraw&)>;
  explicit OpListener(Function end, Function begin = {}, DrawFunction draw = {});
  ~OpListener();
  OpListener(const OpListener&) = delete;
  OpListener& operator=(const OpListener&) = delete;
  struct Entry;

 private:
  std::shared_ptr<Entry> entry_;
};

/// Where a backward pass is on this thread: the node whose backward function runs. Empty outside.
struct RunningNode {
  const char* name = nullptr;
  uint64_t sequence = 0;
};

namespace detail {
RunningNode exchange_running_node(RunningNode next);  ///< makes `next` this thread's; returns the one before
RunningNode running_node();
void report_draw(const GeneratorState& from, uint64_t blocks);

/// Collects arguments. A function is called, so that what takes time to collect is collected for listeners only. A type
/// of a caller's own takes part by a function `void report(OpArguments&, const T&)` beside it.
struct OpArguments {
  OpEvent& event;
  void add(const Tensor& t) { event.inputs.push_back(t), event.order += 't'; }
  void add(const TensorList& list) {
    event.order += '[';
    for (const Tensor& t : list) add(t);
    event.order += ']';
  }
  // Not inline: the programs that include this would compile the variant's functions.
  void attribute(std::monostate);
  void attribute(bool a);
  void attribute(int64_t a);
  void attribute(double a);
  void attribute(std::string a);
  void attribute(const Dims& a);
  void add(const Scalar& s);
  void add(const TensorOptions& options);
  void add(const Dims& dims) { attribute(dims); }
  template <class N>
  requires(std::is_arithmetic_v<N>) void add(const std::vector<N>& numbers) {
    event.order += '[';
    for (const N n : numbers) add(n);
    event.order += ']';
  }
  void add(std::string_view text) { attribute(std::string(text)); }
  template <int N>
  void add(const Size<N>& size) {
    attribute(Dims(size.begin(), N));
  }
  void add(const char* text) { add(std::string_view(text)); }
  void add(OpEvent::Role role) { event.role = role; }
  void add(DType t) { add(name(t)); }
  void add(Device d) { attribute(d.str()), event.device = d; }
  void add(Algorithm a) { event.algorithm = a, add(name(a)); }
  template <class T>
  void add(const std::optional<T>& value) {
    if (value)
      add(*value);
    else
      attribute(std::monostate());
  }
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_same_v<T, bool>)
      attribute(value);
    else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      attribute(int64_t(value));
    else if constexpr (std::is_floating_point_v<T>)
      attribute(double(value));
    else if constexpr (std::is_invocable_v<const T&>)
      add(value());
    else
      report(*this, value);
  }
};
}  // namespace detail

class OpCall {
 public:
  /// `name` must outlive the call. The arguments are read now, when somebody listens, else never. Throws: what a
  /// listener's `begin` throws.
  template <class... Args>
  explicit OpCall(const char* name, const Args&... args) : name_(name), named_(name) {
    if (detail::op_listened()) [[unlikely]]
      if (open(OpEvent::Phase::forward)) {
        detail::OpArguments arguments{event()};
        (arguments.add(args), ...);
        begin();
      }
  }
  /// Of a node's backward function.
  struct Backward {};
  OpCall(Backward, const char* name, std::span<const Tensor> grads)
      : name_(name), named_(detail::OperationName::Always{}, name) {
    if (detail::op_listened()) [[unlikely]]
      if (open(OpEvent::Phase::backward)) {
        event().inputs.assign(grads.begin(), grads.end());
        begin();
      }
  }
  ~OpCall() {
    if (frame_) [[unlikely]]
      end();
  }
  OpCall(const OpCall&) = delete;
  OpCall& operator=(const OpCall&) = delete;

  const char* name() const { return name_; }

  /// Reports a result, and returns it.
  Tensor done(Tensor result) const {
    if (frame_) [[unlikely]]
      event().outputs.push_back(result);
    return result;
  }
  TensorList done(TensorList results) const {
    if (frame_) [[unlikely]]
      event().outputs.insert(event().outputs.end(), results.begin(), results.end());
    return results;
  }

  /// Tells which algorithm this thread's innermost call came to choose. For kernels.
  static void chose(Algorithm algorithm) {
    if (detail::op_listened()) [[unlikely]]
      set_algorithm(algorithm);
  }
  /// Of this thread's innermost call; "" outside of all, and while nobody listens.
  static std::string_view innermost_name();

 private:
  struct Frame;
  struct Close {  // without telling anybody: where a call ends before it began
    void operator()(Frame* frame) const noexcept;
  };
  bool open(OpEvent::Phase phase);
  void begin();
  void end() noexcept;
  OpEvent& event() const;
  static void set_algorithm(Algorithm algorithm);

  const char* name_;
  detail::OperationName named_;
  std::unique_ptr<Frame, Close> frame_;
};

}  // namespace ordo
