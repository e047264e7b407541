#include <ordo/nn/module.h>

#include <algorithm>
#include <unordered_set>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/later.h>
#include <ordo/nn/parameter_slot.h>
#include <ordo/nn/state/entries.h>

namespace ordo::nn {

/// By the numbers of their handles, in the order in which they were registered.
struct ForwardHooks {
  std::vector<std::pair<int64_t, std::function<Tensor(Module&, const Tensor&)>>> before;
  std::vector<std::pair<int64_t, std::function<Tensor(Module&, const Tensor&, const Tensor&)>>> after;
  int64_t next = 0;
};

struct ModuleBase::State {
  std::vector<std::shared_ptr<ParameterSlot>> slots;
  Children children;
  std::vector<Copier> copiers;          // of each child
  std::shared_ptr<ForwardHooks> hooks;  // null: there have never been any
  std::vector<Parametrization> parametrizations;
  bool training = true;

  const ModuleBase* find(const void* part, std::string& names) const;

  void expect_free(const std::string& name) const {
    ORDO_CHECK(!name.empty(), ValueError, "Module", "a parameter, buffer or sub-module needs a name");
    ORDO_CHECK(name.find('.') == std::string::npos, ValueError, "Module",
               "the name '{}' contains a dot; dots separate the names of nested modules", name);
    bool taken = false;
    for (const auto& slot : slots) taken |= slot->name == name;
    for (const auto& child : children) taken |= child.first == name;
    ORDO_CHECK(!taken, ValueError, "Module", "the name '{}' is taken", name);
  }
};

/// The tensor's handle now refers to the memory of `value`; history and requires_grad stay.
static void replace_contents(const Tensor& tensor, const Tensor& value) {
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
static void convert(const Tensor& tensor, Target target) {
  NoGrad guard;
  Tensor grad = tensor.grad();
  replace_contents(tensor, tensor.detach().to(target));
  // Another handle may hold the old gradient, which keeps its values.
  if (grad.defined()) const_cast<Tensor&>(tensor).set_grad(grad.detach().to(target));
}

ModuleBase::ModuleBase() {
  const ordo::detail::LibraryCall call;
  state_ = std::make_shared<State>();
}
ModuleBase::ModuleBase(const ModuleBase& other) : state_(clone_map() ? other.copied_state() : other.state_) {}
ModuleBase::~ModuleBase() = default;

// -- clone() ----------------------------------------------------------------------------------------------------------

static thread_local CloneMap* t_clone_map = nullptr;
CloneMap* clone_map() { return t_clone_map; }
Cloning::Cloning() : outer_(std::exchange(t_clone_map, new CloneMap)) {}
Cloning::~Cloning() { delete std::exchange(t_clone_map, outer_); }

std::shared_ptr<ModuleBase::State> ModuleBase::copied_state() const {
  const ordo::detail::LibraryCall call;
  CloneMap& map = *clone_map();
  if (const auto seen = map.states.find(&state()); seen != map.states.end())
    return std::static_pointer_cast<State>(seen->second);
  const auto copy = std::make_shared<State>();
  map.states[state_.get()] = copy;
  copy->training = state_->training;
  for (const auto& slot : state_->slots) {
    Tensor& tensor = map.tensors[slot->tensor.impl()];
    if (slot->tensor.defined() && !tensor.defined()) {
      tensor = slot->tensor.detach().clone();
      if (slot->tensor.requires_grad()) tensor.set_requires_grad();
    }
    auto own = std::make_shared<ParameterSlot>();
    own->name = slot->name, own->trained = slot->trained, own->tensor = tensor;
    map.slots[slot.get()] = own;
    copy->slots.push_back(std::move(own));
  }
  for (Parametrization p : state_->parametrizations) {
    p.computed = map.slots[p.computed.get()];
    p.computed->computed = true;
    p.computed->tensor = p.computed->tensor.detach();  // until the first call
    for (auto& slot : p.from) slot = map.slots[slot.get()];
    copy->parametrizations.push_back(std::move(p));
  }
  copy->copiers = state_->copiers;
  for (size_t i = 0; i < state_->children.size(); ++i) {
    const auto& [name, child] = state_->children[i];
    copy->children.emplace_back(name, state_->copiers[i](*child));
  }
  return copy;
}

// -- hooks ------------------------------------------------------------------------------------------------------------

void HookHandle::remove() {
  const auto hooks = hooks_.lock();
  if (!hooks) return;
  const auto is_it = [this](const auto& hook) { return hook.first == id_; };
  std::erase_if(hooks->before, is_it);
  std::erase_if(hooks->after, is_it);
  hooks_.reset();
}

HookHandle Module::register_forward_pre_hook(std::function<Tensor(Module&, const Tensor&)> hook) {
  const ordo::detail::LibraryCall call;
  ORDO_CHECK(hook, ValueError, "register_forward_pre_hook", "needs a function to call");
  auto& hooks = state().hooks;
  if (!hooks) hooks = std::make_shared<ForwardHooks>();
  hooks->before.emplace_back(hooks->next, std::move(hook));
  return {hooks, hooks->next++};
}

HookHandle Module::register_forward_hook(std::function<Tensor(Module&, const Tensor&, const Tensor&)> hook) {
  const ordo::detail::LibraryCall call;
  ORDO_CHECK(hook, ValueError, "register_forward_hook", "needs a function to call");
  auto& hooks = state().hooks;
  if (!hooks) hooks = std::make_shared<ForwardHooks>();
  hooks->after.emplace_back(hooks->next, std::move(hook));
  return {hooks, hooks->next++};
}

Tensor Module::run(const Tensor& input) {
  const std::shared_ptr<ForwardHooks> hooks = state().hooks;
  if (!hooks) return forward(input);
  Tensor x = input;
  for (const auto& [id, hook] : std::vector(hooks->before))  // a hook may remove itself
    if (const Tensor given = hook(*this, x); given.defined()) x = given;
  Tensor y = forward(x);
  for (const auto& [id, hook] : std::vector(hooks->after))
    if (const Tensor given = hook(*this, x, y); given.defined()) y = given;
  return y;
}

// ---------------------------------------------------------------------------------------------------------------------

Tensor Module::forward(const Tensor&) {
  detail::fail<ValueError>("Module", "this module has no forward(input) with exactly one tensor");
}

ModuleBase::State& ModuleBase::state() const {
  ORDO_CHECK(state_, ValueError, "Module", "this module was moved from");
  return *state_;
}

void ModuleBase::collect(bool trained, const std::string& prefix, NamedTensorList& out, NamedTensorList* tied) const {
  for (const auto& slot : state().slots) {
    if (slot->trained != trained || !slot->listed()) continue;
    bool shared = false;  // what is used in two places is listed once, so an optimiser steps it once
    for (const auto& seen : out) shared |= seen.tensor.is_same(slot->tensor);
    if (!shared)
      out.push_back({prefix + slot->name, slot->tensor});
    else if (tied)
      tied->push_back({prefix + slot->name, slot->tensor});
  }
  for (const auto& [name, child] : state().children) child->collect(trained, prefix + name + ".", out, tied);
}

NamedTensorList ModuleBase::collected(bool trained) const {
  const ordo::detail::LibraryCall call;
  NamedTensorList all;
  collect(trained, "", all);
  return all;
}

NamedTensorList ModuleBase::named_parameters() const { return collected(true); }
NamedTensorList ModuleBase::named_buffers() const { return collected(false); }

TensorList ModuleBase::parameters() const {
  const ordo::detail::LibraryCall call;
  TensorList all;
  for (auto& p : named_parameters()) all.push_back(std::move(p.tensor));
  return all;
}

NamedTensorList ModuleBase::state_dict() const {
  const ordo::detail::LibraryCall call;
  NamedTensorList all = named_parameters();
  for (auto& b : named_buffers()) all.push_back(std::move(b));
  return all;
}

/// `state` with every entry under the name that the module lists it by. `own` is what it lists.
static NamedTensorList untied(const NamedTensorList& own, const NamedTensorList& aliases, NamedTensorList state,
                              std::vector<std::string>& tied) {
  const auto find = [](NamedTensorList& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const NamedTensor& entry) { return entry.name == name; });
  };
  for (const auto& [alias, tensor] : aliases) {
    const auto given = find(state, alias);
    if (given == state.end()) continue;
    tied.push_back(alias);
    const auto is_alias = [&tensor = tensor](const NamedTensor& entry) { return entry.tensor.is_same(tensor); };
    const auto listed = std::find_if(own.begin(), own.end(), is_alias);
    const auto same = find(state, listed->name);
    if (same == state.end()) {
      given->name = listed->name;
      continue;
    }
    ORDO_CHECK(!given->tensor.defined() || !same->tensor.defined() || equal(given->tensor, same->tensor), ValueError,
               "load_state_dict", "'{}' and '{}' are one tensor here, but their values differ", same->name, alias);
    state.erase(given);
  }
  return state;
}

Commit ModuleBase::prepare(const NamedTensorList& state, bool strict, LoadReport* report) {
  const ordo::detail::LibraryCall call;
  NamedTensorList all, aliases;
  std::vector<std::string> tied;
  for (bool trained : {true, false}) collect(trained, "", all, &aliases);
  Entries given("load_state_dict", aliases.empty() ? state : untied(all, aliases, state, tied));
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const auto& [name, own] : all)
    if (const Tensor value = given.take(name, own.sizes()); value.defined()) copies.emplace_back(own, value);
  *report = given.finish(strict);
  report->tied = tied;
  return [copies] {
    NoGrad guard;
    for (auto [own, value] : copies) own.copy_(value);
  };
}

LoadReport ModuleBase::load_state_dict(const NamedTensorList& state, bool strict) {
  const ordo::detail::LibraryCall call;
  LoadReport report;
  prepare(state, strict, &report)();
  return report;
}

Commit ModuleBase::prepare_state_dict(const NamedTensorList& state) {
  LoadReport report;
  return prepare(state, true, &report);
}

std::vector<std::pair<std::string, ModuleBase*>> ModuleBase::named_children() const {
  const ordo::detail::LibraryCall call;
  std::vector<std::pair<std::string, ModuleBase*>> all;
  for (const auto& [name, child] : state().children) all.emplace_back(name, child.get());
  return all;
}

std::vector<std::pair<std::string, ModuleBase*>> ModuleBase::named_modules() {
  const ordo::detail::LibraryCall call;
  std::vector<std::pair<std::string, ModuleBase*>> all;
  std::unordered_set<const State*> seen;
  const auto visit = [&](auto& self, const std::string& name, ModuleBase& module) -> void {
    if (!seen.insert(&module.state()).second) return;
    all.emplace_back(name, &module);
    for (const auto& [child_name, child] : module.state().children)
      self(self, name.empty() ? child_name : name + "." + child_name, *child);
  };
  visit(visit, "", *this);
  return all;
}

/// The module within this one whose state is `part`, and the names that lead there, each after a dot. Null: there is
/// none.
const ModuleBase* ModuleBase::State::find(const void* part, std::string& names) const {
  for (const auto& [name, child] : children) {
    const size_t length = names.size();
    names += '.' + name;
    if (child->state_.get() == part) return child.get();
    if (const ModuleBase* found = child->state_->find(part, names)) return found;
    names.resize(length);
  }
  return nullptr;
}

static std::string class_of(const ModuleBase& module) {
  const std::string text = module.description();
  return text.substr(0, text.find('('));
}

void ModuleBase::locate(Error& error) const noexcept try {
  Error::Place& place = error.place;
  std::string names;
  if (!place.module) place.module = state_.get();
  const ModuleBase* part = state_ ? state_->find(place.module, names) : nullptr;
  if (!part) return;
  names.erase(0, 1);
  std::string message = error.what();
  const size_t path = place.path == 0 ? message.size() + std::string_view(" [in ").size() : place.path;
  if (place.path == 0)
    message += " [in " + names + " (" + class_of(*part) + ")]";
  else
    message.insert(path, names + ".");
  error.set_message(message);
  place = {state_.get(), path};
} catch (...) {
}

std::unique_ptr<ordo::detail::OpScope> ModuleBase::Call::enter(const ModuleBase& module) {
  const ordo::detail::LibraryCall call;
  const State& called = module.state();
  std::string path;
  for (const auto* scope = ordo::detail::OpScope::innermost(); scope && path.empty(); scope = scope->outer()) {
    if (!scope->owner()) continue;
    std::string names;
    const State& outer = *static_cast<const State*>(scope->owner().get());
    if (&outer == &called || outer.find(&called, names)) path = *scope->path() + names;
  }
  if (path.empty()) path = class_of(module);
  return std::make_unique<ordo::detail::OpScope>(std::make_shared<const std::string>(std::move(path)), module.state_);
}

NamedTensorList ModuleBase::Call::parameters(const ordo::detail::OpScope& scope) {
  NamedTensorList all;
  if (!scope.owner()) return all;
  const State& state = *static_cast<const State*>(scope.owner().get());
  for (const auto& slot : state.slots)
    if (slot->trained && slot->listed()) all.push_back({slot->name, slot->tensor});
  for (const auto& [name, child] : state.children) child->collect(true, name + ".", all);
  return all;
}

// -- computed parameters ----------------------------------------------------------------------------------------------

void Parametrized::add(const char* op, const ModuleBase& module, const std::string& name,
                       const std::function<Parts(const Tensor& value)>& split, Parametrization::Compute compute) {
  const ordo::detail::LibraryCall call;
  ModuleBase::State& state = module.state();
  const auto slot = std::find_if(state.slots.begin(), state.slots.end(), [&](const auto& own) {
    return own->name == name && own->trained && own->tensor.defined();
  });
  ORDO_CHECK(slot != state.slots.end(), ValueError, op, "{} has no parameter '{}'", module.description(), name);
  ORDO_CHECK(!(*slot)->computed, ValueError, op, "'{}' is computed from other parameters already", name);
  Parametrization made{*slot, {}, std::move(compute)};
  const bool frozen = !made.computed->tensor.requires_grad();
  const Parts parts = split(made.computed->tensor.detach());
  for (const NamedTensorList* list : {&parts.parameters, &parts.buffers})
    for (const auto& [part, value] : *list) {
      state.expect_free(part);
      made.from.push_back(
          std::make_shared<ParameterSlot>(ParameterSlot{part, list == &parts.parameters, false, {}, {}}));
      made.from.back()->assign(value);
      if (made.from.back()->trained && frozen) made.from.back()->tensor.requires_grad_(false);
    }
  state.slots.insert(state.slots.end(), made.from.begin(), made.from.end());
  made.computed->set(made.computed->tensor.detach());
  made.computed->computed = true;
  state.parametrizations.push_back(std::move(made));
}

void ModuleBase::compute_parameters() const {
  for (const Parametrization& p : state().parametrizations) {
    TensorList from;
    for (const auto& slot : p.from) from.push_back(slot->tensor);
    p.computed->set(p.compute(from, state_->training));
  }
}

// ---------------------------------------------------------------------------------------------------------------------

const ModuleBase::Children& ModuleBase::children() const { return state().children; }

int64_t ModuleBase::parameter_count() const {
  int64_t count = 0;
  for (const auto& p : named_parameters()) count += p.tensor.numel();
  return count;
}

void ModuleBase::train(bool on) {
  state().training = on;
  for (const auto& c : state().children) c.second->train(on);
}

bool ModuleBase::is_training() const { return state().training; }

void ModuleBase::zero_grad() {
  const ordo::detail::LibraryCall call;
  for (auto& p : named_parameters()) p.tensor.zero_grad();
}

void ModuleBase::to(Device device) {
  const ordo::detail::LibraryCall call;
  for (const auto& entry : state_dict())
    if (entry.tensor.device() != device) convert(entry.tensor, device);
}

void ModuleBase::to(DType dtype) {
  const ordo::detail::LibraryCall call;
  ORDO_CHECK(is_floating(dtype), DTypeError, "Module::to", "takes a floating dtype, not {}", dtype);
  for (const auto& entry : state_dict())
    if (is_floating(entry.tensor.dtype()) && entry.tensor.dtype() != dtype) convert(entry.tensor, dtype);
}

NewParameter ModuleBase::add_slot(const std::string& name, Tensor value, bool trained) {
  const ordo::detail::LibraryCall call;
  state().expect_free(name);
  detail::expect_defined(trained ? "add_parameter" : "add_buffer", value, name.c_str());
  auto slot = std::make_shared<ParameterSlot>();
  slot->name = name;
  slot->trained = trained;
  slot->assign(value);
  state().slots.push_back(slot);
  return {std::move(slot)};
}

NewParameter ModuleBase::add_parameter(const std::string& name, Tensor value) {
  return add_slot(name, std::move(value), true);
}

NewParameter ModuleBase::add_buffer(const std::string& name, Tensor value) {
  return add_slot(name, std::move(value), false);
}

void ModuleBase::add_child(const std::string& name, std::shared_ptr<ModuleBase> module, Copier copier) {
  const ordo::detail::LibraryCall call;
  state().expect_free(name);
  for (const auto& [inner, part] : module->named_modules())
    ORDO_CHECK(part->state_ != state_, ValueError, "Module",
               "'{}' cannot be added: it {} the module that it would be a part of", name,
               inner.empty() ? "is" : "contains");
  state().children.emplace_back(name, std::move(module));
  state().copiers.push_back(copier);
}

void ModuleBase::remove_child(const std::string& name) {
  const auto of_name = [&](const auto& child) { return child.first == name; };
  const auto found = std::find_if(state().children.begin(), state().children.end(), of_name);
  state().copiers.erase(state().copiers.begin() + (found - state().children.begin()));
  state().children.erase(found);
}

ModuleBase& ModuleBase::child_at(const char* container, int64_t index) const {
  const int64_t n = int64_t(children().size());
  ORDO_CHECK(index >= -n && index < n, IndexError, container, "module {} does not exist; there are {}", index, n);
  return *children()[size_t(index < 0 ? index + n : index)].second;
}

ModuleBase* ModuleBase::find_child(const std::string& name) const {
  for (const auto& [own, child] : children())
    if (own == name) return child.get();
  return nullptr;
}

ModuleBase& ModuleBase::child_named(const char* container, const std::string& name) const {
  ModuleBase* child = find_child(name);
  std::string names;
  if (!child)
    for (const auto& c : children()) names += (names.empty() ? "'" : ", '") + c.first + "'";
  ORDO_CHECK(child, ValueError, container, "there is no module '{}'; there are: {}", name, names);
  return *child;
}

void throw_not_made(const std::string& name) {
  detail::fail<ValueError>("Module", "'{0}' was declared but not made: in the constructor, {0} = add(\"{0}\", ...)",
                           name);
}

}  // namespace ordo::nn
