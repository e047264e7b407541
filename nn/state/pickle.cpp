#include <ordo/nn/state/pickle.h>

#include <algorithm>
#include <iterator>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/printable.h>

namespace ordo::nn {

/// Instructions by their names in Python's pickletools.
constexpr uint8_t kMark = '(', kStop = '.', kProtocol = 0x80, kFrame = 0x95;
constexpr uint8_t kNone = 'N', kTrue = 0x88, kFalse = 0x89, kReal = 'G';
constexpr uint8_t kInt1 = 'K', kInt2 = 'M', kInt4 = 'J', kLong1 = 0x8a, kText1 = 0x8c, kText4 = 'X';
constexpr uint8_t kEmptyTuple = ')', kTuple = 't', kTuple1 = 0x85, kTuple2 = 0x86, kTuple3 = 0x87;
constexpr uint8_t kEmptyList = ']', kAppend = 'a', kAppends = 'e';
constexpr uint8_t kEmptyDict = '}', kSetItem = 's', kSetItems = 'u';
constexpr uint8_t kName = 'c', kStackName = 0x93, kCall = 'R', kBuild = 'b', kPersistent = 'Q';
constexpr uint8_t kPut1 = 'q', kPut4 = 'r', kMemoize = 0x94, kGet1 = 'h', kGet4 = 'j';

/// Those that are refused.
constexpr std::pair<uint8_t, const char*> kRefused[] = {
    {0x30, "POP"},         {0x31, "POP_MARK"},       {0x32, "DUP"},
    {0x42, "BINBYTES"},    {0x43, "SHORT_BINBYTES"}, {0x46, "FLOAT"},
    {0x49, "INT"},         {0x4c, "LONG"},           {0x50, "PERSID"},
    {0x53, "STRING"},      {0x54, "BINSTRING"},      {0x55, "SHORT_BINSTRING"},
    {0x56, "UNICODE"},     {0x64, "DICT"},           {0x67, "GET"},
    {0x69, "INST"},        {0x6c, "LIST"},           {0x6f, "OBJ"},
    {0x70, "PUT"},         {0x81, "NEWOBJ"},         {0x82, "EXT1"},
    {0x83, "EXT2"},        {0x84, "EXT4"},           {0x8b, "LONG4"},
    {0x8d, "BINUNICODE8"}, {0x8e, "BINBYTES8"},      {0x8f, "EMPTY_SET"},
    {0x90, "ADDITEMS"},    {0x91, "FROZENSET"},      {0x92, "NEWOBJ_EX"},
    {0x96, "BYTEARRAY8"},  {0x97, "NEXT_BUFFER"},    {0x98, "READONLY_BUFFER"}};

PickleValue& Unpickler::read(const std::string& pickle) {
  pickle_ = &pickle;
  for (at_ = 0;;) {
    began_ = at_;
    const auto instruction = uint8_t(number(1));
    if (instruction == kStop) break;
    step(instruction);
  }
  PickleValue& value = pop();
  if (!stack_.empty() || !marks_.empty()) fail("it ends with more than one value");
  if (at_ != pickle.size()) fail("it ends before its last byte");
  return value;
}

PickleValue& Unpickler::made(Kind kind) {
  // A value takes more memory than the bytes that ask for it. Files of torch.save() have six and more for each.
  constexpr uint64_t kFree = 1 << 16, kBytes = 3;
  if (values_.size() > kFree + pickle_->size() / kBytes) fail("it has more values than a state dict of its size");
  values_.push_back({.kind = kind});
  return values_.back();
}

void Unpickler::push_alike(Kind kind, int64_t integer) {
  PickleValue*& value = same_[{kind, integer}];
  if (!value) {
    value = &made(kind);
    value->integer = integer;
  }
  push(*value);
}

uint64_t Unpickler::number(int count) {
  const std::string text = bytes(uint64_t(count));
  uint64_t value = 0;
  for (int i = 0; i < count; ++i) value |= uint64_t(uint8_t(text[size_t(i)])) << 8 * i;
  return value;
}

std::string Unpickler::bytes(uint64_t count) {
  if (count > pickle_->size() - at_) fail(fmt::format("it ends within an instruction of {} more bytes", count));
  at_ += count;
  return pickle_->substr(at_ - count, count);
}

std::string Unpickler::line() {
  const size_t end = pickle_->find('\n', at_);
  if (end == std::string::npos) fail("a name that does not end");
  std::string text = bytes(end - at_);
  ++at_;
  return text;
}

PickleValue& Unpickler::pop() {
  if (stack_.empty() || (!marks_.empty() && stack_.size() == marks_.back())) fail("a value is missing");
  PickleValue& value = *stack_.back();
  stack_.pop_back();
  return value;
}

PickleValue& Unpickler::top(Kind kind, const char* what) {
  if (stack_.empty() || !stack_.back()->is(kind)) fail(fmt::format("it fills what is no {}", what));
  return *stack_.back();
}

std::vector<PickleValue*> Unpickler::since_mark() {
  if (marks_.empty()) fail("a mark is missing");
  const auto first = stack_.begin() + std::ptrdiff_t(marks_.back());
  std::vector<PickleValue*> values(first, stack_.end());
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return values;
}

void Unpickler::remember(uint64_t place) {
  PickleValue& value = pop();
  push(value);
  memo_[place] = &value;
}

void Unpickler::recall(uint64_t place) {
  const auto found = memo_.find(place);
  if (found == memo_.end()) fail(fmt::format("it recalls value {}, which it has not stored", place));
  push(*found->second);
}

void Unpickler::push_name(std::string name) {
  if (!knows(name)) fail(fmt::format("the name '{}' is refused: no state dict needs it", printable(name)));
  PickleValue& value = made(Kind::name);
  value.text = std::move(name);
  push(value);
}

void Unpickler::step(uint8_t instruction) {
  const auto push_text = [&](uint64_t length) {
    PickleValue& value = made(Kind::text);
    value.text = bytes(length);
    push(value);
  };
  const auto push_tuple = [&](size_t count) {
    PickleValue& value = made(Kind::tuple);
    for (size_t i = 0; i < count; ++i) value.items.insert(value.items.begin(), &pop());
    push(value);
  };
  const auto add = [&](Kind kind, const char* what, const std::vector<PickleValue*>& values) {
    PickleValue& to = top(kind, what);
    if (kind == Kind::dict && values.size() % 2 != 0) fail("a key without a value");
    to.items.insert(to.items.end(), values.begin(), values.end());
  };
  const auto is = [&](uint8_t other) { return instruction == other; };
  if (is(kProtocol)) {
    if (const uint64_t version = number(1); version < 2 || version > 5)
      fail(fmt::format("protocol {}; there are 2 to 5", version));
    return;
  }
  if (is(kFrame)) return void(number(8));  // its length, which helps those who read ahead
  if (is(kMark)) return marks_.push_back(stack_.size());
  if (is(kNone)) return push_alike(Kind::none);
  if (is(kTrue)) return push_alike(Kind::boolean, 1);
  if (is(kFalse)) return push_alike(Kind::boolean, 0);
  if (is(kInt1)) return push_alike(Kind::integer, int64_t(number(1)));
  if (is(kInt2)) return push_alike(Kind::integer, int64_t(number(2)));
  if (is(kInt4)) return push_alike(Kind::integer, int32_t(uint32_t(number(4))));
  if (is(kLong1)) {
    const auto count = int(number(1));
    if (count > 8) fail(fmt::format("an integer of {} bytes; there are 8 at most", count));
    const uint64_t v = number(count);
    const bool negative = count > 0 && count < 8 && (v >> (8 * count - 1) & 1) != 0;
    return push_alike(Kind::integer, int64_t(negative ? v - (uint64_t(1) << 8 * count) : v));
  }
  if (is(kReal)) return number(8), push_alike(Kind::real);
  if (is(kText1)) return push_text(number(1));
  if (is(kText4)) return push_text(number(4));
  if (is(kEmptyTuple)) return push_tuple(0);
  if (is(kTuple1)) return push_tuple(1);
  if (is(kTuple2)) return push_tuple(2);
  if (is(kTuple3)) return push_tuple(3);
  if (is(kTuple)) {
    PickleValue& value = made(Kind::tuple);
    value.items = since_mark();
    return push(value);
  }
  if (is(kEmptyList)) return push(made(Kind::list));
  if (is(kEmptyDict)) return push(made(Kind::dict));
  if (is(kAppend)) return add(Kind::list, "list", {&pop()});
  if (is(kAppends)) return add(Kind::list, "list", since_mark());
  if (is(kSetItem)) {
    PickleValue &value = pop(), &key = pop();
    return add(Kind::dict, "dict", {&key, &value});
  }
  if (is(kSetItems)) return add(Kind::dict, "dict", since_mark());
  if (is(kName)) {
    const std::string module = line();
    return push_name(module + " " + line());
  }
  if (is(kStackName)) {
    const PickleValue &name = pop(), &module = pop();
    if (!name.is(Kind::text) || !module.is(Kind::text)) fail("a name that is no text");
    return push_name(module.text + " " + name.text);
  }
  if (is(kCall)) {
    const PickleValue &arguments = pop(), &name = pop();
    if (!name.is(Kind::name) || !arguments.is(Kind::tuple)) fail("a call of what is no name");
    return push(call(name.text, arguments));
  }
  if (is(kBuild)) {  // of an OrderedDict: its versions, which nobody needs
    if (!pop().is(Kind::dict)) fail("attributes that are no dict");
    return void(top(Kind::dict, "dict"));
  }
  if (is(kPersistent)) return push(persistent(pop()));
  if (is(kPut1)) return remember(number(1));
  if (is(kPut4)) return remember(number(4));
  if (is(kMemoize)) return remember(memo_.size());
  if (is(kGet1)) return recall(number(1));
  if (is(kGet4)) return recall(number(4));
  const auto* refused =
      std::find_if(std::begin(kRefused), std::end(kRefused), [&](const auto& r) { return is(r.first); });
  fail(refused == std::end(kRefused)
           ? fmt::format("{:#04x} is no instruction of pickles", instruction)
           : fmt::format("the instruction {} is refused: no state dict needs it", refused->second));
}

}  // namespace ordo::nn
