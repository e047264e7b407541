// The values of one event: which one a text names, and what is written.
#include <gtest/gtest.h>
#include <ordo/nn/audit/dump.h>
#include <ordo/nn/audit/recording.h>
#include <ordo/ordo.h>

#include <filesystem>
#include <memory>

namespace ordo {
namespace {

using audit::DumpPlace;

class DumpTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "ordo_dump_test";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  static void program() {
    Tensor t = full({3}, 1.0);
    t.mul_(2.0);
    t.mul_(5.0);
    t.to(bfloat16).neg();
  }
  void record(const std::string& name, std::optional<audit::Dump> dump) {
    const auto recording =
        std::make_shared<audit::Recording>(audit::RecorderOptions{.path = file(name)}, std::move(dump));
    recording->listen();
    program();
    recording->close();
  }
  /// Of the `call`th record with this name, from 1.
  DumpPlace place(const std::string& trace, const std::string& name, int call) const {
    const audit::Trace t = audit::read(file(trace));
    for (const audit::Record& r : t.records)
      if (r.name == name && --call == 0) return audit::dump_place(file(trace), r.index).value();
    ADD_FAILURE() << "no " << name;
    return {};
  }
  std::filesystem::path folder_;
};

TEST_F(DumpTest, a_text_is_read_as_it_was_written) {
  const DumpPlace p{17, 2, 1, audit::Record::Kind::operation, true, "mul", "add", "Net.a,call=3,module=b c"};
  EXPECT_EQ(DumpPlace::parse(p.str()), p);
  EXPECT_EQ(DumpPlace::parse(DumpPlace{}.str()), DumpPlace{});
  const std::string good = p.str();
  for (const std::string& bad :
       {std::string(), std::string("foo"), good.substr(0, 20), "step=x" + good.substr(7),
        std::string("step=1,call=0,thread=0,kind=operation,phase=forward,name=a,node=,module="),
        std::string("step=1,call=1,thread=0,kind=draw,phase=forward,name=a,node=,module="),
        std::string("step=1,call=1,thread=0,kind=operation,phase=sideways,name=a,node=,module="),
        std::string("step=1,call=1,thread=-1,kind=operation,phase=forward,name=a,node=,module=")})
    EXPECT_THROW(DumpPlace::parse(bad), ValueError) << bad;
}

TEST_F(DumpTest, the_chosen_call_is_written_with_what_its_inputs_were_before_it) {
  record("first.trace", std::nullopt);
  EXPECT_EQ(place("first.trace", "mul_", 1).call, 1);
  const DumpPlace second = place("first.trace", "mul_", 2);
  EXPECT_EQ(second.call, 2);
  record("again.trace", audit::Dump(second, file("values")));
  EXPECT_EQ(load_npy(file("values/input-0.npy")).to_vector<float>(), std::vector<float>(3, 2.0f));
  EXPECT_EQ(load_npy(file("values/output-0.npy")).to_vector<float>(), std::vector<float>(3, 10.0f));
  EXPECT_TRUE(audit::diff(file("first.trace"), file("again.trace")).equal);
}

TEST_F(DumpTest, bfloat16_is_written_as_float32_under_a_name_that_says_so) {
  record("first.trace", std::nullopt);
  record("again.trace", audit::Dump(place("first.trace", "neg", 1), file("values")));
  EXPECT_EQ(load_npy(file("values/output-0.bfloat16.npy")).to_vector<float>(), std::vector<float>(3, -10.0f));
}

TEST_F(DumpTest, a_record_that_is_not_there_is_an_error) {
  record("first.trace", std::nullopt);
  EXPECT_THROW(audit::dump_place(file("first.trace"), 1000), DataError);
  EXPECT_THROW(audit::Dump({}, file("first.trace") + "/inside"), DataError);
}

}  // namespace
}  // namespace ordo
