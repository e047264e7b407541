#include <ordo/engine/calls/op_scope.h>

#include <utility>

namespace ordo::detail {

static thread_local const OpScope* t_innermost = nullptr;

OpScope::OpScope(Path path, std::shared_ptr<void> owner)
    : path_(std::move(path)), owner_(std::move(owner)), outer_(std::exchange(t_innermost, this)) {}
OpScope::~OpScope() { t_innermost = outer_; }

const OpScope* OpScope::innermost() { return t_innermost; }
OpScope::Path OpScope::current_path() { return t_innermost ? t_innermost->path_ : nullptr; }

}  // namespace ordo::detail
