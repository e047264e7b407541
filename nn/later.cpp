#include <ordo/nn/later.h>

#include <ordo/engine/calls/check.h>

namespace ordo::nn {

void throw_not_made(const std::string& name) {
  detail::fail<ValueError>("Module", "'{0}' was declared but not made: in the constructor, {0} = add(\"{0}\", ...)",
                           name);
}

}  // namespace ordo::nn
