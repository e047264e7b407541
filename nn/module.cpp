#include <ordo/nn/module.h>

#include <map>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo::nn {

struct Module::State {
  NamedTensorList parameters, buffers;
  Children children;
  bool training = true;

  bool has(const std::string& name) const {
    for (const auto& p : parameters)
      if (p.name == name) return true;
    for (const auto& b : buffers)
      if (b.name == name) return true;
    for (const auto& c : children)
      if (c.first == name) return true;
    return false;
  }

  void expect_free(const std::string& name) const {
    ORDO_CHECK(!name.empty(), ValueError, "Module", "a parameter, buffer or sub-module needs a name");
    ORDO_CHECK(name.find('.') == std::string::npos, ValueError, "Module",
               "the name '{}' contains a dot; dots separate the names of nested modules", name);
    ORDO_CHECK(!has(name), ValueError, "Module", "the name '{}' is taken", name);
  }
};

namespace {

void collect(const Module& module, const std::string& prefix, NamedTensorList& out,
             const NamedTensorList& (*own)(const Module&)) {
  for (const auto& [name, tensor] : own(module)) {
    bool shared = false;  // a module used in two places lists its tensors once, so an optimiser steps them once
    for (const auto& seen : out) shared |= seen.tensor.is_same(tensor);
    if (!shared) out.push_back({prefix + name, tensor});
  }
  for (const auto& [name, child] : module.named_children()) collect(*child, prefix + name + ".", out, own);
}

/// The tensor's handle now refers to the memory of `value`; history and requires_grad stay.
void replace_contents(const Tensor& tensor, const Tensor& value) {
  TensorImpl& to = *tensor.impl();
  const TensorImpl& from = *value.impl();
  to.storage = from.storage;
  to.sizes = from.sizes;
  to.strides = from.strides;
  to.offset = from.offset;
  to.numel = from.numel;
  to.dtype = from.dtype;
  to.contiguous = from.contiguous;
  to.base = nullptr;
}

template <class Target>
void convert(const Tensor& tensor, Target target) {
  NoGrad guard;
  Tensor grad = tensor.grad();
  replace_contents(tensor, tensor.detach().to(target));
  // Another handle may hold the old gradient, which keeps its values.
  if (grad.defined()) const_cast<Tensor&>(tensor).set_grad(grad.detach().to(target));
}

}  // namespace

Module::Module() : state_(std::make_shared<State>()) {}
Module::~Module() = default;

Tensor Module::forward(const Tensor&) {
  detail::fail<ValueError>("Module", "this module has no forward(input) with exactly one tensor");
}

NamedTensorList Module::named_parameters() const {
  NamedTensorList all;
  collect(*this, "", all, [](const Module& m) -> const NamedTensorList& { return m.state_->parameters; });
  return all;
}

NamedTensorList Module::named_buffers() const {
  NamedTensorList all;
  collect(*this, "", all, [](const Module& m) -> const NamedTensorList& { return m.state_->buffers; });
  return all;
}

TensorList Module::parameters() const {
  TensorList all;
  for (auto& p : named_parameters()) all.push_back(std::move(p.tensor));
  return all;
}

NamedTensorList Module::state_dict() const {
  NamedTensorList all = named_parameters();
  for (auto& b : named_buffers()) all.push_back(std::move(b));
  return all;
}

void Module::load_state_dict(const NamedTensorList& state) {
  std::map<std::string, Tensor> given;
  for (const auto& [name, tensor] : state) {
    detail::expect_defined("load_state_dict", tensor, name.c_str());
    ORDO_CHECK(given.emplace(name, tensor).second, ValueError, "load_state_dict", "'{}' is given twice", name);
  }
  NamedTensorList own = state_dict();
  for (const auto& [name, tensor] : own) {
    auto found = given.find(name);
    ORDO_CHECK(found != given.end(), ValueError, "load_state_dict", "'{}' is missing", name);
    ORDO_CHECK(found->second.sizes() == tensor.sizes(), ShapeError, "load_state_dict",
               "'{}' has sizes {}, but {} were given", name, tensor.sizes(), found->second.sizes());
  }
  if (given.size() != own.size()) {
    for (const auto& n : own) given.erase(n.name);
    detail::fail<ValueError>("load_state_dict", "'{}' is not part of this module", given.begin()->first);
  }
  NoGrad guard;
  for (auto& [name, tensor] : own) tensor.copy_(given.at(name).detach());
}

std::vector<std::pair<std::string, Module*>> Module::named_children() const {
  std::vector<std::pair<std::string, Module*>> all;
  for (const auto& [name, child] : state_->children) all.emplace_back(name, child.get());
  return all;
}

const Module::Children& Module::children() const { return state_->children; }

int64_t Module::parameter_count() const {
  int64_t count = 0;
  for (const auto& p : named_parameters()) count += p.tensor.numel();
  return count;
}

void Module::train(bool on) {
  state_->training = on;
  for (const auto& c : state_->children) c.second->train(on);
}

bool Module::is_training() const { return state_->training; }

void Module::zero_grad() {
  for (auto& p : state_->parameters) p.tensor.zero_grad();
  for (const auto& c : state_->children) c.second->zero_grad();
}

void Module::to(Device device) {
  for (const auto& entry : state_dict())
    if (entry.tensor.device() != device) convert(entry.tensor, device);
}

void Module::to(DType dtype) {
  ORDO_CHECK(is_floating(dtype), DTypeError, "Module::to", "takes a floating dtype, not {}", dtype);
  for (const auto& entry : state_dict())
    if (is_floating(entry.tensor.dtype()) && entry.tensor.dtype() != dtype) convert(entry.tensor, dtype);
}

Tensor Module::add_parameter(const std::string& name, Tensor value) {
  state_->expect_free(name);
  detail::expect_defined("add_parameter", value, name.c_str());
  value.set_requires_grad();
  state_->parameters.push_back({name, value});
  return value;
}

Tensor Module::add_buffer(const std::string& name, Tensor value) {
  state_->expect_free(name);
  detail::expect_defined("add_buffer", value, name.c_str());
  state_->buffers.push_back({name, value});
  return value;
}

void Module::add_child(const std::string& name, std::shared_ptr<Module> module) {
  state_->expect_free(name);
  state_->children.emplace_back(name, std::move(module));
}

}  // namespace ordo::nn
