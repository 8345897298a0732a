#include "harness/report/vulkan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "harness/report/html.h"
#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

namespace json = boost::json;

const std::vector<results::Article>& articles() {
  return sample::background().articles;
}

std::string text_of(const Section& section) {
  Document document;
  document.pages[0].sections.push_back(section);
  return to_markdown(document);
}

}  // namespace

TEST(VulkanSection, has_the_four_graphs_of_the_article_with_every_driver_and_size) {
  const std::vector<results::DriverColumn> atlas = sample::atlas();
  Document document;
  document.pages[0].sections.push_back(vulkan_section(atlas, articles()));
  std::vector<std::string> names;
  for (const Chart* chart : charts_of(document)) names.push_back(chart->name);
  // Rows of bytes have one alignment: a grid of it would show nothing.
  const std::vector<std::string> expected{"image-alignment",
                                          "image-storage",
                                          "buffer-alignment",
                                          "buffer-storage",
                                          "image-overhead-lavapipe-22.3.6",
                                          "image-overhead-radv-22.3.6-navi10-simulated",
                                          "image-alignment-radv-22.3.6-navi10-simulated"};
  EXPECT_EQ(names, expected);
  EXPECT_EQ(charts_of(document)[0]->data.at("rows").as_array().size(), 2u * 169);
  EXPECT_EQ(charts_of(document)[1]->data.at("rows").as_array().size(), 2u * 169);
}

TEST(VulkanSection, draws_drivers_with_equal_answers_as_one_line) {
  std::vector<results::DriverColumn> atlas = sample::atlas();
  atlas[1] = atlas[0];
  atlas[1].name = "twin-1";
  Document document;
  document.pages[0].sections.push_back(vulkan_section(atlas, articles()));
  const json::array& rows = charts_of(document)[0]->data.at("rows").as_array();
  EXPECT_EQ(rows.size(), 169u);
  EXPECT_EQ(rows[0].at("driver").as_string(), "lavapipe 22.3.6");
}

TEST(VulkanSection, reports_that_no_driver_was_probed) {
  const std::string text = text_of(vulkan_section({}, articles()));
  EXPECT_NE(text.find("No Vulkan driver of this machine has been probed"), std::string::npos) << text;
  EXPECT_EQ(text.find("!["), std::string::npos) << text;
}

TEST(VulkanSection, names_a_driver_that_failed_and_draws_no_empty_graph) {
  results::DriverColumn broken;
  broken.name = "radv-failed";
  broken.failure = results::ProbeFailure{"crash", "SIGSEGV while in vkCreateInstance", ""};
  const std::string text = text_of(vulkan_section(std::vector{broken}, articles()));
  EXPECT_NE(text.find("radv-failed did not answer everything (crash): SIGSEGV while in vkCreateInstance"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("No driver answered for any image, so there is no graph of images."), std::string::npos) << text;
  EXPECT_EQ(text.find("!["), std::string::npos) << text;
}

TEST(VulkanSection, omits_from_graphs_what_a_logarithmic_axis_cannot_show) {
  std::vector<results::DriverColumn> atlas{sample::atlas()[0]};
  atlas[0].images[0].alignment = 0;
  atlas[0].buffers[0].size = atlas[0].buffers[0].length - 1;
  const Section section = vulkan_section(atlas, articles());
  Document document;
  document.pages[0].sections.push_back(section);
  for (const Chart* chart : charts_of(document)) {
    if (chart->spec == "image_grid") continue;
    for (const boost::json::value& row : chart->data.at("rows").as_array()) {
      const double value = row.at("value").to_number<double>();
      EXPECT_TRUE(chart->spec == "buffer_storage" ? value >= 0 && value < 1e6 : value > 0) << chart->spec << value;
    }
  }
}

TEST(VulkanSection, omits_refused_sizes_from_graphs_and_names_them) {
  std::vector<results::DriverColumn> atlas{sample::atlas()[0]};
  results::ImageRow& last = atlas[0].images.back();
  last.size = last.alignment = 0;
  atlas[0].refused = {{"image 4096x4096", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}};
  const Section section = vulkan_section(atlas, articles());
  Document document;
  document.pages[0].sections.push_back(section);
  EXPECT_EQ(charts_of(document)[0]->data.at("rows").as_array().size(), 168u);
  EXPECT_NE(text_of(section).find("refused 1 size: image 4096x4096 (VK\\_ERROR\\_OUT\\_OF\\_DEVICE\\_MEMORY)"),
            std::string::npos);
}

namespace {

/// What a reader sees of `text` that names `column` without saying, right behind it, that it is `phrase`.
std::string unmarked(const std::string& text, const std::string& column, const std::string& phrase) {
  for (std::size_t at = text.find(column); at != std::string::npos; at = text.find(column, at + 1))
    if (text.find(phrase, at) > at + 120) return text.substr(at, 160);
  return "";
}

/// An atlas of which the second column is in every table: it has a twin, breaks rules, refuses, contradicts itself.
std::vector<results::DriverColumn> eventful_atlas() {
  std::vector<results::DriverColumn> atlas = sample::atlas();
  results::DriverColumn& column = atlas[1];
  column.contradicted = 1;
  column.contradictions = {{"1x1", "64 bytes", "65 bytes"}};
  column.images[3].alignment = 3;
  column.refused = {{"image 1x1", "VK_ERROR_UNKNOWN"}};
  column.failure = results::ProbeFailure{"timeout", "no answer after 60 s", ""};
  results::SweepAnswers wide{"wide", {"", "no sparse binding"}, {}, {}};
  wide.images = {{{"R8_UNORM", "2d", "optimal", "sampled", ""},
                  {{4, 4, 1, {64, 16, 1, 0, results::Dedicated::kPreferred}}, {8, 8, 1, {0, 0, 0, 1, {}}}}}};
  column.sweeps = {wide};
  results::DriverColumn newer = column, plain = column;
  newer.name = "radv-25.0.7-navi10-simulated";
  newer.driver.version = "25.0.7";
  for (results::ImageRow& row : newer.images) row.size += 16;
  plain.name = "radv-22.3.6-navi10-nodcc-simulated";
  plain.environment["RADV_DEBUG"] = "nodcc";
  for (results::ImageRow& row : plain.images) row.size = std::max<std::uint64_t>(row.size / 2, 4);
  atlas.push_back(newer);
  atlas.push_back(plain);
  results::DriverColumn imported = atlas[0];
  imported.name = "gtx-imported";
  imported.imported = true;
  imported.driver = {};
  imported.images.back().size *= 2;
  atlas.push_back(imported);
  return atlas;
}

}  // namespace

TEST(VulkanSection, says_wherever_it_names_a_simulated_or_an_imported_column_what_it_is) {
  const std::vector<results::DriverColumn> atlas = eventful_atlas();
  Document document;
  document.pages[0].sections.push_back(vulkan_section(atlas, articles()));
  std::vector<const Section*> sections{&document.pages[0].sections[0]};
  for (const Section& inner : document.pages[0].sections[0].sections) sections.push_back(&inner);
  std::size_t tables = 0;
  for (const Section* section : sections)
    for (const Element& element : section->elements) {
      const Table* table = std::get_if<Table>(&element);
      if (table == nullptr || table->name.starts_with("claims-")) continue;  // these say it above: driver_claims_test
      ++tables;
      for (const auto& row : table->rows) {
        std::string text;
        for (const TableCell& cell : row) text += cell.text + "|";
        for (const char* word : {"radv", "navi10"})
          EXPECT_TRUE(text.find(word) == std::string::npos || text.find(results::kSimulatedPhrase) != std::string::npos)
              << table->name << ": " << text;
        EXPECT_TRUE(text.find("gtx") == std::string::npos || text.find(results::kImportedPhrase) != std::string::npos)
            << table->name << ": " << text;
      }
    }
  EXPECT_GE(tables, 8u);
  for (const Chart* chart : charts_of(document)) {
    const std::string data = json::serialize(chart->data) + json::serialize(chart->choices) + chart->title;
    EXPECT_EQ(unmarked(data, "radv", std::string(results::kSimulatedPhrase)), "") << chart->name;
    EXPECT_EQ(unmarked(data, "gtx-imported", std::string(results::kImportedPhrase)), "") << chart->name;
  }
  const Matrix& matrix = *matrices_of(document)[0];
  for (const json::value& column : matrix.data.at("columns").as_array())
    EXPECT_EQ(unmarked(json::serialize(column.at("label")), "radv", std::string(results::kSimulatedPhrase)), "");
  EXPECT_EQ(unmarked(matrix.csv.substr(0, matrix.csv.find('\n')), "radv", std::string(results::kSimulatedPhrase)), "");
  EXPECT_NE(unmarked("a legend that says radv-22.3.6" + std::string(200, ' '), "radv", "simulated"), "");
}

TEST(VulkanSection, tells_columns_apart_and_what_changed) {
  const std::string text = text_of(vulkan_section(eventful_atlas(), articles()));
  for (const char* part :
       {"What changed between versions of a driver", "| 22.3.6 to 25.0.7 |", "each takes 16 bytes more",
        "What compression adds to the article's images", "| RADV\\_DEBUG=nodcc |",
        "Where the bytes of the article's images go", "the alignment is a power of two",
        "| no sparse binding | 1 | R8\\_UNORM |", "| preferred | 1 | 4x4 R8\\_UNORM, optimal, sampled |",
        "| 1 | 1x1 | 64 bytes | 65 bytes |", "[atlas.csv](atlas.csv)"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(VulkanSection, has_no_tables_of_what_did_not_happen) {
  const std::string text = text_of(vulkan_section(std::vector{sample::atlas()[0]}, articles()));
  for (const char* part : {"What changed between", "What compression adds", "Refusals, contradictions"})
    EXPECT_EQ(text.find(part), std::string::npos) << part;
}

TEST(VulkanSection, draws_few_lines_and_lets_the_reader_choose_others) {
  std::vector<results::DriverColumn> atlas{sample::atlas()[0]};
  for (std::uint64_t i = 1; i <= 6; ++i) {
    atlas.push_back(sample::atlas()[1]);
    atlas.back().name = "radv-" + std::to_string(i) + "-simulated";
    for (results::ImageRow& row : atlas.back().images) row.size += 4096 * i;
  }
  Document document;
  document.pages[0].sections.push_back(vulkan_section(atlas, articles()));
  const Chart& storage = *charts_of(document)[1];
  EXPECT_EQ(storage.data.at("rows").as_array().size(), 5u * 169);
  EXPECT_EQ(storage.data.at("rows").at(0).at("driver").as_string(), "lavapipe-22.3.6") << "asked on this machine";
  EXPECT_EQ(storage.choices.at("lines").as_array().size(), 7u);
  EXPECT_EQ(storage.choices.at("lines").at(0).at("columns"), json::array{0});
  EXPECT_NE(storage.note.find("5 of 7 different tables are drawn"), std::string::npos) << storage.note;
}

TEST(VulkanSection, marks_the_values_that_the_article_states) {
  Document document;
  document.pages[0].sections.push_back(vulkan_section(sample::atlas(), articles()));
  const auto mark = [&](std::size_t chart, const char* what) {
    for (const json::value& row : charts_of(document)[chart]->data.at("article").as_array())
      if (row.at("what").as_string() == what) return row.as_object();
    return json::object{};
  };
  EXPECT_EQ(mark(0, "every image").at("value"), 4096);
  EXPECT_EQ(mark(1, "128x16").at("value"), 20504);
  EXPECT_EQ(mark(1, "128x16").at("source").as_string(), "the article's values (Mark Raynsford, io7m, 2023)");
  EXPECT_EQ(mark(3, "1 byte, as any length below 16").at("value"), 15);
}

}  // namespace lab::report
