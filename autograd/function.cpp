#include <ordo/autograd/function.h>

#include <ordo/autograd/tape.h>
#include <ordo/engine/calls/check.h>

namespace ordo {

AutogradContext::AutogradContext() = default;
AutogradContext::~AutogradContext() = default;
AutogradContext::AutogradContext(const AutogradContext& forward, const Tensor& result)
    : saved_data(forward.saved_data),
      saved_(forward.saved_),
      is_result_(forward.is_result_),
      needs_(forward.needs_),
      result_(result) {}

void AutogradContext::save_for_backward(const TensorList& tensors) { given_ = tensors; }

void AutogradContext::keep(const TensorList& results) {
  for (const Tensor& t : given_) {
    bool is_result = false;
    for (const Tensor& result : results) is_result = is_result || t.is_same(result);
    is_result_.push_back(is_result);
    saved_.push_back(t.defined() && !is_result ? Saved(t) : Saved());
  }
  given_.clear();
}

TensorList AutogradContext::get_saved_variables() const {
  TensorList all;
  for (size_t i = 0; i < saved_.size(); ++i) {
    ORDO_CHECK(!is_result_[i] || result_.defined(), AutogradError, "get_saved_variables",
               "a function of several results cannot save them");
    all.push_back(is_result_[i] ? result_ : saved_[i].defined() ? saved_[i].get() : Tensor());
  }
  return all;
}

bool AutogradContext::needs_input_grad(int i) const {
  ORDO_CHECK(i >= 0 && size_t(i) < needs_.size(), IndexError, "needs_input_grad", "there is no tensor {} among {}", i,
             needs_.size());
  return needs_[size_t(i)];
}

std::shared_ptr<AutogradContext> FunctionCall::context() const {
  auto context = std::make_shared<AutogradContext>();
  for (const Tensor& t : inputs) context->needs_.push_back(t.defined() && t.requires_grad());
  return context;
}

TensorList FunctionCall::gradients(Backward backward, const AutogradContext& context, const Tensor& result,
                                   const TensorList& grads) const {
  AutogradContext own(context, result);
  TensorList found = backward(&own, grads);
  if (found.size() == inputs.size()) return found;
  ORDO_CHECK(found.size() == arguments, AutogradError, name,
             "backward() gave {} gradients for {} tensors among {} arguments", found.size(), inputs.size(), arguments);
  TensorList of_tensors;
  for (size_t position : positions) of_tensors.push_back(found[position]);
  return of_tensors;
}

/// A result that may go on the tape: one that is an argument, or a view of one, is copied.
static Tensor fresh(const Tensor& result, const TensorList& inputs) {
  for (const Tensor& t : inputs)
    if (result.defined() && t.defined() && result.impl()->storage == t.impl()->storage) return result.clone();
  return result;
}

static std::vector<std::reference_wrapper<const Tensor>> references(const TensorList& tensors) {
  return {tensors.begin(), tensors.end()};
}

Tensor FunctionCall::run(const std::function<Tensor(AutogradContext*)>& forward, Backward backward) const {
  const OpCall call(name, inputs);
  const auto ctx = context();
  Tensor given, result;
  {
    const NoGrad guard;
    given = forward(ctx.get());
    detail::expect_defined(name, given, "what forward() gives");
    result = fresh(given, inputs);
  }
  ctx->keep({given});
  const auto all = references(inputs);
  return record(call, result, Inputs(all), [ctx, backward, self = *this](const Tensor& grad, const Tensor& result) {
    return self.gradients(backward, *ctx, result, {grad});
  });
}

TensorList FunctionCall::run_many(const std::function<TensorList(AutogradContext*)>& forward, Backward backward) const {
  const OpCall call(name, inputs);
  const auto ctx = context();
  TensorList given, results;
  {
    const NoGrad guard;
    given = forward(ctx.get());
    for (const Tensor& t : given) {
      detail::expect_defined(name, t, "what forward() gives");
      results.push_back(fresh(t, inputs));
    }
  }
  ctx->keep(given);
  const auto all = references(inputs);
  if (detail::any_requires_grad(all))
    detail::record_node(call, results, all,
                        BackwardFunctionOfMany([ctx, backward, self = *this](const TensorList& grads) {
                          return self.gradients(backward, *ctx, Tensor(), grads);
                        }));
  return call.done(std::move(results));
}

}  // namespace ordo
