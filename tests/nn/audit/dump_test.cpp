// The values of one event: which one a text names, and what is written.
#include <ordo/nn/audit/dump.h>
#include <ordo/nn/audit/recording.h>
#include <ordo/ordo.h>

#include <memory>
#include <thread>

#include "tests/support/folder_test_base.h"
#include "tests/support/in_child.h"

namespace ordo::test::dump_test {
namespace {

using audit::DumpPosition;

/// Of a program; another one makes another run.
struct Numbers {
  double first = 2.0, second = 5.0, in_a_thread = 7.0, last = 1.0;
};

class DumpTest : public FolderTest {
 protected:
  static void program(const Numbers& n = {}) {
    Tensor t = full({3}, 1.0);
    t.mul_(n.first);
    t.mul_(n.second);
    std::thread([t, &n]() mutable {
      t.mul_(1.0);
      t.mul_(n.in_a_thread);
    }).join();
    t.to(bfloat16).mul(n.last);
  }
  void record(const std::string& name, std::optional<audit::Dump> dump, const Numbers& numbers = {}) {
    const auto recording =
        std::make_shared<audit::Recording>(audit::RecorderOptions{.path = path(name)}, std::move(dump));
    recording->listen();
    program(numbers);
    recording->close();
  }
  /// Where the run with other numbers parts.
  DumpPosition place(const Numbers& other) {
    record("first.trace", std::nullopt);
    record("other.trace", std::nullopt, other);
    const audit::TraceDiff d = audit::diff(path("first.trace"), path("other.trace"));
    EXPECT_FALSE(d.equal);
    return audit::dump_position(d.first.place()).value();
  }
  std::vector<float> values(const std::string& name) const { return load_npy(path(name)).to_vector<float>(); }
};

TEST_F(DumpTest, a_text_is_read_as_it_was_written) {
  const DumpPosition p{17, 2, 1, audit::Record::Kind::operation, true, "mul", "add", "Net.a,call=3,module=b c"};
  EXPECT_EQ(DumpPosition::parse(p.str()), p);
  EXPECT_EQ(DumpPosition::parse(DumpPosition{}.str()), DumpPosition{});
  const std::string good = p.str();
  for (const std::string& bad :
       {std::string(), std::string("foo"), good.substr(0, 20), "step=x" + good.substr(7),
        std::string("step=1,call=0,thread=0,kind=operation,phase=forward,name=a,node=,module="),
        std::string("step=1,call=1,thread=0,kind=draw,phase=forward,name=a,node=,module="),
        std::string("step=1,call=1,thread=0,kind=operation,phase=sideways,name=a,node=,module="),
        std::string("step=1,call=1,thread=-1,kind=operation,phase=forward,name=a,node=,module=")})
    EXPECT_THROW(DumpPosition::parse(bad), ValueError) << bad;
}

TEST_F(DumpTest, the_chosen_call_is_written_with_what_its_inputs_were_before_it) {
  EXPECT_EQ(place({.first = 3}).call, 1);
  const DumpPosition second = place({.second = 3});
  EXPECT_EQ(second.call, 2);
  record("again.trace", audit::Dump(second, path("values")));
  EXPECT_EQ(values("values/input-0.npy"), std::vector<float>(3, 2.0f));
  EXPECT_EQ(values("values/output-0.npy"), std::vector<float>(3, 10.0f));
  EXPECT_TRUE(audit::diff(path("first.trace"), path("again.trace")).equal);
}

TEST_F(DumpTest, calls_of_each_thread_are_counted_by_themselves) {
  const DumpPosition in_thread = place({.in_a_thread = 3});
  EXPECT_EQ(in_thread.thread, 1u);
  EXPECT_EQ(in_thread.call, 2) << "the first thread has called it twice before";
  record("again.trace", audit::Dump(in_thread, path("values")));
  EXPECT_EQ(values("values/input-0.npy"), std::vector<float>(3, 10.0f));
  EXPECT_EQ(values("values/output-0.npy"), std::vector<float>(3, 70.0f));
}

TEST_F(DumpTest, the_program_ends_there_when_it_is_to) {
  const DumpPosition second = place({.second = 3});
  const int status = in_child([&] { record("again.trace", audit::Dump(second, path("values"), true)); });
  EXPECT_EQ(WEXITSTATUS(status), audit::kDumpStatus);
  EXPECT_EQ(values("values/output-0.npy"), std::vector<float>(3, 10.0f));
  EXPECT_EQ(audit::read(path("again.trace")).records.back().name, "mul_");
}

TEST_F(DumpTest, what_has_no_tensors_has_no_place) {
  audit::Position p;
  for (const char* kind : {"draw", "summary"}) {
    p.kind = kind;
    EXPECT_FALSE(audit::dump_position(p)) << kind;
  }
  p.kind = "batch";
  EXPECT_EQ(audit::dump_position(p).value().kind, audit::Record::Kind::batch);
}

TEST_F(DumpTest, bfloat16_is_written_as_float32_under_a_name_that_says_so) {
  record("again.trace", audit::Dump(place({.last = 2.0}), path("values")));
  EXPECT_EQ(values("values/output-0.bfloat16.npy"), std::vector<float>(3, 70.0f));
}

TEST_F(DumpTest, a_folder_that_cannot_be_made_is_an_error) {
  record("first.trace", std::nullopt);
  EXPECT_THROW(audit::Dump({}, path("first.trace") + "/inside"), DataError);
}

}  // namespace
}  // namespace ordo::test::dump_test
