#include <ordo/nn/state/pickle.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/printable.h>

namespace ordo::nn {

namespace {

/// Instructions by their names in Python's pickletools.
enum : uint8_t {
  kMark = '(',
  kStop = '.',
  kNone = 'N',
  kTrue = 0x88,
  kFalse = 0x89,
  kInt1 = 'K',
  kInt2 = 'M',
  kInt4 = 'J',
  kLong1 = 0x8a,
  kReal = 'G',
  kText4 = 'X',
  kText1 = 0x8c,
  kEmptyTuple = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kName = 'c',
  kStackName = 0x93,
  kCall = 'R',
  kBuild = 'b',
  kPersistent = 'Q',
  kPut1 = 'q',
  kPut4 = 'r',
  kMemoize = 0x94,
  kGet1 = 'h',
  kGet4 = 'j',
  kProtocol = 0x80,
  kFrame = 0x95
};

/// Those that are refused.
constexpr std::pair<uint8_t, const char*> kRefused[] = {{'i', "INST"},
                                                        {'o', "OBJ"},
                                                        {0x81, "NEWOBJ"},
                                                        {0x92, "NEWOBJ_EX"},
                                                        {0x82, "EXT1"},
                                                        {0x83, "EXT2"},
                                                        {0x84, "EXT4"},
                                                        {'P', "PERSID"},
                                                        {'I', "INT"},
                                                        {'L', "LONG"},
                                                        {0x8b, "LONG4"},
                                                        {'F', "FLOAT"},
                                                        {'S', "STRING"},
                                                        {'T', "BINSTRING"},
                                                        {'U', "SHORT_BINSTRING"},
                                                        {'V', "UNICODE"},
                                                        {'B', "BINBYTES"},
                                                        {'C', "SHORT_BINBYTES"},
                                                        {0x8e, "BINBYTES8"},
                                                        {0x96, "BYTEARRAY8"},
                                                        {0x97, "NEXT_BUFFER"},
                                                        {0x98, "READONLY_BUFFER"},
                                                        {0x8d, "BINUNICODE8"},
                                                        {'l', "LIST"},
                                                        {'d', "DICT"},
                                                        {0x8f, "EMPTY_SET"},
                                                        {0x90, "ADDITEMS"},
                                                        {0x91, "FROZENSET"},
                                                        {'0', "POP"},
                                                        {'1', "POP_MARK"},
                                                        {'2', "DUP"},
                                                        {'p', "PUT"},
                                                        {'g', "GET"}};

}  // namespace

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
  switch (instruction) {
    case kProtocol:
      if (const uint64_t version = number(1); version < 2 || version > 5)
        fail(fmt::format("protocol {}; there are 2 to 5", version));
      return;
    case kFrame:
      number(8);  // its length, which helps those who read ahead
      return;
    case kMark:
      return marks_.push_back(stack_.size());
    case kNone:
      return push_alike(Kind::none);
    case kTrue:
      return push_alike(Kind::boolean, 1);
    case kFalse:
      return push_alike(Kind::boolean, 0);
    case kInt1:
      return push_alike(Kind::integer, int64_t(number(1)));
    case kInt2:
      return push_alike(Kind::integer, int64_t(number(2)));
    case kInt4:
      return push_alike(Kind::integer, int32_t(uint32_t(number(4))));
    case kLong1: {
      const auto count = int(number(1));
      if (count > 8) fail(fmt::format("an integer of {} bytes; there are 8 at most", count));
      const uint64_t v = number(count);
      const bool negative = count > 0 && count < 8 && (v >> (8 * count - 1) & 1) != 0;
      return push_alike(Kind::integer, int64_t(negative ? v - (uint64_t(1) << 8 * count) : v));
    }
    case kReal:
      number(8);
      return push_alike(Kind::real);
    case kText1:
      return push_text(number(1));
    case kText4:
      return push_text(number(4));
    case kEmptyTuple:
      return push_tuple(0);
    case kTuple1:
      return push_tuple(1);
    case kTuple2:
      return push_tuple(2);
    case kTuple3:
      return push_tuple(3);
    case kTuple: {
      PickleValue& value = made(Kind::tuple);
      value.items = since_mark();
      return push(value);
    }
    case kEmptyList:
      return push(made(Kind::list));
    case kEmptyDict:
      return push(made(Kind::dict));
    case kAppend: {
      PickleValue& value = pop();
      return add(Kind::list, "list", {&value});
    }
    case kAppends: {
      const auto values = since_mark();
      return add(Kind::list, "list", values);
    }
    case kSetItem: {
      PickleValue &value = pop(), &key = pop();
      return add(Kind::dict, "dict", {&key, &value});
    }
    case kSetItems: {
      const auto values = since_mark();
      return add(Kind::dict, "dict", values);
    }
    case kName: {
      const std::string module = line();
      return push_name(module + " " + line());
    }
    case kStackName: {
      const PickleValue &name = pop(), &module = pop();
      if (!name.is(Kind::text) || !module.is(Kind::text)) fail("a name that is no text");
      return push_name(module.text + " " + name.text);
    }
    case kCall: {
      const PickleValue &arguments = pop(), &name = pop();
      if (!name.is(Kind::name) || !arguments.is(Kind::tuple)) fail("a call of what is no name");
      return push(call(name.text, arguments));
    }
    case kBuild: {  // of an OrderedDict: its versions, which nobody needs
      const PickleValue& state = pop();
      if (!state.is(Kind::dict)) fail("attributes that are no dict");
      top(Kind::dict, "dict");
      return;
    }
    case kPersistent:
      return push(persistent(pop()));
    case kPut1:
      return remember(number(1));
    case kPut4:
      return remember(number(4));
    case kMemoize:
      return remember(memo_.size());
    case kGet1:
      return recall(number(1));
    case kGet4:
      return recall(number(4));
    default:
      const auto* refused =
          std::find_if(std::begin(kRefused), std::end(kRefused), [&](const auto& r) { return r.first == instruction; });
      fail(refused == std::end(kRefused)
               ? fmt::format("{:#04x} is no instruction of pickles", instruction)
               : fmt::format("the instruction {} is refused: no state dict needs it", refused->second));
  }
}

}  // namespace ordo::nn
