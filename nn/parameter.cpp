#include <ordo/nn/parameter.h>

#include <algorithm>
#include <mutex>

#include <ordo/engine/check.h>
#include <ordo/nn/parameter_slot.h>

namespace ordo::nn {
namespace {

/// Guards the handles of all slots: copies of one module may be made and dropped by several threads.
std::mutex& handles_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

void ParameterSlot::assign(const Tensor& value) {
  Tensor replacement = value;
  if (trained && value.defined()) {
    ORDO_CHECK(value.is_leaf(), AutogradError, "Parameter",
               "'{}' takes a leaf, not the result of \"{}\"; detach() it first", name, value.grad_name());
    replacement.set_requires_grad();
  }
  const Tensor old = tensor;  // may be the last handle; what it holds, hooks included, goes when the lock is gone
  const std::lock_guard lock(handles_mutex());
  tensor = replacement;
  for (Parameter* handle : handles) static_cast<Tensor&>(*handle) = replacement;
}

void Parameter::join(std::shared_ptr<ParameterSlot> slot) {
  const Tensor old = *this;  // as in assign
  slot_ = std::move(slot);
  if (!slot_) return;
  const std::lock_guard lock(handles_mutex());
  static_cast<Tensor&>(*this) = slot_->tensor;
  slot_->handles.push_back(this);
}

void Parameter::leave() {
  if (!slot_) return;
  const std::lock_guard lock(handles_mutex());
  auto& handles = slot_->handles;
  handles.erase(std::find(handles.begin(), handles.end(), this));
}

Parameter::Parameter(NewParameter entry) { join(std::move(entry.slot)); }
Parameter::Parameter(const Parameter& other) : Tensor() { join(other.slot_); }
Parameter::Parameter(Parameter&& other) : Tensor() {
  other.leave();
  join(std::move(other.slot_));
  static_cast<Tensor&>(other) = Tensor();
}
Parameter::~Parameter() { leave(); }

Parameter& Parameter::operator=(NewParameter entry) & {
  leave();
  join(std::move(entry.slot));
  return *this;
}

Parameter& Parameter::operator=(const Tensor& value) & {
  ORDO_CHECK(slot_, ValueError, "Parameter",
             "this parameter is not one of a module (or was moved from); register it with add_parameter first");
  slot_->assign(value);
  return *this;
}

}  // namespace ordo::nn
