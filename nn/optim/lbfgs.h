// L-BFGS, which computes loss and gradient several times in a step.
//
//   optim::LBFGS optimizer(model.parameters(), {.line_search = optim::LineSearch::strong_wolfe});
//   const Tensor loss = optimizer.step([&] {
//     optimizer.zero_grad();
//     const Tensor loss = mse_loss(model(x), y);
//     loss.backward();
//     return loss;
//   });
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <ordo/nn/optim/optimizer.h>

namespace ordo::optim {

enum class LineSearch : unsigned char { none, strong_wolfe };

struct LBFGSOptions {
  double lr = 1;
  int64_t max_iter = 20;                 ///< iterations of a step
  std::optional<int64_t> max_eval = {};  ///< calls of the closure in a step; default: 5/4 max_iter, rounded down
  double tolerance_grad = 1e-7;          ///< the largest |g| that ends a step
  double tolerance_change = 1e-9;        ///< of the loss and of parameters, likewise
  int64_t history_size = 100;            ///< pairs of s and y
  LineSearch line_search = LineSearch::none;
};

/// Steps along d = -H g, where g is the gradient of all parameters as one vector and H estimates the inverse of the
/// second derivatives from the last pairs s (change of the parameters) and y (change of g):
///   p = p + t d
///   t = lr, in the first iteration min(1, 1 / sum |g|) lr; with strong_wolfe, a step from there that fulfils both
///   f(p + t d) <= f(p) + 1e-4 t g d   and   |g(p + t d) d| <= -0.9 g d
/// It takes (2 history_size + 3) times the parameters' memory. Half types are computed in float32.
///
/// Throws: as Optimizer; ValueError when a number is negative, history_size is below 1, or parameters are of several
/// dtypes or on several devices; step() without a closure.
/// PyTorch: torch.optim.LBFGS.
/// Source: Nocedal, Wright, "Numerical optimization", 2006, algorithms 7.4, 3.5 and 3.6, as in Schmidt's minFunc.
class LBFGS : public Optimizer {
 public:
  explicit LBFGS(const TensorList& parameters, LBFGSOptions options = {});
  /// `closure` makes gradients undefined, computes the loss and calls its backward(). Returns the first loss.
  Tensor step(const std::function<Tensor()>& closure);

 private:
  struct LinePoint {  // on the line p + t d
    double t, loss;
    Tensor grad;
    double slope;  // of the loss along d
  };
  void update(size_t parameter, const Tensor& grad) override;
  bool maximizes(size_t) const override { return false; }
  std::vector<Memory> remembered(size_t) override { return {}; }
  nn::NamedTensorList common_state() const override;
  nn::Commit prepare_common_state(nn::Entries& given) override;
  Tensor flat_grad() const;
  void set_direction(const Tensor& grad);
  void move(double t, const TensorList& from);
  LinePoint wolfe_point(const std::function<LinePoint(double)>& at, double t, const LinePoint& start,
                        int64_t evaluations) const;

  struct Curvature {  // what iterations leave behind
    int64_t iterations = 0;
    double t = 0, scale = 1;         // of the last step; H of no pairs
    Tensor direction, grad;          // of the last iteration
    TensorList steps, changes;       // s and y, the oldest first
    std::vector<double> reciprocal;  // 1 / (s y)
  };
  const LBFGSOptions options_;
  Curvature state_;
};

}  // namespace ordo::optim
