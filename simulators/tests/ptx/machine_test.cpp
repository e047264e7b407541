// The PTX machine: programs whose lanes part, meet and wait for each other, and programs that are wrong.
#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "simulators/tests/ptx/kernel_text.h"
#include "tests/support/expect_contains.h"
#include "tests/support/op_samples.h"

namespace ordo::ptx {
namespace {

/// The word of every thread of a launch: `body` leaves it in %r0. %r1 is the thread's number in its block, %r2 the
/// block's; %rd1 is the address of `extra`.
std::vector<uint32_t> words_of(const std::string& body, Dim3 grid, Dim3 block, const Schedule& schedule,
                               std::vector<uint32_t> extra = {0}, const std::string& before = "",
                               std::vector<uint32_t>* extra_after = nullptr) {
  Device device;
  device.schedule = schedule;
  device.most_steps = 1 << 24;
  const Words<uint32_t> out(device, grid.count() * block.count()), more(device, std::move(extra));
  run_text(
      device,
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
      "sub.u32 %r5, 59, %r1; shl.b32 %r5, %r5, 2; mov.u32 %r4, buffer; add.u32 %r4, %r4, %r5; ld.shared.u32 %r0, "
      "[%r4];\n"
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
    const int clamp = c & 31, segment = c >> 8 & 31, last = (lane & segment) | (clamp & ~segment),
              first = lane & segment;
    const int j = mode == "up"     ? lane - b
                  : mode == "down" ? lane + b
                  : mode == "bfly" ? (lane ^ b)
                                   : first | (b & ~segment);
    const bool inside = mode == "up" ? j >= last : j <= last;
    return inside ? j : lane;
  };
  for (const std::string mode : {"up", "down", "bfly", "idx"})
    for (int width : {1, 2, 8, 32})
      for (int b : {0, 1, 3, 8, 31}) {
        const int c = (32 - width) << 8 | (mode == "up" ? 0 : 31);
        const auto words = words_of(fmt::format("mov.u32 %r3, {}; mov.u32 %r4, {}; add.u32 %r5, %r1, 100;\n"
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
        "atom.global.add.u32 %r0, [%rd1], 2; atom.global.max.u32 %r4, [%rd1+4], %r1; atom.global.min.s32 %r5, "
        "[%rd1+8], %r1;\n"
        "red.global.or.b32 [%rd1+12], %r1; atom.global.exch.b32 %r6, [%rd1+16], 9; red.global.add.f32 [%rd1+20], "
        "0f3F800000;\n"
        "atom.global.cas.b32 %r7, [%rd1+24], 5, 6; mov.b32 %r8, 0x3C003C00; red.global.add.noftz.f16x2 [%rd1+28], "
        "%r8;\n"
        "mov.f32 %f1, 0f00000001; red.global.add.f32 [%rd1+32], %f1;",
        {2, 1, 1}, {64, 1, 1}, s, {0, 0, 100, 0, 1, 0, 5, 0, 1}, "", &after);
    EXPECT_EQ(after, (std::vector<uint32_t>{256, 63, 0, 63, 9, std::bit_cast<uint32_t>(128.0f), 6, 0x58005800, 0}))
        << "128 of each; "
           "subnormal floats in global memory are taken for zeros";
    EXPECT_EQ(std::set<uint32_t>(words.begin(), words.end()).size(), 128u) << "every old value once";
  }
}

TEST(PtxPrograms, vectors_local_memory_and_parameters) {
  Device device;
  const Words<uint32_t> in(device, {1, 2, 3, 4}), out(device, 4);
  const std::string text =
      std::string(kHeader) + ".visible .entry k(.param .align 8 .b8 p[24])\n{\n.local .align 16 .b8 depot[16];\n" +
      kRegisters +
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

void expect_fault(Fault::Kind kind, const std::string& text, const std::string& body,
                  const Schedule& schedule = kSchedules[0]) {
  try {
    words_of(body, {}, {64, 1, 1}, schedule);
    ADD_FAILURE() << "no fault: " << body;
  } catch (const Fault& e) {
    EXPECT_EQ(e.kind, kind) << e.what();
    EXPECT_CONTAINS(e.what(), text);
  }
}

TEST(PtxFaults, are_caught_by_name) {
  using Kind = Fault::Kind;
  expect_fault(Kind::illegal_address, "byte 4 and on of 4", "ld.global.u32 %r0, [%rd1+4];");
  expect_fault(Kind::illegal_address, "outside of the device's memory", "mov.u64 %rd2, 64; ld.global.u32 %r0, [%rd2];");
  expect_fault(Kind::illegal_address, "outside of shared memory",
               "mov.u32 %r3, 256; st.shared.u32 [%r3], %r1; mov.u32 %r0, 0;");
  expect_fault(Kind::illegal_address, "outside of shared memory", "mov.u32 %r3, 253; ld.shared.u8 %r0, [%r3+3];");
  expect_fault(Kind::misaligned_address, "not a multiple", "ld.global.u32 %r0, [%rd1+2];");
  expect_fault(Kind::misaligned_address, "8 bytes", "ld.global.v2.u32 {%r0, %r3}, [%rd0+4];");
  expect_fault(Kind::failure, "4 bytes at 0x8 of shared memory, which nobody has written",
               "mov.u32 %r3, 8; st.shared.u16 [%r3], %r1; ld.shared.u32 %r0, [%r3];");
  expect_fault(Kind::failure, "which nobody has written", "mov.u32 %r3, 8; atom.shared.add.u32 %r0, [%r3], 1;");
  expect_fault(Kind::illegal_address, "outside of the device's memory",
               "mov.u32 %r3, 8; st.shared.u32 [%r3], %r1; cvt.u64.u32 %rd2, %r3; cvta.shared.u64 %rd2, %rd2;\n"
               "atom.global.add.u32 %r0, [%rd2], 1;");
  expect_fault(Kind::illegal_instruction, "stopped itself", "trap;");
  expect_fault(Kind::timeout, "no end", "LOOP: bra LOOP;");
  expect_fault(Kind::failure, "different barriers",
               "setp.lt.u32 %p1, %r1, 32; @%p1 bar.sync 0; @!%p1 bar.sync 1; mov.u32 %r0, 0;");
  expect_fault(Kind::failure, "does not have the lane itself", "vote.sync.ballot.b32 %r0, %p1, 1;");
  for (const Schedule& s : kSchedules)
    expect_fault(
        Kind::failure, "deadlock",  // half a warp waits for the other, which waits at a barrier
        "and.b32 %r3, %r1, 1; setp.eq.u32 %p1, %r3, 0; @%p1 bar.warp.sync 0xffffffff; bar.sync 0; mov.u32 %r0, 0;", s);
}

TEST(PtxFaults, name_thread_and_statement) {
  const auto run = [] {
    words_of("setp.eq.u32 %p1, %r1, 37; @%p1 ld.global.u32 %r0, [%rd1+8];", {3, 1, 1}, {64, 1, 1}, kSchedules[0]);
  };
  EXPECT_ORDO_ERROR(run(), ptx::Fault, "thread (37, 0, 0) of block (0, 0, 0)");
  EXPECT_ORDO_ERROR(run(), ptx::Fault, "ld.global.u32 %r0, [%rd1+8];");
}

TEST(PtxFaults, freed_memory) {
  Device device;
  auto words = std::make_unique<Words<uint32_t>>(device, 8);
  const uint64_t address = words->address();
  const std::string text = kernel_text("ld.param.u64 %rd0, [p0]; ld.global.u32 %r0, [%rd0+4];", 1);
  run_text(device, text, {address}, {}, {});
  words.reset();
  EXPECT_ORDO_ERROR(run_text(device, text, {address}, {}, {}), ptx::Fault, "byte 4 of 32 that have been freed");
}

TEST(PtxFaults, memory_that_nobody_has_written) {
  // Of 8 bytes, the last four are copies of bytes of which two are written.
  const auto said_of = [](const std::string& body) -> std::string {
    Device device;
    auto* const source = static_cast<uint8_t*>(device.memory.allocate(4));
    auto* const data = static_cast<uint8_t*>(device.memory.allocate(8));
    const uint16_t half = 7;
    std::string said;
    device.memory.copy(source, &half, 2);
    device.memory.copy(data + 4, source, 4);
    try {
      run_text(device, kernel_text("ld.param.u64 %rd0, [p0];\n" + body, 1), {reinterpret_cast<uint64_t>(data)}, {}, {});
    } catch (const Fault& e) {
      EXPECT_EQ(e.kind, Fault::Kind::failure);
      said = e.what();
    }
    device.memory.free(source);
    device.memory.free(data);
    return said;
  };
  const auto expect_caught = [&](const std::string& body) {
    EXPECT_CONTAINS(said_of(body), "of global memory, which nobody has written") << body;
  };
  expect_caught("ld.global.u8 %r0, [%rd0];");
  expect_caught("red.global.add.u32 [%rd0], 1;");
  expect_caught("st.global.u16 [%rd0], 1; ld.global.u32 %r0, [%rd0];");
  EXPECT_EQ(said_of("st.global.u16 [%rd0], 1; st.global.u16 [%rd0+2], 1; ld.global.u32 %r0, [%rd0];"), "");
  EXPECT_EQ(said_of("ld.global.u16 %rs1, [%rd0+4];"), "");
  expect_caught("ld.global.u16 %rs1, [%rd0+6];");
}

TEST(PtxMachine, order_of_float_atomics_is_drawn_from_the_seed) {
  const auto sum = [](uint64_t seed, Schedule::Order order) {
    std::vector<uint32_t> after;
    words_of(
        "mul.wide.u32 %rd5, %r1, 4; add.s64 %rd5, %rd5, %rd1; ld.global.f32 %f1, [%rd5+4]; red.global.add.f32 [%rd1], "
        "%f1;\n"
        "mov.u32 %r0, 0;",
        {}, {64, 1, 1}, {order, seed},
        [] {
          std::vector<uint32_t> values{0};
          for (int i = 0; i < 64; ++i) values.push_back(std::bit_cast<uint32_t>(1.0f / float(3 + i * i * i)));
          return values;
        }(),
        "", &after);
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
    run_text(device,
             kernel_text(fmt::format("ld.param.u64 %rd0, [p0]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, {}; "
                                     "add.s64 %rd1, %rd1, %rd0; st.global.u32 [%rd1], %r1;",
                                     4 * stride),
                         1),
             {out.address()}, {}, {64, 1, 1});
    EXPECT_EQ(device.counts.instructions - before.instructions, 64u * 6);
    EXPECT_EQ(device.counts.warp_instructions - before.warp_instructions, 2u * 6);
    EXPECT_EQ(device.counts.global_stores - before.global_stores, 2u);
    return device.counts.sectors - before.sectors;
  };
  EXPECT_EQ(sectors(1), 8u);
  EXPECT_EQ(sectors(8), 64u);
  EXPECT_EQ(device.counts.dram_sectors, 0u);
}

TEST(PtxMachine, counts_what_memory_makes_dear) {
  Device device;
  device.cache = std::make_unique<SectorCache>(size_t(1) << 20);
  const Words<uint32_t> out(device, 32);
  const auto counted = [&](const std::string& body) {
    const Counts before = device.counts;
    run_text(device, kernel_text("ld.param.u64 %rd0, [p0]; mov.u32 %r1, %tid.x;\n" + body, 1), {out.address()}, {},
             {32, 1, 1}, 32 * 32 * 4);
    return device.counts - before;
  };
  // Words of shared memory: neighbours, all of one bank, all the same, two of each bank, and pairs, which go by halves.
  const auto conflicts = [&](const std::string& address, const std::string& store = "st.shared.u32 [%r3], %r1;") {
    const Counts c = counted(address + " " + store);
    EXPECT_EQ(c.shared_accesses, 1u);
    return c.bank_conflicts;
  };
  EXPECT_EQ(conflicts("shl.b32 %r3, %r1, 2;"), 0u);
  EXPECT_EQ(conflicts("shl.b32 %r3, %r1, 7;"), 31u);
  EXPECT_EQ(conflicts("mov.u32 %r3, 4;"), 0u);
  EXPECT_EQ(conflicts("shl.b32 %r3, %r1, 3;"), 1u);
  EXPECT_EQ(conflicts("shl.b32 %r3, %r1, 3;", "st.shared.v2.u32 [%r3], {%r1, %r1};"), 0u);
  // The second time the cache has them.
  const std::string address = "shl.b32 %r3, %r1, 2; cvt.u64.u32 %rd1, %r3; add.s64 %rd1, %rd1, %rd0; ";
  EXPECT_EQ(counted(address + "ld.global.u32 %r4, [%rd1];").dram_sectors, 4u);
  const Counts again = counted(address + "ld.global.u32 %r4, [%rd1];");
  EXPECT_EQ(again.dram_sectors, 0u);
  EXPECT_EQ(again.sectors, 4u);
  EXPECT_EQ(again.work[size_t(Work::conversion)], 1u);
  EXPECT_EQ(again.work[size_t(Work::memory)], 2u);
  EXPECT_EQ(counted("red.global.add.u32 [%rd0], 1;").atomics_that_meet, 31u);
  const Counts shared = counted("mov.u32 %r3, 8; st.shared.u32 [%r3], %r1; red.shared.add.u32 [%r3], 1;");
  EXPECT_EQ(shared.shared_accesses, 2u);
  EXPECT_EQ(shared.bank_conflicts, 31u);
  EXPECT_EQ(shared.atomic_words, 0u);
  EXPECT_EQ(counted(address + "red.global.add.u32 [%rd1], 1;").atomics_that_meet, 0u);
}

TEST(PtxMachine, knows_what_instructions_are_for) {
  EXPECT_EQ(work_of("add.s64"), Work::integer);
  EXPECT_EQ(work_of("fma.rn.f32"), Work::floating);
  EXPECT_EQ(work_of("div.rn.f32"), Work::division);
  EXPECT_EQ(work_of("rem.u64"), Work::long_division);
  EXPECT_EQ(work_of("rem.u32"), Work::division);
  EXPECT_EQ(work_of("div.rn.f64"), Work::division);
  EXPECT_EQ(work_of("cvt.rn.f32.s32"), Work::conversion);
  EXPECT_EQ(work_of("ld.global.f32"), Work::memory);
  EXPECT_EQ(work_of("bra.uni"), Work::control);
}

TEST(SectorCache, keeps_what_was_used_last) {
  SectorCache cache(32 * 16);  // one set
  const auto misses = [&](uint64_t sector) { return cache.use(sector, SectorCache::Use::read); };
  for (uint64_t s = 1; s <= 16; ++s) EXPECT_EQ(misses(s), 1u);
  EXPECT_EQ(misses(1), 0u);
  EXPECT_EQ(misses(17), 1u);  // in the place of 2
  EXPECT_EQ(misses(1), 0u);
  EXPECT_EQ(misses(2), 1u);
}

TEST(SectorCache, counts_what_is_to_be_written_back_once) {
  using Use = SectorCache::Use;
  SectorCache cache(32 * 16);
  EXPECT_EQ(cache.use(1, Use::write), 1u);  // not read before
  EXPECT_EQ(cache.use(1, Use::write), 0u);
  EXPECT_EQ(cache.use(1, Use::update), 0u);
  EXPECT_EQ(cache.use(1, Use::read), 0u);
  EXPECT_EQ(cache.use(2, Use::update), 2u);
  EXPECT_EQ(cache.use(3, Use::read), 1u);
  EXPECT_EQ(cache.use(3, Use::update), 1u);
  for (uint64_t s = 4; s <= 20; ++s) EXPECT_EQ(cache.use(s, Use::read), 1u);
  EXPECT_EQ(cache.use(1, Use::write), 1u) << "it was written back, and changes again";
}

}  // namespace
}  // namespace ordo::ptx
