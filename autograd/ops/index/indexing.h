// Indexing with integers, slices, None, Ellipsis, masks and index tensors; PyTorch's rules and its C++ names.
//
//   using namespace ordo::indexing;
//   x.index({0, Slice(1, None), Ellipsis, -1})     // Python: x[0, 1:, ..., -1]; a view
//   x.index({x > 0})                               // the elements where the mask is true, 1-d
//   x.index({rows, columns})                       // element [rows[i], columns[i]] for every i
//   x.index_put_({x > 0}, 0);                      // Python: x[x > 0] = 0
//   x[{0, Slice(1, None)}] = y;                    // the same by brackets
//   x[mask] += 1;
//
// Each entry stands for the next dimension of x:
//   integer          takes that element; the dimension goes. A tensor of one integer does, and waits for the device
//   Slice            takes a range, with Python's rules for open and negative ends; the step is positive
//   None             adds a dimension of size 1
//   Ellipsis, "..."  stands for as many full slices as are missing; at most one (ValueError)
//   int64 or int32   index tensor: takes elements in its order, negative ones counted from the end. Several broadcast
//                    together to one shape, which replaces their dimensions: in place when these are neighbours
//                    (once integers have gone), else at the front
//   bool             mask of k dimensions (ShapeError unless the next k sizes of x): its true elements, row-major, as
//                    k index tensors. Waits for the device
// Dimensions without an entry are taken whole. IndexError: too many entries, and indices out of range, on the CPU
// before anything is written, on CUDA as index_select.
#pragma once

#include <variant>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::indexing {

inline constexpr std::nullopt_t None = std::nullopt;
struct EllipsisType {};
inline constexpr EllipsisType Ellipsis;

/// `Slice()` is all, `Slice(1, None)` all from 1, `Slice(None, -1, 2)` every second one but the last.
struct Slice {
  Slice(std::optional<int64_t> from = None, std::optional<int64_t> to = None, std::optional<int64_t> by = None)
      : start(from.value_or(0)), stop(to.value_or(INT64_MAX)), step(by.value_or(1)) {}
  int64_t start, stop, step;
};

/// One entry of an index.
class TensorIndex {
 public:
  template <std::integral I>
  requires(!std::same_as<I, bool>) TensorIndex(I index) : TensorIndex(Integer{int64_t(index)}) {}
  // Not inline: GCC 12 warns of uninitialised tensors in lists of them, and programs would compile the variant's
  // functions.
  TensorIndex(std::nullopt_t);
  TensorIndex(EllipsisType ellipsis);
  TensorIndex(const char* dots);  ///< "..."; ValueError for any other text
  TensorIndex(Slice slice);
  TensorIndex(Tensor tensor);
  TensorIndex(const TensorIndex&);
  TensorIndex(TensorIndex&&) noexcept;
  TensorIndex& operator=(const TensorIndex&);
  ~TensorIndex();

  using Value = std::variant<std::monostate, EllipsisType, int64_t, Slice, Tensor>;  // monostate: None
  const Value& value() const { return value_; }

 private:
  struct Integer {
    int64_t value;
  };
  explicit TensorIndex(Integer index);
  Value value_;
};

}  // namespace ordo::indexing

namespace ordo {

// Tensor::index(indices)
//   A view where all entries are integers, slices, None and Ellipsis; else a copy. The gradient adds where an element
//   was taken several times, by index_add, whose levels hold.
//
// Tensor::index_put_(indices, value, accumulate), Tensor::index_put
//   Writes `value` in place or into a copy.

/// A copy of input in which index(indices) has become `values`, or with `accumulate` has them added. Without it, of
/// several items for one place the last one stays, in row-major order of the indexed shape.
///
/// Shapes: values broadcast to the shape that input.index(indices) has; the result has input's.
/// Dtypes: any; values are converted to input's.
/// Throws: DTypeError when values are floating and input is of integers; ShapeError when they do not broadcast;
/// IndexError as Tensor::index; ValueError when there are two Ellipses or a step is not positive.
/// Determinism: the same bits on every device at every level; with `accumulate` as index_add.
/// Gradient: of input, grad with 0 where something was written, with `accumulate` grad; of values, grad at the items
/// that stayed.
/// PyTorch: torch.index_put, which leaves open who stays.
inline Tensor index_put(const Tensor& input, const std::vector<indexing::TensorIndex>& indices, const Tensor& values,
                        bool accumulate = false) {
  return input.index_put(indices, values, accumulate);
}

/// What `x[{...}]` and `x[mask]` give: index() of it, a tensor like any other, and a place to assign to.
class Indexed : public Tensor {
 public:
  Indexed(const Tensor& base, std::vector<indexing::TensorIndex> indices)
      : Tensor(base.index(indices)), base_(base), indices_(std::move(indices)) {}
  Indexed(const Indexed&) = default;

  // Of what stays, `auto y = x[{0, 1}];`: a tensor, which can be bound anew and changed in place.
  Indexed& operator=(const Tensor& value) & {
    Tensor::operator=(value);
    return *this;
  }
  Indexed& operator=(const Indexed& value) & { return *this = static_cast<const Tensor&>(value); }
  Tensor& operator+=(const Tensor& other) & { return add_(other); }
  Tensor& operator-=(const Tensor& other) & { return sub_(other); }
  Tensor& operator*=(const Tensor& other) & { return mul_(other); }
  Tensor& operator/=(const Tensor& other) & { return div_(other); }
  Tensor& operator+=(Scalar other) & { return add_(other); }
  Tensor& operator-=(Scalar other) & { return sub_(other); }
  Tensor& operator*=(Scalar other) & { return mul_(other); }
  Tensor& operator/=(Scalar other) & { return div_(other); }

  // Of the expression itself, `x[{0, 1}] = y`: the elements of x.
  void operator=(const Tensor& value) && { assign(value); }
  void operator=(const Indexed& value) && { assign(value); }
  void operator=(Scalar value) && { base_.index_put_(indices_, value); }
  void operator+=(const Tensor& other) && { assign(add(other)); }
  void operator-=(const Tensor& other) && { assign(sub(other)); }
  void operator*=(const Tensor& other) && { assign(mul(other)); }
  void operator/=(const Tensor& other) && { assign(div(other)); }
  void operator+=(Scalar other) && { assign(add(other)); }
  void operator-=(Scalar other) && { assign(sub(other)); }
  void operator*=(Scalar other) && { assign(mul(other)); }
  void operator/=(Scalar other) && { assign(div(other)); }

 private:
  void assign(const Tensor& value) { base_.index_put_(indices_, value); }
  Tensor base_;
  std::vector<indexing::TensorIndex> indices_;
};

}  // namespace ordo
