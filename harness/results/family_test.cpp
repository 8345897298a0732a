#include "harness/results/family.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"

namespace lab::results {

namespace {

Expected<Families> loaded(std::string_view text) {
  const ScratchFolder root;
  root.write("variants/shelf/family.json", text);
  root.write("variants/common/heaps/growth.h", "not a family");
  return load_families(root.path());
}

}  // namespace

TEST(Family, has_titles_metrics_and_charts) {
  const Expected<Families> families = loaded(R"({
    "reference": "plain", "title": "Shelves", "subject": "shelves", "metrics_title": "Room",
    "metrics": [{"metric": "slack", "title": "Unused share", "format": "percent"},
                {"metric": "used_bytes"}, {"metric": "rounds", "shown": false}],
    "charts": [{"name": "room", "metric": "used_bytes", "over": "live_bytes", "axis": "used / live", "note": "n", "line": 1},
               {"name": "slack", "metric": "slack", "axis": "slack", "unit": "of a shelf", "note": "n"}]})");
  ASSERT_TRUE(families) << families.error().what;
  ASSERT_EQ(families->size(), 1u);
  const Family shelf = describe(*families, "shelf");
  EXPECT_EQ(shelf.title, "Shelves");
  EXPECT_EQ(shelf.subject, "shelves");
  EXPECT_EQ(shelf.metrics_title, "Room");
  ASSERT_EQ(shelf.metrics.size(), 3u);
  EXPECT_EQ(shelf.metrics[0].title, "Unused share");
  EXPECT_EQ(shelf.metrics[0].format, NumberFormat::kPercent);
  EXPECT_EQ(shelf.metrics[1].title, "Used, bytes");
  EXPECT_EQ(shelf.metrics[1].format, NumberFormat::kWhole);
  EXPECT_FALSE(shelf.metrics[2].shown);
  ASSERT_EQ(shelf.charts.size(), 2u);
  EXPECT_EQ(shelf.charts[0].over, "live_bytes");
  EXPECT_EQ(shelf.charts[0].unit, "used / live") << "the axis, if the file has no unit";
  EXPECT_EQ(shelf.charts[0].line, 1.0);
  EXPECT_EQ(shelf.charts[1].unit, "of a shelf");
  EXPECT_EQ(shelf.charts[1].line, std::nullopt);
}

TEST(Family, may_say_what_its_variants_are_chosen_by) {
  const Expected<Families> families =
      loaded(R"({"choice": {"title": "Which shelf?", "caution": "No time has the way there.", "latency": "pair",
    "latency_limit": {"ns": 16000000, "title": "a frame"},
    "groups": [{"title": "Moves", "trait": "moves", "like": "yes*", "workload": "store"}, {"title": "All", "workload": "fetch", "lacks": "the way"}],
    "metrics": [{"metric": "used_bytes", "title": "Used", "means": "m", "note": "n"},
                {"metric": "used_bytes", "over": "all_bytes", "title": "Share", "axis": "a share", "format": "percent", "means": "m"}],
    "traits": [{"trait": "threads", "title": "Threads", "otherwise": "one", "means": "m"}]}})");
  ASSERT_TRUE(families) << families.error().what;
  EXPECT_FALSE(describe(*families, "other").choice);
  const Choice choice = *describe(*families, "shelf").choice;
  EXPECT_EQ(choice.title, "Which shelf?");
  EXPECT_EQ(choice.caution, "No time has the way there.");
  EXPECT_EQ(choice.latency, "pair");
  EXPECT_EQ(choice.latency_limit->ns, 16e6);
  EXPECT_EQ(choice.latency_limit->title, "a frame");
  ASSERT_EQ(choice.groups.size(), 2u);
  EXPECT_EQ(choice.groups[0].like, "yes*");
  EXPECT_EQ(choice.groups[0].lacks, "");
  EXPECT_EQ(choice.groups[1].trait, "");
  EXPECT_EQ(choice.groups[1].lacks, "the way");
  ASSERT_EQ(choice.metrics.size(), 2u);
  EXPECT_EQ(choice.metrics[0].format, NumberFormat::kWhole);
  EXPECT_EQ(choice.metrics[0].axis, "Used");
  EXPECT_EQ(choice.metrics[0].note, "n");
  EXPECT_EQ(choice.metrics[1].format, NumberFormat::kPercent);
  EXPECT_EQ(choice.metrics[1].axis, "a share");
  EXPECT_EQ(choice.traits.at(0).otherwise, "one");
}

TEST(Family, may_compare_images_and_trade_metrics_off) {
  const Expected<Families> families = loaded(R"({
    "comparisons": [{"title": "Ghosts", "note": "n",
                     "images": [{"title": "before", "workload": "old", "exhibit": "picture"},
                                {"title": "after", "workload": "new", "exhibit": "picture", "variant": "quick"}]},
                    {"name": "edges", "title": "Edges", "images": []}],
    "trade_offs": [{"name": "cost", "title": "Error against time", "x": "time", "y": "error", "workloads": ["old", "new"],
                    "x_axis": "ms a frame", "y_axis": "RMS error", "x_scale": 1e-6, "note": "n",
                    "marks": [{"x": 1, "to": 1.5, "title": "a budget"}, {"x": 16, "title": "a frame"}]},
                   {"name": "size", "title": "t", "x": "time", "y": "bytes", "workloads": [], "x_axis": "x", "y_axis": "y"}]})");
  ASSERT_TRUE(families) << families.error().what;
  const Family shelf = describe(*families, "shelf");
  ASSERT_EQ(shelf.comparisons.size(), 2u);
  EXPECT_EQ(shelf.comparisons[0].name, "Ghosts") << "the title, if the file has no name";
  EXPECT_EQ(shelf.comparisons[0].note, "n");
  ASSERT_EQ(shelf.comparisons[0].images.size(), 2u);
  EXPECT_EQ(shelf.comparisons[0].images[0].variant, "");
  EXPECT_EQ(shelf.comparisons[0].images[1].workload, "new");
  EXPECT_EQ(shelf.comparisons[0].images[1].variant, "quick");
  EXPECT_EQ(shelf.comparisons[1].name, "edges");
  ASSERT_EQ(shelf.trade_offs.size(), 2u);
  const TradeOff& cost = shelf.trade_offs[0];
  EXPECT_EQ(cost.workloads, (std::vector<std::string>{"old", "new"}));
  EXPECT_EQ(cost.x_scale, 1e-6);
  EXPECT_EQ(cost.y_scale, 1.0);
  ASSERT_EQ(cost.marks.size(), 2u);
  EXPECT_EQ(cost.marks[0].to, 1.5);
  EXPECT_EQ(cost.marks[1].to, std::nullopt);
  EXPECT_TRUE(shelf.trade_offs[1].marks.empty());
}

TEST(Family, without_a_description_has_its_name_as_title) {
  for (const char* text : {R"({"reference": "plain"})", R"({"reference": "plain", "later": [1]})"}) {
    const Family shelf = describe(*loaded(text), "shelf");
    EXPECT_EQ(shelf.title, "shelf");
    EXPECT_EQ(shelf.subject, "shelf");
    EXPECT_EQ(shelf.metrics_title, "Metrics other than time");
  }
  EXPECT_EQ(describe({}, "elsewhere").title, "elsewhere");
  EXPECT_TRUE(load_families(ScratchFolder().path())->empty());
}

TEST(Family, that_cannot_be_read_is_one_sentence_with_its_file) {
  const struct {
    const char *text, *error;
  } rows[]{
      {"", "the file: empty"},
      {R"({"title": 1})", "title: expected a string, found 1"},
      {R"({"metrics": [{"title": "t"}]})", "metrics[0].metric: missing"},
      {R"({"metrics": [{"metric": "m", "format": "hex"}]})",
       "metrics[0].format: expected one of number, percent, whole, found 'hex'"},
      {R"({"charts": [{"name": "n", "metric": "m", "note": "n"}]})", "charts[0].axis: missing"},
      {R"({"choice": {"title": "t"}})", "choice.groups: missing"},
      {R"({"questions": [{"question": "q", "workloads": ["w"], "between": ["a"]}]})",
       "questions[0].between: expected two variants, found 1"},
      {R"({"choice": {"title": "t", "groups": [{"title": "t", "workload": "w", "trait": "x"}]}})",
       "choice.groups[0].like: missing"},
      {R"({"choice": {"title": "t", "groups": [], "latency": "l", "latency_limit": 16}})",
       "choice.latency_limit: expected an object, found 16"},
      {R"({"choice": {"title": "t", "groups": [], "latency": "l", "latency_limit": {"ns": 16}}})",
       "choice.latency_limit.title: missing"},
      {R"({"choice": {"title": "t", "groups": [], "latency": "l", "latency_limit": {"ns": "16 ms", "title": "t"}}})",
       "choice.latency_limit.ns: expected a finite number, found a string"},
      {R"({"choice": {"title": "t", "groups": [], "latency": "l", "latency_limit": {"ns": 0, "title": "t"}}})",
       "choice.latency_limit.ns: expected a number above 0, found 0"},
      {R"({"choice": {"title": "t", "groups": [], "latency_limit": {"ns": 16, "title": "t"}}})",
       "choice.latency: missing"},
      {R"({"comparisons": [{"title": "t"}]})", "comparisons[0].images: missing"},
      {R"({"comparisons": [{"title": "t", "images": ["picture"]}]})",
       "comparisons[0].images[0]: expected an object, found a string"},
      {R"({"comparisons": [{"title": "t", "images": [{"title": "t", "workload": "w"}]}]})",
       "comparisons[0].images[0].exhibit: missing"},
      {R"({"trade_offs": [{"name": "n", "title": "t", "x": "x", "y": "y", "workloads": "w"}]})",
       "trade_offs[0].workloads: expected an array, found a string"},
      {R"({"trade_offs": [{"name": "n", "title": "t", "x": "x", "y": "y", "workloads": [], "x_axis": "x"}]})",
       "trade_offs[0].y_axis: missing"},
      {R"({"trade_offs": [{"name": "n", "title": "t", "x": "x", "y": "y", "workloads": [], "x_axis": "x", "y_axis": "y",
                           "x_scale": 0}]})",
       "trade_offs[0].x_scale: expected a number above 0, found 0"},
      {R"({"trade_offs": [{"name": "n", "title": "t", "x": "x", "y": "y", "workloads": [], "x_axis": "x", "y_axis": "y",
                           "marks": [{"x": 2, "to": 1, "title": "t"}]}]})",
       "trade_offs[0].marks[0].to: expected a number above 2, found 1"},
  };
  for (const auto& [text, error] : rows) {
    const Expected<Families> families = loaded(text);
    ASSERT_FALSE(families) << text;
    EXPECT_EQ(families.error().status, ExitStatus::kUsage);
    const std::string& what = families.error().what;
    EXPECT_TRUE(what.starts_with("reading '")) << what;
    EXPECT_TRUE(what.ends_with(std::string("variants/shelf/family.json': ") + error)) << what;
  }
}

TEST(Family, columns_of_unknown_metrics_have_a_title) {
  EXPECT_EQ(default_column("spare_page_bytes").title, "Spare page, bytes");
  EXPECT_EQ(default_column("workers").title, "Workers");
  EXPECT_EQ(default_column("workers").format, NumberFormat::kNumber);
  EXPECT_EQ(default_column("page_faults").format, NumberFormat::kWhole);
}

}  // namespace lab::results
