// Races on the PTX machine: found under every schedule, whatever the threads read; and none where accesses are ordered.
#include <gtest/gtest.h>

#include <string>

#include "simulators/tests/ptx/kernel_text.h"
#include "tests/support/expect_contains.h"

namespace ordo::ptx {
namespace {

/// What the machine says of a program, which finds in %r1 the thread's number in its block, in %r2 the block's, in %rd1
/// the address of 64 words, in %rd3 and %rd4 those of the thread's word and of its opposite, and in %r4 that of the
/// thread's word in shared memory; "" when all is well.
std::string said_of(const std::string& body, Dim3 grid, Dim3 block, const Schedule& schedule) {
  Device device;
  device.schedule = schedule;
  device.most_steps = 1 << 22;
  find_races(device);
  const Words<uint32_t> words(device, 1024);
  try {
    run_text(device,
             kernel_text("ld.param.u64 %rd1, [p0]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
                         "shl.b32 %r3, %r1, 2; mov.u32 %r4, buffer; add.u32 %r4, %r4, %r3;\n"
                         "cvt.u64.u32 %rd3, %r3; add.s64 %rd3, %rd1, %rd3; sub.s64 %rd4, %rd1, %rd3;\n"
                         "add.s64 %rd4, %rd1, %rd4; add.s64 %rd4, %rd4, 252;\n" +
                             body,
                         1, ".shared .align 4 .b8 buffer[256];\n"),
             {words.address()}, grid, block);
  } catch (const Fault& e) {
    EXPECT_EQ(e.kind, Fault::Kind::failure);
    return e.what();
  }
  return "";
}

void expect_race(const std::string& body, Dim3 grid, Dim3 block, const std::string& before, const std::string& now) {
  for (const Schedule& s : kSchedules) {
    const std::string said = said_of(body, grid, block, s);
    EXPECT_CONTAINS(said, "a data race") << body;
    // Which of the two comes first is the schedule's.
    EXPECT_CONTAINS(said, before);
    EXPECT_CONTAINS(said, now);
  }
}

void expect_none(const std::string& body, Dim3 grid, Dim3 block) {
  for (const Schedule& s : kSchedules) EXPECT_EQ(said_of(body, grid, block, s), "") << body;
}

TEST(PtxRaces, threads_of_a_block) {
  const std::string write = "st.global.u32 [%rd3], %r1;\n", read = "ld.global.u32 %r0, [%rd4];\n";
  expect_race(write + read, {}, {64, 1, 1}, "write at 'st.global", "read at 'ld.global");
  expect_none(write + "bar.sync 0;\n" + read, {}, {64, 1, 1});
  // One barrier orders what comes before it, and not what comes after.
  expect_race(write + "bar.sync 0;\n" + read + write, {}, {64, 1, 1}, "read at", "write at");
  expect_none(write + "bar.sync 0;\n" + read + "bar.sync 0;\n" + write, {}, {64, 1, 1});
  // Two threads that write one word race, even if they write the same value.
  expect_race("st.global.u32 [%rd1], 7;\n", {}, {2, 1, 1}, "by thread 0 of block 0", "by thread 1 of block 0");
}

TEST(PtxRaces, lanes_of_a_warp) {
  const std::string write = "st.global.u32 [%rd3], %r1;\n",
                    read =
                        "xor.b32 %r7, %r1, 1; shl.b32 %r7, %r7, 2;\n"
                        "cvt.u64.u32 %rd4, %r7; add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r0, [%rd4];\n";
  // That lanes go on together is no promise, and a shuffle orders nothing.
  expect_race(write + read, {}, {32, 1, 1}, "write at", "read at");
  expect_race(write + "shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1;\n" + read, {}, {32, 1, 1}, "write at", "read at");
  expect_none(write + "bar.warp.sync -1;\n" + read, {}, {32, 1, 1});
  expect_none(write + "bar.warp.sync -1;\n" + read, {}, {64, 1, 1});  // pairs are of one warp
  // Halves of a warp that wait for themselves only.
  const std::string halves = "mov.u32 %r9, 65535; setp.gt.u32 %p1, %r1, 15; @%p1 mov.u32 %r9, -65536;\n";
  expect_none(halves + write + "bar.warp.sync %r9;\n" + read, {}, {32, 1, 1});
}

TEST(PtxRaces, blocks) {
  // Block 0 writes a word and raises a flag; block 1 waits for the flag and reads the word.
  const auto message = [](const std::string& raise, const std::string& wait) {
    return "setp.ne.u32 %p1, %r2, 0; @%p1 bra READER;\n"
           "st.global.u32 [%rd1+64], 5;\n" +
           raise +
           "bra.uni DONE;\n"
           "READER:\nSPIN: " +
           wait + "ld.global.u32 %r0, [%rd1+64];\nDONE:\n";
  };
  const std::string spin = "setp.eq.u32 %p2, %r7, 0; @%p2 bra SPIN;\n";
  const std::string raise = "st.volatile.global.u32 [%rd1], 1;\n", wait = "ld.volatile.global.u32 %r7, [%rd1]; " + spin;
  const std::string fence = "membar.gl;\n";
  expect_none(message(fence + raise, wait + fence), {2, 1, 1}, {1, 1, 1});
  expect_race(message(raise, wait + fence), {2, 1, 1}, {1, 1, 1}, "of block 0", "of block 1");
  expect_race(message(fence + raise, wait), {2, 1, 1}, {1, 1, 1}, "of block 0", "of block 1");
  // A fence for the block is none for others.
  expect_race(message("membar.cta;\n" + raise, wait + "membar.cta;\n"), {2, 1, 1}, {1, 1, 1}, "block 0", "block 1");
  // What acquires and releases has its fence with it.
  expect_none(message("st.release.gpu.global.u32 [%rd1], 1;\n", "ld.acquire.gpu.global.u32 %r7, [%rd1]; " + spin),
              {2, 1, 1}, {1, 1, 1});
  expect_none(message("atom.add.release.gpu.global.u32 %r7, [%rd1], 1;\n",
                      "atom.or.acquire.gpu.global.b32 %r7, [%rd1], 0; " + spin),
              {2, 1, 1}, {1, 1, 1});
  expect_race(message("st.relaxed.gpu.global.u32 [%rd1], 1;\n", "ld.relaxed.gpu.global.u32 %r7, [%rd1]; " + spin),
              {2, 1, 1}, {1, 1, 1}, "of block 0", "of block 1");
  // A flag that is not volatile is a race itself.
  expect_race(message(fence + "st.global.u32 [%rd1], 1;\n", wait + fence), {2, 1, 1}, {1, 1, 1}, "write at 'st.global",
              "atomic at 'ld.volatile");
}

TEST(PtxRaces, guesses) {
  // What a compare-and-swap of the same thread checks may have been read plainly; what it does not check may not.
  const std::string read = "ld.global.u32 %r8, [%rd1]; add.u32 %r9, %r8, 1;\n";
  expect_none(read + "atom.global.cas.b32 %r8, [%rd1], %r8, %r9;\n", {2, 1, 1}, {64, 1, 1});
  expect_race(read + "atom.global.cas.b32 %r8, [%rd1+4], %r8, %r9; red.global.add.u32 [%rd1], 1;\n", {}, {64, 1, 1},
              "read at 'ld.global", "atomic at 'red.global");
}

TEST(PtxRaces, atomics) {
  expect_none("red.global.add.u32 [%rd1], 1;\n", {3, 1, 1}, {40, 1, 1});
  expect_none("st.shared.u32 [%r4], 0; bar.sync 0; atom.shared.add.u32 %r0, [buffer], 1;\n", {3, 1, 1}, {40, 1, 1});
  expect_race("red.global.add.u32 [%rd1], 1; ld.global.u32 %r0, [%rd1];\n", {}, {33, 1, 1}, "atomic at 'red.global",
              "read at 'ld.global");
  expect_none("red.global.add.u32 [%rd1], 1; bar.sync 0; ld.global.u32 %r0, [%rd1];\n", {}, {33, 1, 1});
  // Another launch begins anew, and so do blocks with shared memory that others have had.
  expect_none("st.shared.u32 [%r4], %r2;\n", {40, 1, 1}, {64, 1, 1});
}

TEST(PtxRaces, bytes_of_a_word_and_local_memory) {
  expect_none("cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd1, %rd2; st.global.u8 [%rd3], %r1;\n", {}, {64, 1, 1});
  expect_race("cvt.u64.u32 %rd2, %r1; add.s64 %rd3, %rd1, %rd2; st.global.u8 [%rd3], %r1; ld.global.u32 %r0, [%rd1];\n",
              {}, {4, 1, 1}, "write at 'st.global.u8", "read at 'ld.global.u32");
}

}  // namespace
}  // namespace ordo::ptx
