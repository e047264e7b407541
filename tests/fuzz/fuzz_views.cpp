#include <algorithm>
#include <functional>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <ordo/autograd/tape.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/ordo.h>
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/numbers.h"

namespace ordo::test {
namespace {

/// A tensor of the program, and where its numbers are in the reference.
struct Value {
  Tensor tensor;
  std::vector<int> cells;  // in row-major order
  int history;
  Tensor base;             // whose memory it is: itself, unless it is a view
  bool untracked = false;  // a view made under NoGrad
};

class Program {
 public:
  explicit Program(uint64_t seed) : draw_(seed) {}
  // A graph that saved a tensor which was then changed in place, and recorded so, holds itself (docs/architecture.md).
  ~Program() {
    for (Value& v : values_) {
      v.tensor.impl()->autograd.reset();
      v.tensor.impl()->base.reset();
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  FuzzResult run() {
    try {
      const int64_t leaves = draw_.in(1, 3), steps = draw_.in(3, 14);
      for (int64_t i = 0; i < leaves; ++i) make_leaf(i == 0 || draw_.chance(50));
      for (int64_t i = 0; i < steps && failure_.empty(); ++i) step();
      if (failure_.empty()) compare_values();
      bool complete = true;
      if (failure_.empty()) complete = compare_gradients();
      if (failure_.empty()) return {"", complete};
    } catch (const std::exception& e) {
      failure_ = fmt::format("an error that nobody expected: {}", e.what());
    }
    return {failure_ + "\n" + text_};
  }

 private:
  // -- values -------------------------------------------------------------------------------------------------------

  void say(const std::string& line) { text_ += "  " + line + "\n"; }
  std::string name(const Value& v) const { return fmt::format("t{}", &v - values_.data()); }
  Value& any() { return values_[size_t(draw_.in(0, int64_t(values_.size()) - 1))]; }
  Value any_copy() { return any(); }
  std::vector<Number> numbers(const Value& v) const {
    std::vector<Number> out;
    for (int cell : v.cells) out.push_back(cells_.read(cell, v.history));
    return out;
  }
  /// Integers without 0, so that a division by them is no surprise.
  double small() {
    const double v = double(draw_.in(1, 3));
    return draw_.chance(50) ? v : -v;
  }

  void make_leaf(bool requires_grad) {
    Dims sizes;
    for (int64_t d = draw_.in(0, 3); d > 0; --d) sizes.push_back(draw_.in(1, 3));
    std::vector<double> v(size_t(sizes.product()));
    for (double& x : v) x = small();
    add_fresh(from_vector(v, sizes, {.dtype = float64, .requires_grad = requires_grad}), [&](size_t i) {
      return Number{v[i], requires_grad ? cells_.graph.leaf() : Number::kConstant};
    });
    if (requires_grad) leaves_.push_back(values_.size() - 1);
    std::string list;
    for (double x : v) list += fmt::format("{} ", x);
    say(fmt::format("t{} = leaf({}, [{}], requires_grad = {})", values_.size() - 1, sizes.str(), list, requires_grad));
  }

  /// A result with memory of its own.
  template <class F>
  void add_fresh(Tensor t, const F& number) {
    Value v{t, {}, cells_.new_history(), t};
    for (size_t i = 0; i < size_t(t.numel()); ++i) {
      const Number n = number(i);
      v.cells.push_back(cells_.new_cell(n.value));
      cells_.write(v.cells.back(), v.history, n);
    }
    values_.push_back(std::move(v));
  }

  // -- steps --------------------------------------------------------------------------------------------------------

  void step() {
    const int64_t kind = draw_.in(1, 100);
    if (kind <= 40)
      view();
    else if (kind <= 75)
      change();
    else
      compute();
  }

  /// Elements of the result of a view of a tensor whose element i holds the number i.
  static std::vector<int64_t> positions(const Value& v, const std::function<Tensor(const Tensor&)>& f) {
    NoGrad guard;
    std::vector<int64_t> all(v.cells.size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = int64_t(i);
    return f(from_vector(all, v.tensor.sizes())).to_vector<int64_t>();
  }

  struct View {
    std::string what;
    std::function<Tensor(const Tensor&)> of;  ///< empty: detach()
  };

  /// Nothing where the view that is drawn does not fit the tensor.
  std::optional<View> drawn_view(const Value& v) {
    const int n = v.tensor.dim();
    const int64_t d = n ? draw_.in(0, n - 1) : 0, size = n ? v.tensor.size(d) : 1;
    switch (draw_.in(0, 9)) {
      case 0:
      case 1: {
        if (n == 0) return {};
        const int64_t start = draw_.in(0, size - 1), end = draw_.in(start + 1, size), step = draw_.in(1, 2);
        return View{fmt::format("slice({}, {}, {}, {})", d, start, end, step),
                    [=](const Tensor& t) { return t.slice(d, start, end, step); }};
      }
      case 2: {
        if (n == 0) return {};
        const int64_t at = draw_.in(0, size - 1);
        return View{fmt::format("select({}, {})", d, at), [=](const Tensor& t) { return t.select(d, at); }};
      }
      case 3: {
        if (n < 2) return {};
        const int64_t e = draw_.in(0, n - 1);
        return View{fmt::format("transpose({}, {})", d, e), [=](const Tensor& t) { return t.transpose(d, e); }};
      }
      case 4:
        if (n > 3) return {};
        return View{fmt::format("unsqueeze({})", d), [=](const Tensor& t) { return t.unsqueeze(d); }};
      case 5:
        return View{"squeeze()", [](const Tensor& t) { return t.squeeze(); }};
      case 6: {
        if (n > 3 || v.cells.size() > 30) return {};
        Dims sizes = v.tensor.sizes();
        for (int i = 0; i < n; ++i)
          if (sizes[i] == 1) sizes[i] = draw_.in(1, 3);
        if (draw_.chance(50)) sizes.insert(0, draw_.in(1, 2));
        return View{fmt::format("expand({})", sizes.str()), [=](const Tensor& t) { return t.expand(sizes); }};
      }
      case 7:
        return View{"reshape(-1)", [](const Tensor& t) { return t.reshape({-1}); }};
      case 8: {
        if (n == 0 || size < 2) return {};
        const int64_t start = draw_.in(0, size - 2);
        return View{fmt::format("narrow({}, {}, 2)", d, start), [=](const Tensor& t) { return t.narrow(d, start, 2); }};
      }
      default:
        return View{"detach()", {}};
    }
  }

  void view() {
    const Value v = any_copy();
    const std::optional<View> drawn = drawn_view(v);
    if (!drawn) return;
    const auto& [what, f] = *drawn;
    if (!f) {
      say(fmt::format("t{} = {}.{}", values_.size(), name_of(v), what));
      Tensor t = v.tensor.detach();
      values_.push_back({t, v.cells, cells_.new_history(), t});
      return;
    }
    const bool tracked = !draw_.chance(8);
    say(fmt::format("t{} = {}.{}{}", values_.size(), name_of(v), what, tracked ? "" : " under NoGrad"));
    const auto at = positions(v, f);
    const GradMode mode(tracked);
    Tensor t = f(v.tensor);
    if (t.data() != v.tensor.data() && !shares_memory(t, v.tensor)) {  // reshape copied
      const auto from = numbers(v);
      return add_fresh(t, [&](size_t i) {
        Number x = from[size_t(at[i])];
        if (!tracked) x.node = Number::kConstant;
        return x;
      });
    }
    Value out{t, {}, v.history, v.base, v.untracked || !tracked};
    for (int64_t i : at) out.cells.push_back(v.cells[size_t(i)]);
    if (!tracked) out.history = cells_.new_history();
    values_.push_back(std::move(out));
  }

  std::string name_of(const Value& v) const {
    for (size_t i = 0; i < values_.size(); ++i)
      if (values_[i].tensor.is_same(v.tensor)) return fmt::format("t{}", i);
    return "?";
  }

  static bool shares_memory(const Tensor& a, const Tensor& b) { return a.impl()->storage == b.impl()->storage; }

  void compute() {
    const Value a = any_copy(), b = any_copy();
    const auto x = numbers(a);
    const auto made = [&](const std::string& what) { say(fmt::format("t{} = {}", values_.size(), what)); };
    switch (draw_.in(0, 4)) {
      case 0: {
        const double c = small();
        made(fmt::format("{} * {}", name_of(a), c));
        return add_fresh(a.tensor * c, [&](size_t i) { return linear({{x[i], c}}); });
      }
      case 1: {
        made(fmt::format("{}.sum()", name_of(a)));
        std::vector<std::pair<Number, double>> all;
        for (const Number& n : x) all.push_back({n, 1.0});
        return add_fresh(a.tensor.sum(), [&](size_t) { return linear(all); });
      }
      case 2: {
        made(fmt::format("{}.clone()", name_of(a)));
        return add_fresh(a.tensor.clone(), [&](size_t i) { return linear({{x[i], 1.0}}); });
      }
      default: {
        if (!expands_to(b.tensor.sizes(), a.tensor.sizes())) return;
        const auto y = expanded(b, a.tensor.sizes());
        if (draw_.chance(50)) {
          made(fmt::format("{} * {}", name_of(a), name_of(b)));
          return add_fresh(a.tensor * b.tensor, [&](size_t i) { return product(x[i], y[i]); });
        }
        made(fmt::format("{} + {}", name_of(a), name_of(b)));
        return add_fresh(a.tensor + b.tensor, [&](size_t i) { return linear({{x[i], 1.0}, {y[i], 1.0}}); });
      }
    }
  }

  void change() {
    Value a = any_copy();
    const auto x = numbers(a);
    std::vector<Number> y;  // the other tensor's, where there is one
    Value b;
    const bool record = !draw_.chance(15);
    std::function<void()> run;
    std::function<Number(size_t)> becomes;
    std::string what;
    const double c = small();
    const int64_t kind = draw_.in(0, 9);
    if (kind >= 5) {
      b = any_copy();
      if (!expands_to(b.tensor.sizes(), a.tensor.sizes())) return;
      y = expanded(b, a.tensor.sizes());
    }
    Tensor& t = a.tensor;
    switch (kind) {
      case 0:
        what = fmt::format("mul_({})", c);
        run = [&] { t.mul_(c); };
        becomes = [&](size_t i) { return linear({{x[i], c}}); };
        break;
      case 1:
        what = fmt::format("add_({})", c);
        run = [&] { t.add_(c); };
        becomes = [&](size_t i) { return linear({{x[i], 1.0}}, c); };
        break;
      case 2:
        what = fmt::format("fill_({})", c);
        run = [&] { t.fill_(c); };
        becomes = [&](size_t) { return Number{c}; };
        break;
      case 3: {
        std::vector<bool> mask(x.size());
        for (size_t i = 0; i < mask.size(); ++i) mask[i] = draw_.chance(50);
        const Tensor m = from_vector(mask, t.sizes());
        what = fmt::format("masked_fill_({}, {})", m.str(), c);
        run = [&t, m, c] { t.masked_fill_(m, c); };
        becomes = [&x, mask, c](size_t i) { return mask[i] ? Number{c} : x[i]; };
        break;
      }
      case 4: {
        what = "div_(-1)";
        run = [&] { t.div_(-1); };
        becomes = [&](size_t i) { return linear({{x[i], -1.0}}); };
        break;
      }
      case 5:
        what = fmt::format("mul_({})", name_of(b));
        run = [&] { t.mul_(b.tensor); };
        becomes = [&](size_t i) { return product(x[i], y[i]); };
        break;
      case 6:
        what = fmt::format("sub_({}, 2)", name_of(b));
        run = [&] { t.sub_(b.tensor, 2); };
        becomes = [&](size_t i) { return linear({{x[i], 1.0}, {y[i], -2.0}}); };
        break;
      case 7: {
        if (t.dim() == 0 || t.sizes() != b.tensor.sizes()) return;
        std::vector<int64_t> index(size_t(t.size(0)));
        for (int64_t& i : index) i = draw_.in(0, t.size(0) - 1);
        const Tensor at = from_vector(index, {int64_t(index.size())});
        what = fmt::format("index_add_(0, {}, {})", at.str(), name_of(b));
        run = [&t, &b, at] { t.index_add_(0, at, b.tensor); };
        const size_t row = x.size() / index.size();
        becomes = [&x, &y, index, row, this](size_t i) {
          std::vector<std::pair<Number, double>> from{{x[i], 1.0}};
          for (size_t k = 0; k < index.size(); ++k)
            if (size_t(index[k]) == i / row) from.push_back({y[k * row + i % row], 1.0});
          return linear(from);
        };
        break;
      }
      case 8:
        what = fmt::format("add_({})", name_of(b));
        run = [&] { t.add_(b.tensor); };
        becomes = [&](size_t i) { return linear({{x[i], 1.0}, {y[i], 1.0}}); };
        break;
      default:
        what = fmt::format("copy_({})", name_of(b));
        run = [&] { t.copy_(b.tensor); };
        becomes = [&](size_t i) { return linear({{y[i], 1.0}}); };
    }
    say(fmt::format("{}.{}{}", name_of(a), what, record ? "" : " under NoGrad"));
    const bool other_requires = b.tensor.defined() && b.tensor.requires_grad();
    const bool refused = record && must_refuse(a, other_requires);
    const bool repeats = std::set<int>(a.cells.begin(), a.cells.end()).size() != a.cells.size();
    try {
      const GradMode mode(record);
      run();
    } catch (const AutogradError& e) {
      if (!refused) failure_ = fmt::format("refused for no reason: {}", e.what());
      say("    refused");
      return;
    } catch (const Error& e) {
      if (!repeats) failure_ = fmt::format("refused for no reason: {}", e.what());
      say("    refused");
      return;
    }
    if (refused) failure_ = "a change that must be refused was not";
    if (repeats) failure_ = "a change of a tensor whose elements share memory was not refused";
    std::vector<Number> now;
    for (size_t i = 0; i < x.size(); ++i) now.push_back(becomes(i));
    for (size_t i = 0; i < x.size(); ++i)
      if (record)
        cells_.write(a.cells[i], a.history, now[i]);
      else
        cells_.write(a.cells[i], now[i].value);
  }

  /// What autograd/tape.h says of in-place changes.
  static bool must_refuse(const Value& v, bool other_requires) {
    const bool base_requires = v.base.requires_grad();
    if (v.tensor.requires_grad() && v.tensor.is_leaf()) return true;
    if (v.tensor.is_same(v.base)) return false;
    bool shares = false;
    for (int d = 0; d < v.base.dim(); ++d) shares |= v.base.strides()[d] == 0 && v.base.size(d) > 1;
    return (base_requires && v.base.is_leaf()) || ((v.untracked || shares) && (base_requires || other_requires));
  }

  // -- numbers ------------------------------------------------------------------------------------------------------

  Number linear(const std::vector<std::pair<Number, double>>& from, double plus = 0) {
    return cells_.graph.linear(from, plus);
  }
  Number product(Number a, Number b) { return cells_.graph.product(a, b); }

  static bool expands_to(const Dims& from, const Dims& to) {
    if (from.size() > to.size()) return false;
    for (int i = 0; i < from.size(); ++i) {
      const int64_t n = from[from.size() - 1 - i];
      if (n != 1 && n != to[to.size() - 1 - i]) return false;
    }
    return true;
  }
  std::vector<Number> expanded(const Value& v, const Dims& sizes) const {
    const auto from = numbers(v);
    std::vector<Number> out;
    for (int64_t i : positions(v, [&](const Tensor& t) { return t.expand(sizes); })) out.push_back(from[size_t(i)]);
    return out;
  }

  // -- the comparison -----------------------------------------------------------------------------------------------

  void compare_values() {
    if (cells_.graph.large) return;
    for (size_t k = 0; k < values_.size(); ++k) {
      const auto got = values_[k].tensor.to_vector<double>();
      const auto want = numbers(values_[k]);
      for (size_t i = 0; i < got.size(); ++i)
        if (got[i] != want[i].value) {
          failure_ = fmt::format("t{}[{}] is {}, not {}", k, i, got[i], want[i].value);
          return;
        }
    }
  }

  /// Of the sum of some tensors, each times a number, and often of the gradients again. False where a backward pass
  /// rightly said that a saved tensor was changed.
  bool compare_gradients() {
    Seeds of;
    std::string what = "backward of 0";
    Tensor loss = zeros({}, {float64});
    for (size_t k = 0; k < values_.size(); ++k) {
      if (!draw_.chance(40)) continue;
      const double weight = small();
      loss = loss + values_[k].tensor.sum() * weight;
      what += fmt::format(" + {} t{}.sum()", weight, k);
      for (const Number& n : numbers(values_[k])) of.push_back({n.node, weight});
    }
    const bool twice = draw_.chance(50);
    say(what + (twice ? " with create_graph" : ""));
    const auto gradients = cells_.graph.gradients(of);
    TensorList leaves, got(leaves_.size());
    for (size_t k : leaves_) leaves.push_back(values_[k].tensor);
    if (!passes(loss, [&] {
          if (twice) return void(got = grad({loss}, leaves, {}, true, true));
          loss.backward();
          for (size_t i = 0; i < leaves.size(); ++i) got[i] = leaves[i].grad();
        }))
      return false;
    compare("gradient", got, gradients);
    return failure_.empty() && twice ? compare_second_gradients(leaves, got, gradients) : true;
  }

  bool compare_second_gradients(const TensorList& leaves, const TensorList& first,
                                const std::vector<Number>& first_numbers) {
    Seeds of;
    Tensor loss = zeros({}, {float64});
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!first[i].defined()) continue;
      const double weight = small();
      loss = loss + first[i].sum() * weight;
      say(fmt::format("second backward of {} times the gradient of t{}", weight, leaves_[i]));
      for (const Number& n : numbers(values_[leaves_[i]])) of.push_back({first_numbers[size_t(n.node)].node, weight});
    }
    const auto gradients = cells_.graph.gradients(of);
    TensorList got(leaves.size());
    if (!passes(loss, [&] { got = grad({loss}, leaves); })) return false;
    compare("second gradient", got, gradients);
    return true;
  }

  /// Runs a backward pass from what depends on a leaf. False where it said that a saved tensor was changed.
  bool passes(const Tensor& loss, const std::function<void()>& backward) {
    if (!loss.requires_grad()) return true;
    try {
      backward();
    } catch (const AutogradError& e) {
      if (std::string(e.what()).find("changed in place") == std::string::npos)
        failure_ = fmt::format("the backward pass failed: {}", e.what());
      return false;
    }
    return true;
  }

  /// Those of the leaves, undefined for 0, with their numbers.
  void compare(const char* what, const TensorList& got, const std::vector<Number>& want) {
    for (size_t k = 0; k < leaves_.size() && !cells_.graph.large; ++k) {
      const auto nodes = numbers(values_[leaves_[k]]);
      const auto values = got[k].defined() ? got[k].to_vector<double>() : std::vector<double>(nodes.size(), 0.0);
      for (size_t i = 0; i < nodes.size(); ++i) {
        const double wanted = want[size_t(nodes[i].node)].value;
        if (values[i] == wanted) continue;
        failure_ = fmt::format("the {} of t{}[{}] is {}, not {}", what, leaves_[k], i, values[i], wanted);
        return;
      }
    }
  }

  using Seeds = std::vector<std::pair<int, double>>;  // nodes, and what each counts
  Draw draw_;
  Cells cells_;
  std::vector<Value> values_;
  std::vector<size_t> leaves_;
  std::string text_, failure_;
};

}  // namespace

FuzzResult fuzz_views(uint64_t seed, Device) { return Program(seed).run(); }

}  // namespace ordo::test
