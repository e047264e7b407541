// Trace files: what is written is read, what a crash leaves is read as far as it goes, and what was changed is refused.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include <ordo/engine/calls/op_scope.h>
#include "tests/support/expect_contains.h"
#include "tests/support/fifo.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/folder_test_base.h"
#include "tests/support/in_child.h"
#include "tests/support/op_samples.h"
#include "tests/support/zip_of.h"

namespace ordo::test::trace_file_test {
namespace {

class TraceFile : public FolderTest {
 protected:
  std::string small_trace() const {
    const std::string file = path("a.trace");
    write_small_trace(file);
    return file;
  }
  static void write_small_trace(const std::string& file) {
    audit::Recorder recorder(file);
    Tensor p = ones({2}, {.requires_grad = true});
    optim::SGD sgd({p}, {.lr = 0.5});
    (p * rand({2})).sum().backward();
    sgd.step();
    recorder.close();
  }
};

std::string text_of(const audit::Record& r) {
  std::string text = std::string(audit::name(r.kind)) + std::string(r.name) + std::string(r.path) +
                     std::string(r.node) + std::string(r.arguments) + std::string(r.device) + std::to_string(r.step);
  for (const auto& t : r.tensors) text += std::string(t.name) + t.fingerprint.str() + t.sizes->str();
  return text + std::to_string(r.draw_from.offset) + std::to_string(r.draw_blocks);
}

TEST_F(TraceFile, holds_what_is_in_memory) {
  const std::string file = path("a.trace");
  const auto program = [] {
    manual_seed(1);
    nn::Linear layer(3, 2);
    layer(rand({4, 3})).sum().backward();
  };
  audit::Trace memory;
  {
    audit::Recorder recorder;
    program();
    memory = recorder.trace();
  }
  {
    audit::Recorder recorder(file);
    program();
  }
  const audit::Trace disk = audit::read(file);
  EXPECT_EQ(disk.incomplete, "");
  ASSERT_EQ(disk.records.size(), memory.records.size());
  for (size_t i = 0; i < disk.records.size(); ++i) EXPECT_EQ(text_of(disk.records[i]), text_of(memory.records[i]));
  audit::Reader reader(file);
  audit::Record r;
  size_t n = 0;
  for (; reader.next(r); ++n) EXPECT_EQ(text_of(r), text_of(disk.records[n]));
  EXPECT_EQ(n, disk.records.size());
}

TEST_F(TraceFile, cut_off_at_every_byte_is_read_as_far_as_it_goes) {
  const std::string file = small_trace(), bytes = read(file);
  const audit::Trace whole = audit::read(file);
  ASSERT_GT(whole.records.size(), 5u);
  size_t least = 0;
  for (size_t n = 0; n < bytes.size(); ++n) {
    const auto cut = [&] { return audit::Reader::of_bytes(bytes.substr(0, n), "cut.trace"); };
    if (n < whole.records[0].place && n < bytes.find("argument")) {
      EXPECT_ORDO_ERROR(audit::read(cut()), DataError, "cut.trace: at byte ");
      continue;
    }
    try {
      const audit::Trace part = audit::read(cut());
      EXPECT_CONTAINS(part.incomplete, "cut.trace: at byte ");
      ASSERT_LT(part.records.size(), whole.records.size() + (n + 9 >= bytes.size() ? 1 : 0)) << n;
      ASSERT_GE(part.records.size(), least) << n;
      least = part.records.size();
      for (size_t i = 0; i < part.records.size(); ++i)
        ASSERT_EQ(text_of(part.records[i]), text_of(whole.records[i])) << n;
    } catch (const DataError& error) {
      EXPECT_LT(n, whole.records[0].place) << error.what() << ": only a header that is not there is an error";
    }
  }
  EXPECT_EQ(least, whole.records.size());
}

TEST_F(TraceFile, changed_anywhere_is_noticed) {
  const std::string file = small_trace(), bytes = read(file);
  const audit::Trace whole = audit::read(file);
  int refused = 0, incomplete = 0;
  for (size_t n = 0; n < bytes.size(); ++n)
    for (int bit : {0, 3, 7}) {
      std::string changed = bytes;
      changed[n] = char(changed[n] ^ 1 << bit);
      try {
        const audit::Trace part = audit::read(audit::Reader::of_bytes(changed, "changed.trace"));
        ASSERT_NE(part.incomplete, "") << "byte " << n << " bit " << bit;
        for (size_t i = 0; i < part.records.size(); ++i)
          ASSERT_EQ(text_of(part.records[i]), text_of(whole.records[i])) << n;
        ++incomplete;
      } catch (const DataError& error) {
        EXPECT_CONTAINS(error.what(), "changed.trace: at byte ");
        ++refused;
      }
    }
  EXPECT_GT(refused, incomplete * 10) << "only a length may look like a file that was cut off";
}

/// A body with its length and checksum, so that the decoder sees it.
std::string framed(const std::string& body) {
  const uint64_t crc = crc32_z(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return little(body.size(), 4) + little(crc, 4) + body;
}

TEST_F(TraceFile, declared_numbers_are_checked) {
  const std::string start("ORDOTRC\n\1\0\0\0", 12), header = framed(std::string("\0\0", 2));
  const auto made = [&](const std::string& rest) { return audit::read(write("made.trace", start + rest)); };
  const auto expect = [&](const std::string& rest, const char* text) {
    EXPECT_ORDO_ERROR(made(rest), DataError, text);
  };
  const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
  EXPECT_NO_THROW(made(header));
  expect(framed("\1\0"), "the first record is no header");
  expect(framed(std::string("\0", 1) + huge), "the number of the header's pairs is");
  expect(framed(std::string("\0\1", 2) + huge), "the length of a text is");
  expect(framed(std::string("\0\1\6threads\1x", 11)), "");
  expect(header + header, "record 0: a second header");
  expect(header + framed("\1" + huge), "the length of a text is");
  expect(header + framed("\1\4abc"), "the length of a text is 4; it can be at most 3");
  expect(header + framed("\2\x9"), "the number of dimensions is 9");
  expect(header + framed("\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\x1"), "a size is");
  expect(header + framed("\2\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\x2"), "more than 64 bits");
  const std::string operation("\3\0\0\0\0\0\1\0\0\0\0\0", 12);
  EXPECT_NO_THROW(made(header + framed(operation + std::string("\0\0", 2))));
  expect(header + framed(operation + huge + std::string("\0", 1)), "the number of inputs is");
  expect(header + framed(operation + std::string("\1\0\2\0\0", 5)), "sizes 0 of 0");
  expect(header + framed(operation + std::string("\1\0\3", 3)), "a tensor's state is 3");
  expect(header + framed(operation + std::string("\2\2\0", 3)), "more tensors than bytes");
  expect(header + framed(operation + std::string("\0\0x", 3)), "1 bytes follow its content");
  expect(header + framed(std::string("\3\0\3", 3)), "the level is 3");
  expect(header + framed(std::string("\3\0\0\7", 4)), "the algorithm is 7");
  expect(header + framed(std::string("\3\0\0\0\0\0\0\1", 8)), "the number of a text is 1");
  expect(header + framed("\x2a"), "its type 42 is unknown");
  expect(header + framed("\x8") + "x", "goes on after the trace's end");
  expect(header + std::string(4, '\0') + "crcc", "a record without content");
  EXPECT_NE(made(header + std::string(8, '\0')).incomplete, "");
  expect(header + std::string("\xff\xff\xff\x7f") + "crcc", "a record of 2147483647 bytes");
  EXPECT_CONTAINS(made(header + std::string("\0\0\0\1crccabc", 11)).incomplete, "3 of 16777216 bytes");
  EXPECT_ORDO_ERROR(audit::read(write("other", "PNG and more bytes")), DataError, "no trace");
  EXPECT_ORDO_ERROR(audit::read(write("newer", std::string("ORDOTRC\n\2\0\0\0", 12))), DataError,
                    "version 2 of the format, newer than this Ordo's, which reads version 1");
  EXPECT_ORDO_ERROR(audit::read(write("older", std::string("ORDOTRC\n\0\0\0\0", 12))), DataError,
                    "version 0 of the format, older than this Ordo's");
  EXPECT_ORDO_ERROR(audit::Recorder(path("no/such/folder/x")), DataError, "cannot be opened");
}

TEST_F(TraceFile, survives_the_process) {
  const std::string file = path("crash.trace");
  const int status = in_child([&] {
    audit::Recorder recorder(file);
    Tensor t = ones({4});
    for (int i = 0; i < 10; ++i) t = t + 1;
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  const audit::Trace trace = audit::read(file);
  EXPECT_EQ(trace.records.size(), 11u);
  EXPECT_EQ(trace.records.back().outputs()[0].fingerprint, kernels::fingerprint(full({4}, 11)));
  EXPECT_CONTAINS(trace.incomplete, "the trace was not closed");
}

TEST_F(TraceFile, has_each_event_at_once) {
  const std::string file = path("long.trace");
  audit::Recorder recorder(file);
  Tensor t = ones({4});
  const std::string name(100'000, 'x');
  for (int i = 0; i < 30; ++i) {
    const detail::OpScope scope(std::make_shared<const std::string>(name + std::to_string(i)));
    t = t + 1;
  }
  const std::string open = read(file);
  EXPECT_EQ(audit::read(file).records.size(), 31u);
  EXPECT_NE(audit::read(file).incomplete, "");
  recorder.close();
  const std::string closed = read(file);
  EXPECT_EQ(open, closed.substr(0, closed.size() - 9)) << "only the end, 9 bytes, is new";
  EXPECT_EQ(audit::read(file).incomplete, "");
}

// As where a program and one that it starts have the same ORDO_TRACE.
TEST_F(TraceFile, another_of_the_same_name_does_no_harm) {
  const std::string file = path("both.trace");
  Tensor t = ones({4});
  audit::Recorder first(file);
  t = t + 1;
  {
    audit::Recorder second(file);
    t = t + 1;
  }
  for (int i = 0; i < 1000; ++i) t = t + 1;
  EXPECT_EQ(audit::read(file).records.size(), 1u) << "the second's";
  first.close();
  EXPECT_EQ(audit::read(file).records.size(), 1u);
}

TEST_F(TraceFile, through_a_link_is_written_where_it_leads) {
  const std::string file = path("file.trace"), link = path("link.trace");
  write("file.trace", std::string(100'000, 'x'));
  ASSERT_EQ(::symlink(file.c_str(), link.c_str()), 0);
  std::ifstream other(file);
  write_small_trace(link);
  EXPECT_EQ(audit::read(file).incomplete, "");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  other.seekg(0, std::ios::end);
  EXPECT_EQ(other.tellg(), 100'000) << "who has the earlier file keeps it";
}

TEST_F(TraceFile, of_a_pipe_are_the_same_bytes) {
  const std::string file = small_trace(), pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string bytes;
  std::thread reader([&] { bytes = read(pipe); });
  write_small_trace(pipe);
  reader.join();
  EXPECT_EQ(audit::read(audit::Reader::of_bytes(bytes, "pipe")).records.size(), audit::read(file).records.size());
}

TEST_F(TraceFile, of_a_pipe_that_nobody_reads_are_an_error) {
  Fifo pipe(path("pipe"));
  EXPECT_ORDO_ERROR(audit::Recorder(pipe.path()), DataError,
                    "[trace] " + pipe.path() + ": cannot be opened: a pipe that nobody reads");
  EXPECT_TRUE(pipe.is_there() && !pipe.waited());
}

TEST_F(TraceFile, a_full_disk_is_an_error_and_leaves_what_was_written) {
  const std::string file = path("full.trace");
  const FileSizeLimit full(64 << 10);
  audit::Recorder recorder(file);
  Tensor t = ones({4});
  for (int i = 0; i < 2000; ++i) t = t + 1;
  EXPECT_ORDO_ERROR(recorder.close(), DataError, file);
  EXPECT_GT(audit::read(file).records.size(), 100u);
}

TEST_F(TraceFile, is_not_written_by_forked_processes) {
  const std::string file = path("fork.trace");
  audit::Recorder recorder(file);
  ones({4}) + 1;
  EXPECT_EQ(in_child([] { ones({4}) + 2; }), 0);
  EXPECT_EQ(recorder.trace().records.size(), 2u);
}

/// What these tests leave in a file when their program ends. What is used after it was freed shows.
audit::Trace left_by(const std::string& tests, const std::string& file, std::vector<std::string> variables = {}) {
  variables.push_back("ORDO_TRACE=" + file);
  variables.push_back("GLIBC_TUNABLES=glibc.malloc.perturb=165:glibc.malloc.tcache_count=0");
  const Ended ended = run_this_program({"--gtest_filter=" + tests}, variables);
  EXPECT_TRUE(ended.in_time);
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.errors, "");
  audit::Trace trace = audit::read(file);
  EXPECT_EQ(trace.incomplete, "");
  return trace;
}

/// The header is written when the process ends, and names the seed of a generator that nobody has used.
TEST_F(TraceFile, in_which_nothing_happened_is_whole) {
  const audit::Trace trace = left_by("none", path("empty.trace"));
  EXPECT_EQ(trace.header.seed, 0u);
  EXPECT_EQ(trace.records.size(), 0u);
}

/// For the test below: a program that draws.
TEST(TraceFileProgram, draws) {
  manual_seed(7);
  rand({2});
}

/// The default generator has been used, and its seed is still known when static objects are destroyed.
TEST_F(TraceFile, names_the_seed_at_the_process_end) {
  EXPECT_EQ(left_by("TraceFileProgram.draws", path("steps.trace"), {"ORDO_TRACE_STEPS=100"}).header.seed, 7u);
}

TEST_F(TraceFile, reports_a_full_disk) {
  audit::Recorder recorder("/dev/full");
  ones({2}) + 1;
  EXPECT_ORDO_ERROR(recorder.close(), DataError, "/dev/full: cannot be written");
}

}  // namespace
}  // namespace ordo::test::trace_file_test
