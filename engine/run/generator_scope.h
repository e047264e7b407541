// Another generator for a part of the program. Internal.
#pragma once

#include <ordo/engine/run/generator.h>

namespace ordo::detail {

/// While it lives, default_generator() of the calling thread is `generator`.
class GeneratorScope {
 public:
  explicit GeneratorScope(Generator& generator);
  ~GeneratorScope();
  GeneratorScope(const GeneratorScope&) = delete;
  GeneratorScope& operator=(const GeneratorScope&) = delete;

 private:
  Generator* outer_;
};

}  // namespace ordo::detail
