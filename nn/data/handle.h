// Objects that are given by value or shared.
//
//   data::Handle<const data::Dataset> a = data::mnist("data/mnist");        // moved or copied into shared memory
//   data::Handle<const data::Dataset> b = std::make_shared<MyDataset>();    // shared with whoever else holds it
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <ordo/engine/memory/out_of_memory.h>

namespace ordo::data {

/// A shared object of a class derived from T, given by value or as a shared_ptr.
template <class T>
class Handle {
 public:
  Handle() = default;  ///< of nothing
  template <std::derived_from<T> D>
  requires(!std::is_abstract_v<D>) Handle(D value) {
    const ordo::detail::LibraryCall call;
    shared_ = std::make_shared<D>(std::move(value));
  }
  template <std::derived_from<T> D>
  Handle(std::shared_ptr<D> shared) : shared_(std::move(shared)) {}

  explicit operator bool() const { return shared_ != nullptr; }
  T& operator*() const { return *shared_; }
  T* operator->() const { return shared_.get(); }

 private:
  std::shared_ptr<T> shared_;
};

}  // namespace ordo::data
