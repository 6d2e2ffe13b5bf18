// What a report refuses, and its pictures as files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>

#include "message_of.hpp"
#include "nomu/core/file.hpp"
#include "nomu/report/report.hpp"
#include "unit/report/report_subjects.hpp"

namespace nomu {
namespace {

using testing::HasSubstr;

TEST(ReportMessages, WrongSubjects) {
  const auto message = [](const std::function<void(ReportSubject&)>& spoil) {
    ReportSubject subject = make_subject(20, 1);
    spoil(subject);
    return message_of<Error>([&] { (void)render_report(subject); });
  };
  EXPECT_THAT(message([](ReportSubject& s) { s.predict = nullptr; }),
              HasSubstr("[report/report] the subject has no function that predicts"));
  EXPECT_THAT(message([](ReportSubject& s) { s.bounds = nullptr; }), HasSubstr("no function for its bounds"));
  EXPECT_THAT(message([](ReportSubject& s) { s.rows->bounds = nullptr; }), HasSubstr("no function for their bounds"));
  EXPECT_THAT(message([](ReportSubject& s) { s.level = 0.999; }), HasSubstr("needs at least 999 calibration rows"));
  EXPECT_THAT(message([](ReportSubject& s) { s.level = 1.0; }), HasSubstr("level must be in (0, 1)"));
  EXPECT_THAT(message([](ReportSubject& s) { s.rows->targets.pop_back(); }),
              HasSubstr("120 predictions of the rows to evaluate on given, but 119 are needed"));
  EXPECT_THAT(message([](ReportSubject& s) { s.rows->targets[0] = NAN; }), HasSubstr("not finite"));
  EXPECT_THAT(message([](ReportSubject& s) { s.rows->targets.clear(); }), HasSubstr("leave them out instead"));
  EXPECT_THAT(message([](ReportSubject& s) { s.data.features.clear(); }),
              HasSubstr("0 inputs described by the columns given, but 1 are needed"));
}

class WritePlots : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) /
      ("nomu_plots_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
};

TEST_F(WritePlots, OneFileAPicture) {
  const std::vector<NamedPlot> plots = report_plots(make_subject(20, 1));
  const std::vector<std::filesystem::path> paths = write_plots(folder() / "new", plots);
  ASSERT_EQ(paths.size(), plots.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_EQ(paths[i].filename().string(), plots[i].name + ".svg");
    EXPECT_EQ(read_file(paths[i]), render_svg(plots[i].plot));
  }
  const auto files = std::filesystem::directory_iterator(folder() / "new");
  EXPECT_EQ(static_cast<std::size_t>(std::distance(begin(files), end(files))), plots.size())
      << "no temporary file stays";
}

TEST_F(WritePlots, RefusesNamesThatAreNoFileNames) {
  for (const char* name : {"", "../up", "a/b", "a.b", ".hidden", "a b"}) {
    const std::vector<NamedPlot> plots = {{.name = name, .plot = {}, .caption = ""}};
    EXPECT_THAT(message_of<Error>([&] { write_plots(folder(), plots); }), HasSubstr("is not a valid plot name"))
        << name;
  }
  const std::vector<NamedPlot> twice = {{.name = "a", .plot = {}, .caption = ""},
                                        {.name = "a", .plot = {}, .caption = ""}};
  EXPECT_THAT(message_of<Error>([&] { write_plots(folder(), twice); }), HasSubstr("two plots are named 'a'"));
  EXPECT_FALSE(std::filesystem::exists(folder()));
}

TEST_F(WritePlots, NamesTheFolderItCannotMake) {
  std::filesystem::create_directories(folder());
  write_file_atomically(folder() / "file", "");
  EXPECT_THAT(message_of<Error>([&] { write_plots(folder() / "file" / "sub", {}); }),
              HasSubstr("cannot create the folder"));
}

}  // namespace
}  // namespace nomu
