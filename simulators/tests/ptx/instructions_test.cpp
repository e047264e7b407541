// The PTX machine: every instruction that it knows against what the PTX ISA says.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "simulators/ptx/half.h"
#include "simulators/tests/ptx/kernel_text.h"
#include "tests/support/op_samples.h"

namespace ordo::ptx {
namespace {

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
                        result[1] == 'f'   ? (result[2] == 'd' ? "f64" : "f32")
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
       {"add.f32 %f0, %f1, %f2;", "add.rz.f32 %f0, %f1, %f2;", "add.ftz.rn.f32 %f0, %f1, %f2;",
        "sin.approx.f32 %f0, %f1;", "div.approx.f32 %f0, %f1, %f2;", "mad.rz.f32 %f0, %f1, %f2, %f3;",
        "cvt.f32.f64 %f0, %fd1;", "add.s32 %r0, %rd1, %r2;", "add.s32 %r0, %r1;", "ld.global.u64 %r0, [%rd1];",
        "frob.b32 %r0, %r1;", "mov.u32 %r0, %frobs;", "bra nowhere;", "wmma.load.a %r0, [%rd1];"}) {
    const auto decoded = [&] { decode(ModuleText(kernel_text(statement)), "k", {}); };
    EXPECT_ORDO_ERROR(decoded(), ptx::SyntaxError, statement);
    EXPECT_ORDO_ERROR(decoded(), ptx::SyntaxError, "line 7");
  }
}

}  // namespace
}  // namespace ordo::ptx
