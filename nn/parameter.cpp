#include <ordo/nn/parameter.h>

#include <mutex>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/fork.h>
#include <ordo/nn/parameter_slot.h>

namespace ordo::nn {

/// Guards the handles of all slots: copies of one module may be made and dropped by several threads.
static std::mutex& handles_mutex() { return ordo::detail::process_mutex(ordo::detail::ProcessLock::parameters); }

void ParameterSlot::assign(const Tensor& value) {
  ORDO_CHECK(!computed, ValueError, "Parameter", "'{}' is computed from other parameters; assign to those", name);
  Tensor replacement = value;
  if (trained && value.defined()) {
    ORDO_CHECK(value.is_leaf(), AutogradError, "Parameter",
               "'{}' takes a leaf, not the result of \"{}\"; detach() it first", name, value.grad_name());
    replacement.set_requires_grad();
  }
  set(replacement);
}

void ParameterSlot::set(const Tensor& value) {
  const Tensor old = tensor;  // may be the last handle; what it holds, hooks included, goes when the lock is gone
  const std::lock_guard lock(handles_mutex());
  tensor = value;
  for (Parameter* handle : handles) static_cast<Tensor&>(*handle) = value;
}

/// In place of an earlier one. Where there is no memory for it, the handle stays as it is.
void Parameter::join(std::shared_ptr<ParameterSlot> slot) {
  if (slot == slot_) return;
  const ordo::detail::LibraryCall call;
  const Tensor old = *this;  // as in assign
  const std::shared_ptr<ParameterSlot> left = slot_;
  const std::lock_guard lock(handles_mutex());
  if (slot) slot->handles.push_back(this);
  if (left) std::erase(left->handles, this);
  slot_ = std::move(slot);
  static_cast<Tensor&>(*this) = slot_ ? slot_->tensor : Tensor();
}

void Parameter::leave() {
  if (!slot_) return;
  const std::lock_guard lock(handles_mutex());
  std::erase(slot_->handles, this);
}

Parameter::Parameter(NewParameter entry) { join(std::move(entry.slot)); }
Parameter::Parameter(const Parameter& other) : Tensor() {
  std::shared_ptr<ParameterSlot> slot = other.slot_;
  if (const CloneMap* map = clone_map())
    if (const auto own = map->slots.find(slot.get()); own != map->slots.end()) slot = own->second;
  join(std::move(slot));
}
Parameter::Parameter(Parameter&& other) : Tensor() {
  join(other.slot_);
  other.join(nullptr);
}
Parameter::~Parameter() { leave(); }

Parameter& Parameter::operator=(NewParameter entry) & {
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
