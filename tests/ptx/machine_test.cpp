// The PTX machine: every instruction that it knows against what the PTX ISA says, and programs whose lanes part, meet,
// wait and go wrong.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tools/ptx/decode.h"
#include "tools/ptx/half.h"

namespace ordo::ptx {
namespace {

constexpr const char* kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";
constexpr const char* kRegisters =
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n";

/// A kernel of one or several parameters of 64 bits: p0, p1, ...
std::string kernel_text(const std::string& body, int parameters = 2, const std::string& before = "") {
  std::string text = kHeader + before + ".visible .entry k(";
  for (int i = 0; i < parameters; ++i) text += fmt::format("{}.param .u64 p{}", i ? ", " : "", i);
  return text + ")\n{\n" + kRegisters + body + "\n ret;\n}\n";
}

void run_text(Device& device, const std::string& text, std::vector<uint64_t> parameters, Dim3 grid, Dim3 block,
              size_t dynamic_shared = 0) {
  const ModuleText module(text);
  const Program program = decode(module, "k", {});
  Launch launch{&program, grid, block, dynamic_shared, std::vector<uint8_t>(program.parameter_bytes)};
  std::memcpy(launch.parameters.data(), parameters.data(), parameters.size() * sizeof(uint64_t));
  run(device, launch);
}

/// Words of the device's memory.
template <class T>
class Words {
 public:
  Words(Device& device, std::vector<T> values)
      : device_(device), size_(values.size()), data_(static_cast<T*>(device.memory.allocate(size_ * sizeof(T)))) {
    std::copy(values.begin(), values.end(), data_);
  }
  Words(Device& device, size_t size) : Words(device, std::vector<T>(size)) {}
  ~Words() { device_.memory.free(data_); }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }
  std::vector<T> values() const { return {data_, data_ + size_}; }
  T operator[](size_t i) const { return data_[i]; }

 private:
  Device& device_;
  size_t size_;
  T* data_;
};

/// What one statement makes of a, b and c: they are in %rd1 ... %rd3, %r1 ..., %rs1 ..., %f1 ..., %fd1 ... by their low
/// bits; %p1 ... say whether they are zero. The result is what the first operand holds.
uint64_t result_of(const std::string& statement, uint64_t a, uint64_t b, uint64_t c) {
  Device device;
  const Words<uint64_t> in(device, {a, b, c}), out(device, 1);
  std::string body = "ld.param.u64 %rd10, [p0]; ld.param.u64 %rd11, [p1]; mov.u64 %rd0, 0; mov.b32 %r0, 0;\n";
  for (int i = 1; i <= 3; ++i)
    body += fmt::format(
        "ld.global.u64 %rd{0}, [%rd10+{1}]; cvt.u32.u64 %r{0}, %rd{0}; cvt.u16.u64 %rs{0}, %rd{0};\n"
        "mov.b32 %f{0}, %r{0}; mov.b64 %fd{0}, %rd{0}; setp.eq.s64 %p{0}, %rd{0}, 0;\n",
        i, 8 * (i - 1));
  body += statement + "\n";
  const size_t at = statement.find('%');
  const std::string result = statement.substr(at, statement.find_first_of(",| ", at) - at);
  if (result[1] == 'p')
    body += fmt::format("selp.u64 %rd12, 1, 0, {}; st.global.u64 [%rd11], %rd12;", result);
  else
    body += fmt::format("st.global.{} [%rd11], {};",
                        result[1] == 'f' ? (result[2] == 'd' ? "f64" : "f32")
                        : result[2] == 'd' ? "u64"
                        : result[2] == 's' ? "u16"
                                           : "u32",
                        result);
  run_text(device, kernel_text(body), {in.address(), out.address()}, {}, {});
  return out[0];
}

struct Case {
  const char* statement;
  uint64_t a, b, c, want;
};

uint64_t f(float v) { return std::bit_cast<uint32_t>(v); }
uint64_t d(double v) { return std::bit_cast<uint64_t>(v); }
constexpr uint64_t kNan = 0x7fffffff, kInf = 0x7f800000, kTiny = 1;  // of 32 bits; the least subnormal
constexpr uint64_t kMinus = ~uint64_t(0);

void expect(const std::vector<Case>& cases) {
  for (const Case& c : cases)
    EXPECT_EQ(result_of(c.statement, c.a, c.b, c.c), c.want)
        << c.statement << fmt::format(" of {:#x}, {:#x}, {:#x}", c.a, c.b, c.c);
}

TEST(PtxInstructions, integers) {
  expect({
      {"add.s32 %r0, %r1, %r2;", 0x7fffffff, 1, 0, 0x80000000},
      {"add.s64 %rd0, %rd1, %rd2;", kMinus, 2, 0, 1},
      {"add.s16 %rs0, %rs1, %rs2;", 0xffff, 2, 0, 1},
      {"sub.s32 %r0, %r1, %r2;", 0, 1, 0, 0xffffffff},
      {"sub.s64 %rd0, %rd1, 5;", 3, 0, 0, kMinus - 1},
      {"sub.s16 %rs0, %rs1, %rs2;", 0, 1, 0, 0xffff},
      {"mul.lo.s32 %r0, %r1, %r2;", 0x10000, 0x10001, 0, 0x10000},
      {"mul.lo.s64 %rd0, %rd1, %rd2;", uint64_t(1) << 40, 1 << 30, 0, 0},
      {"mul.lo.s16 %rs0, %rs1, %rs2;", 300, 300, 0, 90000 & 0xffff},
      {"mul.hi.s32 %r0, %r1, %r2;", 0xffffffff, 2, 0, 0xffffffff},
      {"mul.hi.u32 %r0, %r1, %r2;", 0xffffffff, 2, 0, 1},
      {"mul.hi.u64 %rd0, %rd1, %rd2;", kMinus, kMinus, 0, kMinus - 1},
      {"mul.hi.s64 %rd0, %rd1, %rd2;", kMinus, kMinus, 0, 0},
      {"mul.wide.s32 %rd0, %r1, %r2;", 0xffffffff, 3, 0, kMinus - 2},
      {"mul.wide.u32 %rd0, %r1, %r2;", 0xffffffff, 3, 0, 0x2fffffffd},
      {"mul.wide.s16 %r0, %rs1, %rs2;", 0xffff, 3, 0, 0xfffffffd},
      {"mad.lo.s32 %r0, %r1, %r2, %r3;", 7, 6, 0xffffffff, 41},
      {"mad.wide.u32 %rd0, %r1, %r2, %rd3;", 0xffffffff, 2, 2, 0x200000000},
      {"div.s32 %r0, %r1, %r2;", 0xfffffff9, 2, 0, 0xfffffffd},  // -7 / 2 = -3
      {"div.u32 %r0, %r1, %r2;", 0xfffffff9, 2, 0, 0x7ffffffc},
      {"div.s64 %rd0, %rd1, %rd2;", uint64_t(1) << 63, kMinus, 0, uint64_t(1) << 63},
      {"div.u64 %rd0, %rd1, %rd2;", 7, 0, 0, kMinus},
      {"rem.s32 %r0, %r1, %r2;", 0xfffffff9, 2, 0, 0xffffffff},
      {"rem.u32 %r0, %r1, %r2;", 7, 4, 0, 3},
      {"rem.s64 %rd0, %rd1, %rd2;", uint64_t(1) << 63, kMinus, 0, 0},
      {"min.s32 %r0, %r1, %r2;", 0xffffffff, 1, 0, 0xffffffff},
      {"min.u32 %r0, %r1, %r2;", 0xffffffff, 1, 0, 1},
      {"max.s64 %rd0, %rd1, %rd2;", kMinus, 1, 0, 1},
      {"max.u16 %rs0, %rs1, %rs2;", 0xffff, 1, 0, 0xffff},
      {"max.s16 %rs0, %rs1, %rs2;", 0xffff, 1, 0, 1},
      {"neg.s32 %r0, %r1;", 0x80000000, 0, 0, 0x80000000},
      {"neg.s64 %rd0, %rd1;", 1, 0, 0, kMinus},
      {"neg.s16 %rs0, %rs1;", 1, 0, 0, 0xffff},
      {"abs.s32 %r0, %r1;", 0xffffffff, 0, 0, 1},
      {"abs.s64 %rd0, %rd1;", kMinus, 0, 0, 1},
      {"add.cc.s64 %rd0, %rd1, %rd2; addc.cc.s64 %rd0, %rd3, %rd3;", kMinus, 1, 10, 21},
      {"add.cc.s64 %rd0, %rd1, %rd2; addc.s64 %rd0, %rd3, %rd3;", 1, 1, 10, 20},
      {"add.cc.u32 %r0, %r1, %r2; addc.u32 %r0, %r3, 0;", 0xffffffff, 1, 5, 6},
      {"sub.cc.u32 %r0, %r1, %r2; subc.u32 %r0, %r3, 0;", 0, 1, 5, 4},
  });
}

TEST(PtxInstructions, bits) {
  expect({
      {"and.b32 %r0, %r1, %r2;", 0xc, 0xa, 0, 8},
      {"or.b64 %rd0, %rd1, %rd2;", uint64_t(1) << 40, 1, 0, (uint64_t(1) << 40) + 1},
      {"xor.b16 %rs0, %rs1, %rs2;", 0xff, 0xf, 0, 0xf0},
      {"not.b32 %r0, %r1;", 0, 0, 0, 0xffffffff},
      {"not.b64 %rd0, %rd1;", 0, 0, 0, kMinus},
      {"shl.b32 %r0, %r1, %r2;", 1, 31, 0, 0x80000000},
      {"shl.b32 %r0, %r1, %r2;", 1, 32, 0, 0},
      {"shl.b64 %rd0, %rd1, %r2;", 1, 63, 0, uint64_t(1) << 63},
      {"shl.b64 %rd0, %rd1, %r2;", 1, 200, 0, 0},
      {"shr.u32 %r0, %r1, %r2;", 0x80000000, 31, 0, 1},
      {"shr.u32 %r0, %r1, %r2;", 0x80000000, 32, 0, 0},
      {"shr.s32 %r0, %r1, %r2;", 0x80000000, 40, 0, 0xffffffff},
      {"shr.s64 %rd0, %rd1, %r2;", uint64_t(1) << 63, 62, 0, kMinus - 1},
      {"shr.b64 %rd0, %rd1, %r2;", uint64_t(1) << 63, 63, 0, 1},
      {"shr.s16 %rs0, %rs1, %r2;", 0x8000, 20, 0, 0xffff},
      {"popc.b32 %r0, %r1;", 0xf0f0, 0, 0, 8},
      {"popc.b64 %r0, %rd1;", kMinus, 0, 0, 64},
      {"clz.b32 %r0, %r1;", 0, 0, 0, 32},
      {"clz.b64 %r0, %rd1;", 1, 0, 0, 63},
      {"brev.b32 %r0, %r1;", 3, 0, 0, 0xc0000000},
      {"bfind.shiftamt.u32 %r0, %r1;", 1, 0, 0, 31},
      {"bfind.u32 %r0, %r1;", 0x100, 0, 0, 8},
      {"bfind.u32 %r0, %r1;", 0, 0, 0, 0xffffffff},
      {"bfind.s32 %r0, %r1;", 0xffffffff, 0, 0, 0xffffffff},
      {"bfi.b64 %rd0, %rd1, %rd2, 32, 32;", 7, 9, 0, (uint64_t(7) << 32) + 9},
      {"bfi.b32 %r0, %r1, %r2, 4, 8;", 0xfff, 0, 0, 0xff0},
      {"bfe.u32 %r0, %r1, 4, 8;", 0xabcd, 0, 0, 0xbc},
      {"bfe.s32 %r0, %r1, 4, 8;", 0xabcd, 0, 0, 0xffffffbc},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", 4, 8, 0, 0xff0},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", 30, 8, 0, 0xc0000000},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", 0, 40, 0, 0xffffffff},
      {"bmsk.clamp.b32 %r0, %r1, %r2;", 32, 1, 0, 0},
      {"prmt.b32 %r0, %r1, %r2, 0x5410;", 0x44332211, 0x88776655, 0, 0x66552211},
      {"prmt.b32 %r0, %r1, %r2, 0xb;", 0x84332211, 0, 0, 0x111111ff},
      {"shf.l.wrap.b32 %r0, %r1, %r2, 8;", 0x12345678, 0x9abcdef0, 0, 0xbcdef012},
      {"shf.r.wrap.b32 %r0, %r1, %r2, 40;", 0x12345678, 0x9abcdef0, 0, 0xf0123456},
      {"and.pred %p0, %p1, %p2;", 0, 1, 0, 0},
      {"or.pred %p0, %p1, %p2;", 0, 1, 0, 1},
      {"xor.pred %p0, %p1, %p2;", 0, 0, 0, 0},
      {"not.pred %p0, %p1;", 0, 0, 0, 0},
      {"mov.pred %p0, %p1;", 0, 0, 0, 1},
      {"mov.pred %p0, 0;", 0, 0, 0, 0},
      {"selp.b32 %r0, %r1, %r2, %p3;", 5, 6, 0, 5},
      {"selp.b64 %rd0, %rd1, %rd2, %p3;", 5, 6, 1, 6},
      {"selp.b16 %rs0, %rs1, %rs2, %p3;", 5, 6, 1, 6},
      {"selp.f32 %f0, %f1, 0f3F800000, %p3;", 5, 6, 1, f(1)},
      {"mov.b64 {%r0, %r4}, %rd1;", 0x100000002, 0, 0, 2},
      {"mov.b64 %rd0, {%r1, %r2};", 1, 2, 0, 0x200000001},
      {"mov.b32 %r0, {%rs1, %rs2};", 1, 2, 0, 0x20001},
  });
}

TEST(PtxInstructions, floats) {
  const uint64_t up = f(1 + 0x1p-23f), half_ulp = f(0x1p-24f);
  expect({
      {"add.rn.f32 %f0, %f1, %f2;", f(1), half_ulp, 0, f(1)},  // a tie goes to even
      {"add.rn.f32 %f0, %f1, %f2;", up, half_ulp, 0, f(1 + 0x1p-22f)},
      {"add.rn.f32 %f0, %f1, %f2;", kTiny, kTiny, 0, 2},  // subnormal numbers are kept
      {"add.rn.f32 %f0, %f1, %f2;", kInf, f(-std::numeric_limits<float>::infinity()), 0, kNan},
      {"add.rn.f32 %f0, %f1, %f2;", 0xffc12345, f(1), 0, kNan},
      {"add.rn.f32 %f0, %f1, %f2;", f(-0.0f), f(-0.0f), 0, f(-0.0f)},
      {"sub.rn.f32 %f0, %f1, %f2;", f(1), f(1), 0, 0},
      {"mul.rn.f32 %f0, %f1, %f2;", f(3), f(1.0f / 3), 0, f(3 * (1.0f / 3))},
      {"mul.rn.f32 %f0, %f1, %f2;", f(0x1p-100f), f(0x1p-49f), 0, kTiny},
      {"mul.rn.f32 %f0, %f1, %f2;", 0, kInf, 0, kNan},
      {"div.rn.f32 %f0, %f1, %f2;", f(1), f(3), 0, f(1.0f / 3)},
      {"div.rn.f32 %f0, %f1, %f2;", 0, 0, 0, kNan},
      {"div.rn.f32 %f0, %f1, %f2;", f(-1), 0, 0, f(-std::numeric_limits<float>::infinity())},
      {"rcp.rn.f32 %f0, %f1;", f(3), 0, 0, f(1.0f / 3)},
      {"sqrt.rn.f32 %f0, %f1;", f(2), 0, 0, f(std::sqrt(2.0f))},
      {"sqrt.rn.f32 %f0, %f1;", f(-1), 0, 0, kNan},
      {"neg.f32 %f0, %f1;", 0, 0, 0, f(-0.0f)},
      {"abs.f32 %f0, %f1;", f(-2), 0, 0, f(2)},
      {"fma.rn.f32 %f0, %f1, %f2, %f3;", up, up, f(-1), f(std::fma(1 + 0x1p-23f, 1 + 0x1p-23f, -1.0f))},
      {"min.f32 %f0, %f1, %f2;", f(1), kNan, 0, f(1)},
      {"min.f32 %f0, %f1, %f2;", 0, f(-0.0f), 0, f(-0.0f)},
      {"max.f32 %f0, %f1, %f2;", f(-0.0f), 0, 0, 0},
      {"add.rn.f64 %fd0, %fd1, %fd2;", d(1), d(0x1p-53), 0, d(1)},
      {"sub.rn.f64 %fd0, %fd1, %fd2;", d(1), d(0x1p-54), 0, d(1)},
      {"mul.rn.f64 %fd0, %fd1, %fd2;", d(3), d(1.0 / 3), 0, d(3 * (1.0 / 3))},
      {"div.rn.f64 %fd0, %fd1, %fd2;", d(1), d(3), 0, d(1.0 / 3)},
      {"rcp.rn.f64 %fd0, %fd1;", d(7), 0, 0, d(1.0 / 7)},
      {"sqrt.rn.f64 %fd0, %fd1;", d(2), 0, 0, d(std::sqrt(2.0))},
      {"neg.f64 %fd0, %fd1;", d(2), 0, 0, d(-2)},
      {"setp.eq.f32 %p0, %f1, %f2;", 0, f(-0.0f), 0, 1},
      {"setp.ne.f32 %p0, %f1, %f2;", kNan, 0, 0, 0},
      {"setp.neu.f32 %p0, %f1, %f2;", kNan, 0, 0, 1},
      {"setp.lt.f32 %p0, %f1, %f2;", kNan, 0, 0, 0},
      {"setp.ltu.f64 %p0, %fd1, %fd2;", d(NAN), 0, 0, 1},
      {"setp.geu.f64 %p0, %fd1, %fd2;", d(1), d(2), 0, 0},
      {"setp.gtu.f64 %p0, %fd1, %fd2;", d(2), d(1), 0, 1},
      {"setp.nan.f32 %p0, %f1, %f2;", kNan, 0, 0, 1},
      {"setp.num.f32 %p0, %f1, %f2;", kNan, 0, 0, 0},
      {"setp.ge.f32 %p0, %f1, %f2;", f(1), f(1), 0, 1},
      {"setp.lt.s32 %p0, %r1, %r2;", 0xffffffff, 0, 0, 1},
      {"setp.lt.u32 %p0, %r1, %r2;", 0xffffffff, 0, 0, 0},
      {"setp.gt.s16 %p0, %rs1, %rs2;", 0xffff, 0, 0, 0},
      {"setp.le.u64 %p0, %rd1, %rd2;", 5, 5, 0, 1},
      {"setp.ne.s64 %p0, %rd1, %rd2;", uint64_t(1) << 32, 0, 0, 1},
  });
}

TEST(PtxInstructions, conversions) {
  constexpr uint64_t kMin64 = uint64_t(1) << 63, kMax64 = kMin64 - 1;
  expect({
      {"cvt.u32.u64 %r0, %rd1;", 0x1234567890, 0, 0, 0x34567890},
      {"cvt.u64.u32 %rd0, %r1;", 0xffffffff, 0, 0, 0xffffffff},
      {"cvt.s64.s32 %rd0, %r1;", 0xffffffff, 0, 0, kMinus},
      {"cvt.s64.s8 %rd0, %rd1;", 0x180, 0, 0, kMinus - 127},
      {"cvt.s16.s8 %rs0, %rs1;", 0x80, 0, 0, 0xff80},
      {"cvt.s32.s8 %r0, %r1;", 0x80, 0, 0, 0xffffff80},
      {"cvt.u16.u64 %rs0, %rd1;", 0x12345678, 0, 0, 0x5678},
      {"cvt.u64.u16 %rd0, %rs1;", 0xffff, 0, 0, 0xffff},
      {"cvt.rn.f32.s64 %f0, %rd1;", (1 << 24) + 1, 0, 0, f(1 << 24)},
      {"cvt.rn.f32.u32 %f0, %r1;", 0xffffffff, 0, 0, f(0x1p32f)},
      {"cvt.rn.f64.s64 %fd0, %rd1;", kMinus, 0, 0, d(-1)},
      {"cvt.rn.f64.u64 %fd0, %rd1;", kMinus, 0, 0, d(0x1p64)},
      {"cvt.rn.f64.u32 %fd0, %r1;", 0xffffffff, 0, 0, d(4294967295.0)},
      {"cvt.rzi.s64.f64 %rd0, %fd1;", d(-2.9), 0, 0, kMinus - 1},
      {"cvt.rzi.s64.f64 %rd0, %fd1;", d(1e30), 0, 0, kMax64},
      {"cvt.rzi.s64.f64 %rd0, %fd1;", d(-1e30), 0, 0, kMin64},
      {"cvt.rzi.s64.f64 %rd0, %fd1;", d(NAN), 0, 0, kMin64},
      {"cvt.rzi.s64.f32 %rd0, %f1;", f(1.5f), 0, 0, 1},
      {"cvt.rzi.s32.f64 %r0, %fd1;", d(-1e10), 0, 0, 0x80000000},
      {"cvt.rzi.u32.f64 %r0, %fd1;", d(-3), 0, 0, 0},
      {"cvt.rzi.s32.f32 %r0, %f1;", kNan, 0, 0, 0},
      {"cvt.rzi.s32.f32 %r0, %f1;", f(2147483648.0f), 0, 0, 0x7fffffff},
      {"cvt.rni.s32.f32 %r0, %f1;", f(2.5f), 0, 0, 2},
      {"cvt.rni.f32.f32 %f0, %f1;", f(-0.4f), 0, 0, f(-0.0f)},
      {"cvt.rmi.f32.f32 %f0, %f1;", f(-0.5f), 0, 0, f(-1)},
      {"cvt.rpi.f64.f64 %fd0, %fd1;", d(0.5), 0, 0, d(1)},
      {"cvt.f64.f32 %fd0, %f1;", kTiny, 0, 0, d(0x1p-149)},
      {"cvt.rn.f32.f64 %f0, %fd1;", d(1 + 0x1p-24), 0, 0, f(1)},
      {"cvt.rn.f32.f64 %f0, %fd1;", d(NAN), 0, 0, kNan},
      {"cvt.rn.f16.f32 %rs0, %f1;", f(1), 0, 0, 0x3c00},
      {"cvt.rn.f16.f32 %rs0, %f1;", f(65520), 0, 0, 0x7c00},
      {"cvt.rn.f16.f32 %rs0, %f1;", f(65519), 0, 0, 0x7bff},
      {"cvt.rn.f16.f32 %rs0, %f1;", f(0x1p-25f), 0, 0, 0},
      {"cvt.rn.f16.f32 %rs0, %f1;", f(-0x1.8p-25f), 0, 0, 0x8001},
      {"cvt.rn.f16.f32 %rs0, %f1;", kNan, 0, 0, 0x7fff},
      {"cvt.f32.f16 %f0, %rs1;", 1, 0, 0, f(0x1p-24f)},
      {"cvt.f32.f16 %f0, %rs1;", 0xfc00, 0, 0, f(-std::numeric_limits<float>::infinity())},
      {"cvt.rn.bf16.f32 %rs0, %f1;", 0x3f808000, 0, 0, 0x3f80},
      {"cvt.rn.bf16.f32 %rs0, %f1;", 0x3f818000, 0, 0, 0x3f82},
      {"cvt.f32.bf16 %f0, %rs1;", 0x3f80, 0, 0, f(1)},
  });
}

// Every half, there and back.
TEST(PtxInstructions, all_halves) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float v = float(Float16{uint16_t(bits)});
    ASSERT_TRUE(v != v || Float16::from(v).bits == bits);
    const float b = float(BFloat16{uint16_t(bits)});
    ASSERT_TRUE(b != b || std::bit_cast<uint32_t>(b) == bits << 16);
    ASSERT_TRUE(b != b || BFloat16::from(b).bits == bits);
  }
}

TEST(PtxInstructions, what_the_machine_does_not_know_stops_with_its_text) {
  for (const char* statement :
       {"add.f32 %f0, %f1, %f2;", "add.rz.f32 %f0, %f1, %f2;", "add.ftz.rn.f32 %f0, %f1, %f2;", "sin.approx.f32 %f0, %f1;",
        "div.approx.f32 %f0, %f1, %f2;", "mad.rz.f32 %f0, %f1, %f2, %f3;", "cvt.f32.f64 %f0, %fd1;", "add.s32 %r0, %rd1, %r2;",
        "add.s32 %r0, %r1;", "ld.global.u64 %r0, [%rd1];", "frob.b32 %r0, %r1;", "mov.u32 %r0, %frobs;", "bra nowhere;",
        "wmma.load.a %r0, [%rd1];"}) {
    try {
      decode(ModuleText(kernel_text(statement)), "k", {});
      ADD_FAILURE() << statement << " was decoded";
    } catch (const SyntaxError& e) {
      EXPECT_NE(std::string(e.what()).find(statement), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("line 7"), std::string::npos) << e.what();
    }
  }
}

// -- programs -----------------------------------------------------------------------------------------------------

constexpr Schedule kSchedules[] = {{Schedule::Order::forward, 1}, {Schedule::Order::reverse, 1},
                                   {Schedule::Order::random, 1},  {Schedule::Order::random, 2},
                                   {Schedule::Order::random, 3},  {Schedule::Order::random, 4}};

/// The word of every thread of a launch: `body` leaves it in %r0. %r1 is the thread's number in its block, %r2 the
/// block's; %rd1 is the address of `extra`.
std::vector<uint32_t> words_of(const std::string& body, Dim3 grid, Dim3 block, const Schedule& schedule,
                               std::vector<uint32_t> extra = {0}, const std::string& before = "",
                               std::vector<uint32_t>* extra_after = nullptr) {
  Device device;
  device.schedule = schedule;
  device.most_steps = 1 << 24;
  const Words<uint32_t> out(device, grid.count() * block.count()), more(device, std::move(extra));
  run_text(device,
           kernel_text("ld.param.u64 %rd0, [p0]; ld.param.u64 %rd1, [p1];\n"
                       "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r18, %ntid.x;\n" +
                           body +
                           "\nmad.lo.s32 %r17, %r2, %r18, %r1; mul.wide.u32 %rd17, %r17, 4; add.s64 %rd17, %rd17, %rd0;\n"
                           "st.global.u32 [%rd17], %r0;",
                       2, before),
           {out.address(), more.address()}, grid, block, 256);
  if (extra_after) *extra_after = more.values();
  return out.values();
}

TEST(PtxPrograms, lanes_part_and_meet) {
  // The number of steps of Collatz from each lane's number: a loop of different length, with branches inside.
  const std::string body =
      "add.u32 %r3, %r1, 1; mov.u32 %r0, 0;\n"
      "LOOP: setp.eq.s32 %p0, %r3, 1; @%p0 bra DONE;\n"
      "and.b32 %r4, %r3, 1; setp.eq.s32 %p1, %r4, 0; @%p1 bra EVEN;\n"
      "mad.lo.s32 %r3, %r3, 3, 1; bra.uni NEXT;\n"
      "EVEN: shr.u32 %r3, %r3, 1;\n"
      "NEXT: add.s32 %r0, %r0, 1; bra LOOP;\n"
      "DONE:";
  for (const Schedule& s : kSchedules) {
    const auto words = words_of(body, {}, {70, 1, 1}, s);
    for (uint32_t i = 0; i < words.size(); ++i) {
      uint32_t n = i + 1, steps = 0;
      for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
      EXPECT_EQ(words[i], steps) << i;
    }
  }
}

TEST(PtxPrograms, lanes_that_wait_for_each_other_all_go_on) {
  // Each lane in turn, the last one first, holds a lock that the others of its warp spin for.
  const std::string body =
      "mov.u32 %r0, 0;\n"
      "SPIN: ld.volatile.global.u32 %r3, [%rd1]; sub.u32 %r4, 31, %r1; setp.ne.u32 %p0, %r3, %r4; @%p0 bra SPIN;\n"
      "add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd1], %r3; mov.u32 %r0, %r3;";
  for (const Schedule& s : kSchedules) {
    const auto words = words_of(body, {}, {32, 1, 1}, s);
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(words[i], 32 - i);
  }
}

TEST(PtxPrograms, blocks_that_wait_for_earlier_ones_go_on) {
  const std::string body =
      "mov.u32 %r0, 7;\n"
      "SPIN: ld.volatile.global.u32 %r3, [%rd1]; setp.ne.u32 %p0, %r3, %r2; @%p0 nanosleep.u32 100; @%p0 bra SPIN;\n"
      "membar.gl; add.u32 %r3, %r3, 1; st.volatile.global.u32 [%rd1], %r3;";
  for (const Schedule& s : kSchedules) {
    std::vector<uint32_t> after;
    words_of(body, {40, 1, 1}, {1, 1, 1}, s, {0}, "", &after);
    EXPECT_EQ(after[0], 40u);
  }
}

TEST(PtxPrograms, barriers_and_shared_memory) {
  // Reversal of a block through shared memory, static and dynamic.
  const std::string body =
      "shl.b32 %r3, %r1, 2; mov.u32 %r4, buffer; add.u32 %r4, %r4, %r3; st.shared.u32 [%r4], %r1; bar.sync 0;\n"
      "sub.u32 %r5, 59, %r1; shl.b32 %r5, %r5, 2; mov.u32 %r4, buffer; add.u32 %r4, %r4, %r5; ld.shared.u32 %r0, [%r4];\n"
      "cvt.u64.u32 %rd5, %r4; cvta.shared.u64 %rd5, %rd5; ld.u32 %r6, [%rd5]; add.u32 %r0, %r0, %r6;";
  for (const Schedule& s : kSchedules)
    for (const char* before : {".shared .align 4 .b8 buffer[240];\n", ".extern .shared .align 16 .b8 buffer[];\n"}) {
      const auto words = words_of(body, {3, 1, 1}, {60, 1, 1}, s, {0}, before);
      for (uint32_t i = 0; i < words.size(); ++i) EXPECT_EQ(words[i], 2 * (59 - i % 60));
    }
  // Votes of a block: is any, are all, how many threads above 60?
  for (const Schedule& s : kSchedules) {
    const auto words = words_of(
        "setp.gt.u32 %p1, %r1, 60; bar.red.or.pred %p2, 0, %p1; bar.red.and.pred %p3, 0, %p1;\n"
        "bar.red.popc.u32 %r0, 0, %p1; selp.u32 %r4, 100, 0, %p2; add.u32 %r0, %r0, %r4; selp.u32 %r4, 1000, 0, %p3;\n"
        "add.u32 %r0, %r0, %r4;",
        {}, {70, 1, 1}, s);
    for (uint32_t w : words) EXPECT_EQ(w, 109u);
  }
}

TEST(PtxPrograms, shuffles) {
  // (mode, b, c) with the lane that each lane gets its value from, by the manual's formulas.
  const auto from = [](const std::string& mode, int lane, int b, int c) {
    const int clamp = c & 31, segment = c >> 8 & 31, last = (lane & segment) | (clamp & ~segment), first = lane & segment;
    const int j = mode == "up" ? lane - b : mode == "down" ? lane + b : mode == "bfly" ? (lane ^ b) : first | (b & ~segment);
    const bool inside = mode == "up" ? j >= last : j <= last;
    return inside ? j : lane;
  };
  for (const std::string mode : {"up", "down", "bfly", "idx"})
    for (int width : {1, 2, 8, 32})
      for (int b : {0, 1, 3, 8, 31}) {
        const int c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
        const auto words = words_of(
            fmt::format("mov.u32 %r3, {}; mov.u32 %r4, {}; add.u32 %r5, %r1, 100;\n"
                        "shfl.sync.{}.b32 %r0|%p1, %r5, %r3, %r4, 0xffffffff;\n"
                        "selp.u32 %r6, 1000, 0, %p1; add.u32 %r0, %r0, %r6;",
                        b, c, mode),
            {}, {32, 1, 1}, kSchedules[2]);
        for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(int(words[size_t(lane)]) % 1000 - 100, from(mode, lane, b, c));
      }
}

TEST(PtxPrograms, lanes_of_a_mask_wait_for_each_other) {
  // Odd and even lanes come from different branches; the vote is of all of them.
  for (const Schedule& s : kSchedules) {
    const auto words = words_of(
        "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1; @%p1 bra ODD; mov.u32 %r4, 0; mov.u32 %r5, 0;\n"
        "LOOP: add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, 100; @%p2 bra LOOP;\n"
        "ODD: vote.sync.ballot.b32 %r0, %p1, 0xffffffff;",
        {}, {32, 1, 1}, s);
    for (uint32_t w : words) EXPECT_EQ(w, 0xaaaaaaaau);
    const auto halves = words_of(
        "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 1; mov.u32 %r6, 0x55555555; @%p1 mov.u32 %r6, 0xaaaaaaaa;\n"
        "shr.u32 %r7, %r1, 2; cvt.u64.u32 %rd5, %r7; match.any.sync.b64 %r0, %rd5, %r6;",
        {}, {32, 1, 1}, s);
    for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(halves[i], (0x5u << i % 2) << i / 4 * 4);
  }
}

TEST(PtxPrograms, atomics) {
  for (const Schedule& s : kSchedules) {
    std::vector<uint32_t> after;
    const auto words = words_of(
        "atom.global.add.u32 %r0, [%rd1], 2; atom.global.max.u32 %r4, [%rd1+4], %r1; atom.global.min.s32 %r5, [%rd1+8], %r1;\n"
        "red.global.or.b32 [%rd1+12], %r1; atom.global.exch.b32 %r6, [%rd1+16], 9; red.global.add.f32 [%rd1+20], 0f3F800000;\n"
        "atom.global.cas.b32 %r7, [%rd1+24], 5, 6; mov.b32 %r8, 0x3C003C00; red.global.add.noftz.f16x2 [%rd1+28], %r8;\n"
        "mov.f32 %f1, 0f00000001; red.global.add.f32 [%rd1+32], %f1;",
        {2, 1, 1}, {64, 1, 1}, s, {0, 0, 100, 0, 1, 0, 5, 0, 1}, "", &after);
    EXPECT_EQ(after, (std::vector<uint32_t>{256, 63, 0, 63, 9, uint32_t(f(128)), 6, 0x58005800, 0})) << "128 of each; "
        "subnormal floats in global memory are taken for zeros";
    EXPECT_EQ(std::set<uint32_t>(words.begin(), words.end()).size(), 128u) << "every old value once";
  }
}

TEST(PtxPrograms, vectors_local_memory_and_parameters) {
  Device device;
  const Words<uint32_t> in(device, {1, 2, 3, 4}), out(device, 4);
  const std::string text =
      std::string(kHeader) + ".visible .entry k(.param .align 8 .b8 p[24])\n{\n.local .align 16 .b8 depot[16];\n" + kRegisters +
      "mov.b64 %rd9, p; ld.param.u64 %rd0, [p+8]; ld.param.u64 %rd1, [%rd9+16]; ld.param.s8 %r9, [p+3];\n"
      "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0]; mov.u64 %rd2, depot; st.local.v2.u32 [%rd2], {%r3, %r4};\n"
      "cvta.local.u64 %rd3, %rd2; ld.v2.u32 {%r5, %r6}, [%rd3];\n"
      "{ .reg .u32 %r5; mov.u32 %r5, 77; add.u32 %r1, %r1, %r5; }\n"  // another %r5
      "st.global.v4.u32 [%rd1], {%r6, %r5, %r1, %r9}; ret;\n}\n";
  const ModuleText module(text);
  const Program program = decode(module, "k", {});
  Launch launch{&program, {}, {}, 0, std::vector<uint8_t>(24)};
  launch.parameters[3] = 0xfe;
  const uint64_t addresses[] = {in.address(), out.address()};
  std::memcpy(launch.parameters.data() + 8, addresses, sizeof addresses);
  run(device, launch);
  EXPECT_EQ(out.values(), (std::vector<uint32_t>{4, 3, 78, 0xfffffffe}));
}

// -- wrong programs -----------------------------------------------------------------------------------------------

void expect_fault(Fault::Kind kind, const std::string& text, const std::string& body, const Schedule& schedule = kSchedules[0]) {
  try {
    words_of(body, {}, {64, 1, 1}, schedule);
    ADD_FAILURE() << "no fault: " << body;
  } catch (const Fault& e) {
    EXPECT_EQ(e.kind, kind) << e.what();
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

TEST(PtxFaults, are_caught_by_name) {
  using Kind = Fault::Kind;
  expect_fault(Kind::illegal_address, "byte 4 and on of 4", "ld.global.u32 %r0, [%rd1+4];");
  expect_fault(Kind::illegal_address, "outside of the device's memory", "mov.u64 %rd2, 64; ld.global.u32 %r0, [%rd2];");
  expect_fault(Kind::illegal_address, "outside of shared memory", "mov.u32 %r3, 256; st.shared.u32 [%r3], %r1; mov.u32 %r0, 0;");
  expect_fault(Kind::illegal_address, "outside of shared memory", "mov.u32 %r3, 253; ld.shared.u8 %r0, [%r3+3];");
  expect_fault(Kind::misaligned_address, "not a multiple", "ld.global.u32 %r0, [%rd1+2];");
  expect_fault(Kind::misaligned_address, "8 bytes", "ld.global.v2.u32 {%r0, %r3}, [%rd0+4];");
  expect_fault(Kind::illegal_instruction, "stopped itself", "trap;");
  expect_fault(Kind::timeout, "no end", "LOOP: bra LOOP;");
  expect_fault(Kind::failure, "different barriers",
               "setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 0; @!%p1 bar.sync 1; mov.u32 %r0, 0;");
  expect_fault(Kind::failure, "does not have the lane itself", "vote.sync.ballot.b32 %r0, %p1, 1;");
  for (const Schedule& s : kSchedules)
    expect_fault(Kind::failure, "deadlock",  // half a warp waits for the other, which waits at a barrier
                 "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bar.warp.sync 0xffffffff; bar.sync 0; mov.u32 %r0, 0;", s);
}

TEST(PtxFaults, name_thread_and_statement) {
  try {
    words_of("setp.eq.u32 %p1, %r1, 37; @%p1 ld.global.u32 %r0, [%rd1+8];", {3, 1, 1}, {64, 1, 1}, kSchedules[0]);
    ADD_FAILURE();
  } catch (const Fault& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("thread (37, 0, 0) of block (0, 0, 0)"), std::string::npos) << what;
    EXPECT_NE(what.find("ld.global.u32 %r0, [%rd1+8];"), std::string::npos) << what;
  }
}

TEST(PtxFaults, freed_memory) {
  Device device;
  auto words = std::make_unique<Words<uint32_t>>(device, 8);
  const uint64_t address = words->address();
  const std::string text = kernel_text("ld.param.u64 %rd0, [p0]; ld.global.u32 %r0, [%rd0+4];", 1);
  run_text(device, text, {address}, {}, {});
  words.reset();
  try {
    run_text(device, text, {address}, {}, {});
    ADD_FAILURE();
  } catch (const Fault& e) {
    EXPECT_NE(std::string(e.what()).find("byte 4 of 32 that have been freed"), std::string::npos) << e.what();
  }
}

TEST(PtxMachine, order_of_float_atomics_is_drawn_from_the_seed) {
  const auto sum = [](uint64_t seed, Schedule::Order order) {
    std::vector<uint32_t> after;
    words_of("mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd5, %rd1; ld.global.f32 %f1, [%rd5+4]; red.global.add.f32 [%rd1], %f1;\n"
             "mov.u32 %r0, 0;",
             {}, {64, 1, 1}, {order, seed}, [] {
               std::vector<uint32_t> values{0};
               for (int i = 0; i < 64; ++i) values.push_back(uint32_t(f(1.0f / float(3 + i * i * i))));
               return values;
             }(), "", &after);
    return after[0];
  };
  std::set<uint32_t> sums;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    sums.insert(sum(seed, Schedule::Order::random));
    EXPECT_EQ(sum(seed, Schedule::Order::random), sum(seed, Schedule::Order::random));
  }
  EXPECT_GT(sums.size(), 1u);
}

TEST(PtxMachine, counts) {
  Device device;
  const Words<uint32_t> out(device, 64 * 8);
  // Neighbouring words: four sectors a warp. Every eighth word: 32.
  const auto sectors = [&](int stride) {
    const Counts before = device.counts;
    run_text(device, kernel_text(fmt::format("ld.param.u64 %rd0, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, {}; "
                                             "add.s64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r1;",
                                             4 * stride), 1),
             {out.address()}, {}, {64, 1, 1});
    EXPECT_EQ(device.counts.instructions - before.instructions, 64u * 6);
    EXPECT_EQ(device.counts.warp_instructions - before.warp_instructions, 2u * 6);
    EXPECT_EQ(device.counts.global_stores - before.global_stores, 2u);
    return device.counts.sectors - before.sectors;
  };
  EXPECT_EQ(sectors(1), 8u);
  EXPECT_EQ(sectors(8), 64u);
}

}  // namespace
}  // namespace ordo::ptx
