// Lists and dictionaries of sub-modules.
//
//   struct Tower : nn::ModuleOf<Tower> {
//     nn::ModuleList<Block> blocks = add("blocks", nn::ModuleList<Block>());
//     explicit Tower(int depth) {
//       for (int i = 0; i < depth; ++i) blocks.push_back(Block(64));
//     }
//     Tensor forward(Tensor x, const Tensor& mask) {
//       for (Block& block : blocks) x = block(x, mask);
//       return x;
//     }
//   };
//   nn::ModuleDict<nn::Linear> heads;
//   heads.insert("age", nn::Linear(64, 1)).insert("name", nn::Linear(64, 100));
//   Tensor age = heads["age"](x);
//   nn::Sequential model{nn::Conv2d(1, 16, {3, 3}, {.padding = 1}), nn::ReLU(), nn::Flatten(), nn::Linear(12544, 10)};
//   Tensor logits = model(images);
#pragma once

#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

/// What Sequential and ModuleList share: a `Base` whose sub-modules, each an M, are named "0", "1", ...
template <class Base, class M>
class ListOf : public Base {
 public:
  /// Appends a module; returns *this.
  template <class Child>
  ListOf& push_back(const Child& module) {
    static_assert(std::is_base_of_v<M, Child>, "takes modules of the list's class only");
    const ordo::detail::LibraryCall call;
    this->add_child(std::to_string(size()), module);
    return *this;
  }

  int64_t size() const { return int64_t(this->children().size()); }
  bool empty() const { return size() == 0; }
  /// Negative indices count from the end.
  ///
  /// Throws: IndexError when there is none.
  M& operator[](int64_t index) const { return static_cast<M&>(this->child_at(name_, index)); }

  class Iterator {
   public:
    Iterator(const ListOf& list, int64_t at) : list_(&list), at_(at) {}
    M& operator*() const { return (*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const ListOf* list_;
    int64_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 protected:
  explicit ListOf(const char* name) : name_(name) {}

 private:
  const char* name_;  // for errors
};

/// `nn::ModuleList<Block>`: modules of class M, or derived from it. It is not called; loop over it.
///
/// PyTorch: torch.nn.ModuleList.
template <class M = Module>
class ModuleList : public ListOf<ModuleBase, M> {
 public:
  ModuleList() : ListOf<ModuleBase, M>("ModuleList") {}
  /// In braces, as Sequential's.
  template <class... Modules>
  requires(sizeof...(Modules) > 0 && (std::is_base_of_v<M, std::remove_cvref_t<Modules>> && ...))  //
      explicit ModuleList(Modules&&... modules)
      : ModuleList() {
    (this->push_back(modules), ...);
  }
};

/// `nn::ModuleDict<Block>`: modules of class M by name, in the order of insertion.
///
/// PyTorch: torch.nn.ModuleDict.
template <class M = Module>
class ModuleDict : public ModuleBase {
 public:
  /// Returns *this.
  ///
  /// Throws: ValueError when the name is empty, taken or contains a dot.
  template <class Child>
  ModuleDict& insert(const std::string& name, const Child& module) {
    static_assert(std::is_base_of_v<M, Child>, "takes modules of the dictionary's class only");
    const ordo::detail::LibraryCall call;
    add_child(name, module);
    return *this;
  }

  int64_t size() const { return int64_t(children().size()); }
  bool contains(const std::string& name) const { return find_child(name) != nullptr; }
  /// The module of this name.
  ///
  /// Throws: ValueError when there is none.
  M& operator[](const std::string& name) const { return static_cast<M&>(child_named("ModuleDict", name)); }
  /// `for (auto [name, module] : dict.items())`
  std::vector<std::pair<std::string, M&>> items() const {
    std::vector<std::pair<std::string, M&>> all;
    for (const auto& [name, module] : children()) all.emplace_back(name, static_cast<M&>(*module));
    return all;
  }
};

/// Modules one after another. Write the braces: C++ evaluates arguments in braces from left to right, so the initial
/// weights are drawn in that order by every compiler. In parentheses the order is the compiler's choice.
///
/// PyTorch: torch.nn.Sequential.
class Sequential : public ListOf<Module, Module> {
 public:
  Sequential() : ListOf("Sequential") {}
  /// The modules are named "0", "1", ...
  template <class... M>
  requires(sizeof...(M) > 0 && (std::is_base_of_v<Module, std::remove_cvref_t<M>> && ...) &&
           !(sizeof...(M) == 1 && (std::is_same_v<std::remove_cvref_t<M>, Sequential> && ...))) explicit(sizeof...(M) ==
                                                                                                         1)
      Sequential(M&&... modules)
      : Sequential() {
    (push_back(modules), ...);
  }

  Tensor forward(const Tensor& input) override {
    Tensor x = input;
    for (Module& module : *this) x = module(x);
    return x;
  }
};

}  // namespace ordo::nn
