// Text that is not UTF-8 is refused before the fit, wherever a model file would hold it.

#include "models/fit/stored_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "message_of.hpp"
#include "model_cases.hpp"
#include "nomu/data/dataset.hpp"
#include "nomu/models/archive.hpp"

namespace nomu {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string latin = "caf\xE9";
const std::string repaired = "caf\xEF\xBF\xBD";

TEST(StoredText, IsRefusedBeforeTheFitWhereverItIs) {
  const std::vector<std::function<void(DataSet&)>> places{
      [](DataSet& data) { data.input_names[0] = latin; },
      [](DataSet& data) { data.target_name = latin; },
      [](DataSet& data) { data.noise_name = latin; },
      [](DataSet& data) { data.strata_name = latin; },
      [](DataSet& data) { data.features[0].name = latin; },
      [](DataSet& data) { data.features[0].missing_words = {latin}; },
      [](DataSet& data) { data.report.constant_columns = {latin}; },
      [](DataSet& data) { data.report.missing_cells = {{.column = latin, .cells = 1}}; },
      [](DataSet& data) { data.report.notes = {{.column = latin, .text = "is left out"}}; },
      [](DataSet& data) { data.report.notes = {{.column = "c", .text = "has cells like " + latin}}; },
      [](DataSet& data) { data.strata.assign(data.rows(), latin); },
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    DataSet data = wavy_data(30);
    places[i](data);
    EXPECT_THAT(message_of<DataError>([&] { return fit(tiny_fit(), data, test_engine()); }),
                AllOf(HasSubstr(repaired), HasSubstr("is not UTF-8 text; save the table as UTF-8")))
        << i;
  }
}

TEST(StoredText, NamesTheColumnOfATable) {
  std::string text = "x," + latin + ",y\n";
  std::string mixed = "x,y\n" + latin + ",1\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(i) + ",name" + std::to_string(i) + "," + std::to_string(i % 5) + "\n";
    mixed += std::to_string(i) + "," + std::to_string(i % 5) + "\n";
  }
  const auto refusal = [](const std::string& table) {
    const DataSet rows = make_dataset(parse_table(table, "t.csv"), {.target = "y"});
    return message_of<DataError>([&] { return fit(tiny_fit(), rows, test_engine()); });
  };
  EXPECT_THAT(refusal(text), HasSubstr("the name '" + repaired + "' is not UTF-8")) << "a column that is left out";
  EXPECT_THAT(refusal(mixed), HasSubstr("column 'x': '" + repaired + "' is not UTF-8")) << "a cell among numbers";
}

TEST(StoredText, OfCalibrationRowsIsRefusedToo) {
  const Model model = fit(tiny_fit(CalibrationChoice::none, 2), wavy_data(30), test_engine());
  DataSet rows = wavy_data(200, 3);
  rows.strata.assign(rows.rows(), latin);
  rows.strata_name = "site";
  EXPECT_THAT(message_of<DataError>([&] { return calibrated(model, rows, CalibrationSpec{}); }),
              HasSubstr("column 'site': '" + repaired + "' is not UTF-8"));
}

TEST(StoredText, OfAModelMadeElsewhereIsAnErrorOfItsFile) {
  const Model model = fit(tiny_fit(CalibrationChoice::none, 2), wavy_data(30), test_engine());
  ModelParts parts = model.parts();
  parts.data.report.notes = {{.column = "c", .text = latin}};
  const std::size_t first = 0;
  const Model changed(parts, model.fitted().select({&first, 1}), test_engine());
  EXPECT_THAT(message_of<DataError>([&] { return pack_model(changed); }), HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace nomu
