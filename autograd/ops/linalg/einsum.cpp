#include <ordo/autograd/ops/linalg/einsum.h>

#include <algorithm>
#include <array>
#include <vector>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/kernels/matmul/matmul.h>

namespace ordo {

ORDO_REGISTER_PRODUCT("einsum");

namespace {

/// Letters by their code; the dimensions of "..." count from the last, -1, down; kDots stands for all of them.
using Labels = std::vector<int>;
constexpr int kDots = 0;

bool has(const Labels& labels, int label) { return std::find(labels.begin(), labels.end(), label) != labels.end(); }
int place(const Labels& labels, int label) {
  return int(std::find(labels.begin(), labels.end(), label) - labels.begin());
}

/// The labels of one operand or of the result.
Labels parse(std::string_view equation, std::string_view part) {
  Labels labels;
  for (size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (c == ' ') continue;
    if (part.substr(i).starts_with("...")) {
      ORDO_CHECK(!has(labels, kDots), ValueError, "einsum", "\"{}\" has \"...\" twice in one place", equation);
      labels.push_back(kDots);
      i += 2;
      continue;
    }
    ORDO_CHECK((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), ValueError, "einsum",
               "\"{}\" holds '{}', which is no letter, \"...\", ',' or \"->\"", equation, c);
    labels.push_back(c);
  }
  return labels;
}

struct Equation {
  std::vector<Labels> operands;
  Labels result;
};

Equation parse(std::string_view text) {
  Equation e;
  const size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  while (true) {
    const size_t comma = left.find(',');
    e.operands.push_back(parse(text, left.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  if (arrow == std::string_view::npos) {
    std::array<int, 128> count{};
    for (const Labels& labels : e.operands)
      for (int label : labels) ++count[size_t(label)];
    if (count[kDots]) e.result.push_back(kDots);
    for (int c = 'A'; c <= 'z'; ++c)
      if (count[size_t(c)] == 1) e.result.push_back(c);
    return e;
  }
  e.result = parse(text, text.substr(arrow + 2));
  for (int label : e.result) {
    ORDO_CHECK(std::count(e.result.begin(), e.result.end(), label) == 1, ValueError, "einsum",
               "the result of \"{}\" has '{}' twice", text, char(label));
    ORDO_CHECK(label == kDots || std::any_of(e.operands.begin(), e.operands.end(),
                                             [label](const Labels& labels) { return has(labels, label); }),
               ValueError, "einsum", "'{}' in the result of \"{}\" is in no operand", char(label), text);
  }
  return e;
}

/// "..." as `count` labels.
Labels with_dots(const Labels& labels, int count) {
  Labels out;
  for (int label : labels) {
    if (label != kDots) out.push_back(label);
    for (int i = count; label == kDots && i > 0; --i) out.push_back(-i);
  }
  return out;
}

struct Operand {
  Tensor tensor;
  Labels labels;  // of its dimensions

  int64_t size(int label) const { return tensor.sizes()[place(labels, label)]; }

  void take_diagonals() {
    for (size_t i = 0; i < labels.size(); ++i)
      for (size_t j = i + 1; j < labels.size(); ++j) {
        if (labels[i] != labels[j]) continue;
        ORDO_CHECK(tensor.sizes()[int(i)] == tensor.sizes()[int(j)], ShapeError, "einsum",
                   "'{}' stands for sizes {} and {} of one operand", char(labels[i]), tensor.sizes()[int(i)],
                   tensor.sizes()[int(j)]);
        tensor = diagonal(tensor, 0, int64_t(i), int64_t(j));
        const int label = labels[i];
        labels.erase(labels.begin() + ptrdiff_t(j));
        labels.erase(labels.begin() + ptrdiff_t(i));
        labels.push_back(label);  // the diagonal is the last dimension
        return take_diagonals();
      }
  }

  /// Adds over the labels that `gone` names.
  template <class F>
  void sum_over(const F& gone) {
    Dims dims;
    Labels rest;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (gone(labels[i]))
        dims.push_back(int64_t(i));
      else
        rest.push_back(labels[i]);
    }
    if (dims.empty()) return;
    tensor = sum(tensor, dims).to(tensor.dtype());  // sums of integers are int64
    labels = rest;
  }

  /// With its dimensions in that order; all of `order` are its own.
  Tensor in_order(const Labels& order) const {
    Dims dims;
    for (int label : order) dims.push_back(place(labels, label));
    return tensor.permute(dims);
  }

  /// Size 1 grows to n.
  void broadcast(int label, int64_t n) {
    Dims sizes = tensor.sizes();
    sizes[place(labels, label)] = n;
    tensor = tensor.expand(sizes);
  }
};

Labels joined(std::initializer_list<Labels> parts) {
  Labels all;
  for (const Labels& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Dims sizes_of(const Operand& o, const Labels& labels) {
  Dims sizes;
  for (int label : labels) sizes.push_back(o.size(label));
  return sizes;
}

/// The product, with those labels that `kept` names.
template <class F>
Operand product(Operand a, Operand b, const F& kept) {
  a.sum_over([&](int label) { return !has(b.labels, label) && !kept(label); });
  b.sum_over([&](int label) { return !has(a.labels, label) && !kept(label); });
  Labels batch, inner, left, right;
  for (int label : a.labels) {
    if (!has(b.labels, label)) {
      left.push_back(label);
      continue;
    }
    (kept(label) ? batch : inner).push_back(label);
    const int64_t m = a.size(label), n = b.size(label);
    if (m == 1 && n != 1) a.broadcast(label, n);
    if (n == 1 && m != 1) b.broadcast(label, m);
  }
  for (int label : b.labels)
    if (!has(a.labels, label)) right.push_back(label);
  const Dims batches = sizes_of(a, batch), rows = sizes_of(a, left), columns = sizes_of(b, right);
  Dims sizes = batches;
  for (const Dims& part : {rows, columns})
    for (int64_t n : part) sizes.push_back(n);
  const int64_t m = rows.product("einsum"), n = columns.product("einsum"), k = sizes_of(a, inner).product("einsum");
  Tensor x = a.in_order(joined({batch, left, inner})), y = b.in_order(joined({batch, inner, right}));
  const Labels labels = joined({batch, left, right});
  if (inner.empty()) {
    Dims of_x = batches, of_y = batches;
    for (int64_t r : rows) of_x.push_back(r), of_y.push_back(1);
    for (int64_t c : columns) of_x.push_back(1), of_y.push_back(c);
    return {x.reshape(of_x) * y.reshape(of_y), labels};
  }
  if (batch.empty()) return {mm(x.reshape({m, k}), y.reshape({k, n})).view(sizes), labels};
  const int64_t count = batches.product("einsum");
  return {bmm(x.reshape({count, m, k}), y.reshape({count, k, n})).view(sizes), labels};
}

}  // namespace

Tensor einsum(std::string_view equation, const TensorList& operands) {
  ORDO_AUTOCAST_CALL(lower, einsum, equation, operands);
  ORDO_CHECK(!operands.empty(), ValueError, "einsum", "needs at least one operand");
  Equation e = parse(equation);
  ORDO_CHECK(e.operands.size() == operands.size(), ValueError, "einsum", "\"{}\" is of {} operands, not {}", equation,
             e.operands.size(), operands.size());
  int dots = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    detail::expect_alike("einsum", operands[0], operands[i], "operands");
    const bool open = has(e.operands[i], kDots);
    const int more = operands[i].dim() - int(e.operands[i].size()) + (open ? 1 : 0);
    ORDO_CHECK(open ? more >= 0 : more == 0, ShapeError, "einsum",
               "operand {} of \"{}\" has shape {}, whose dimensions are not as many as its letters", i, equation,
               operands[i].sizes());
    if (open) dots = std::max(dots, more);
    e.operands[i] = with_dots(e.operands[i], more);
  }
  e.result = with_dots(e.result, dots);
  std::vector<Operand> parts;
  for (size_t i = 0; i < operands.size(); ++i) {
    parts.push_back({operands[i], e.operands[i]});
    parts.back().take_diagonals();
  }
  // Sizes of one letter agree.
  for (const Operand& a : parts)
    for (const Operand& b : parts)
      for (int label : a.labels) {
        if (!has(b.labels, label)) continue;
        const int64_t m = a.size(label), n = b.size(label);
        ORDO_CHECK(m == n || m == 1 || n == 1, ShapeError, "einsum", "{} stands for sizes {} and {}",
                   label < 0 ? std::string("\"...\"") : std::string("'") + char(label) + "'", m, n);
      }
  Operand all = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    all = product(all, parts[i], [&](int label) {
      if (has(e.result, label)) return true;
      return std::any_of(parts.begin() + ptrdiff_t(i) + 1, parts.end(),
                         [label](const Operand& later) { return has(later.labels, label); });
    });
  }
  all.sum_over([&](int label) { return !has(e.result, label); });
  // Dimensions of "..." that only the result has: no operand had any.
  Tensor result = all.in_order(e.result);
  const auto is_shown = [&](const Tensor& operand) { return operand.impl()->storage == result.impl()->storage; };
  if (std::any_of(operands.begin(), operands.end(), is_shown)) result = result.clone();
  return call.done(std::move(result));
}

}  // namespace ordo
