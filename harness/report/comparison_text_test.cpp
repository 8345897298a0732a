#include "harness/report/comparison_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "harness/base/fit.h"

namespace lab::report {

namespace {

judge::ComparisonRow row(const std::string& benchmark, judge::Verdict verdict, double ratio, stats::Interval interval,
                         double p) {
  judge::ComparisonRow row;
  row.benchmark = benchmark;
  row.verdict = verdict;
  row.ratio = ratio;
  row.interval = interval;
  row.p = p;
  row.base_processes = row.head_processes = 20;
  return row;
}

judge::Comparison made_up() {
  judge::Comparison comparison;
  comparison.base = {"a.json", "farm", "1a2b3c4d5e6f7a8b", "clean", "2026-08-02T23:15:00Z"};
  comparison.head = {"b|<b>.json", "farm", "", "no git", "2026-08-03T23:15:00Z"};
  comparison.tested = 4;
  comparison.rows = {row("f/<v>&'\"/w", judge::Verdict::kRegressed, 1.02, {1.01, 1.03}, 0.00001),
                     row("f/b/w", judge::Verdict::kImproved, 0.9, {0.89, 0.91}, 0.0002),
                     row("f/c/w", judge::Verdict::kUnknown, 1.004, {0.99, 1.01}, 1),
                     row("f/d/w", judge::Verdict::kSame, 1, {0.999, 1.001}, 1)};
  comparison.rows[2].needed = 120;
  comparison.exact = {{"f/b/w", "metadata_bytes", "128", "136", true}, {"f/b/w", "workers", "", "2", false}};
  comparison.only_head = {{"f/e/w"}};
  return comparison;
}

/// Rows that were not judged: identical code, timed and not; two seeds; and one that was tested with too much noise.
judge::Comparison unjudged() {
  judge::Comparison comparison;
  const auto add = [&](const std::string& name, judge::Reason reason, std::size_t base) {
    judge::ComparisonRow row;
    row.benchmark = name;
    row.reason = reason;
    row.identical = reason == judge::Reason::kIdentical;
    row.base_processes = base;
    row.head_processes = 20;
    row.ratio = base == 0 ? 1 : 1.02;
    comparison.rows.push_back(row);
  };
  add("f/blind/w", judge::Reason::kBlind, 20);
  comparison.rows[0].detectable = 0.14;
  comparison.rows[0].interval = {0.9, 1.16};
  comparison.rows[0].p = 0.5;
  add("f/seeds/w", judge::Reason::kSeeds, 20);
  add("f/timed/w", judge::Reason::kIdentical, 20);
  add("f/untimed/w", judge::Reason::kIdentical, 0);
  comparison.tested = 1;
  return comparison;
}

}  // namespace

TEST(Text, gives_the_reason_for_a_row_that_is_not_judged_and_counts_identical_ones) {
  const std::string text = to_text(unjudged(), {});
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "Of 4 benchmarks 0 regressed, 0 improved, 1 unknown, 0 same, 2 have identical code and were not judged, 1 "
            "ran with "
            "different seeds and was not judged; no exact metric changed.");
  EXPECT_EQ(text.substr(text.find("\n\n") + 2),
            "verdict   change              interval       p  processes  benchmark\n"
            "unknown  +2.00 %  -10.00 % .. +16.00 %  0.5000         20  f/blind/w  only a change of 14 % or more "
            "is found in 4 of 5 cases\n"
            "unknown  +2.00 %                     -       -         20  f/seeds/w  different seeds, not judged\n"
            "identical code, not judged: 2 benchmarks; --all lists them\n");
  const std::string all = to_text(unjudged(), {false, true});
  EXPECT_NE(
      all.find("unknown  +2.00 %                     -       -         20  f/timed/w    identical code, not judged\n"),
      std::string::npos)
      << all;
  EXPECT_NE(
      all.find("unknown        -                     -       -   0 and 20  f/untimed/w  identical code, not timed\n"),
      std::string::npos)
      << all;
}

TEST(Text, says_which_changes_are_found) {
  judge::Comparison comparison = made_up();
  comparison.rows[0].detectable = comparison.rows[2].detectable = 0.031;
  comparison.rows[3].detectable = 0.012;
  const std::string text = to_text(comparison, {});
  EXPECT_NE(text.find("a change of 3.1 % is found in 4 of 5 cases; 120 processes per arm would decide it"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("same: 1 benchmark (changes of 1.2 % are found in 4 of 5 cases); --all lists them"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("is found in"), text.find("is found in 4 of 5 cases; 120")) << "not said of a finding";
}

TEST(Markdown, collapses_rows_with_identical_code) {
  const std::string text = to_markdown(unjudged());
  EXPECT_NE(text.find("| unknown | f/seeds/w | +2.00 % | - | - | 20 | different seeds, not judged |"),
            std::string::npos);
  EXPECT_NE(text.find("<details><summary>2 benchmarks of identical code, not judged</summary>"), std::string::npos)
      << text;
}

TEST(Json, has_a_reason_and_no_number_for_a_row_that_was_not_tested) {
  const boost::json::value value = boost::json::parse(to_json(unjudged()));
  const boost::json::array& rows = value.at("rows").as_array();
  const char* const reasons[]{"blind", "seeds", "identical", "identical"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rows[i].at("verdict"), "unknown");
    EXPECT_EQ(rows[i].at("reason"), reasons[i]);
    for (const char* number : {"p", "low", "high"}) EXPECT_EQ(rows[i].at(number).is_null(), i > 0) << number;
  }
  EXPECT_EQ(rows[2].at("ratio").as_double(), 1.02);
  EXPECT_TRUE(rows[3].at("ratio").is_null());
  EXPECT_TRUE(boost::json::parse(to_json(made_up())).at("rows").at(0).at("reason").is_null());
}

TEST(Json, has_the_detectable_change_of_the_control_and_the_reason_of_an_unfit_session) {
  judge::Comparison comparison = made_up();
  judge::Control control;
  control.fit = false;
  control.reason = judge::kBlindReason;
  control.detectable_change = 0.25;
  control.rows = {{"f/a/w", 20, 1, stats::Interval{0.8, 1.25}, 0.5, 0.5, 0.25}};
  comparison.fitness = {{false, judge::kBlindReason, {}, control}};
  const boost::json::value value = boost::json::parse(to_json(comparison));
  EXPECT_EQ(value.at("controls").at(0).at("seen").as_double(), 0.25);
  EXPECT_EQ(value.at("controls").at(0).at("rows").at(0).at("low").as_double(), 0.8);
  EXPECT_EQ(value.at("fit"), false);
  EXPECT_EQ(value.at("unfit_reason"), "blind");
  EXPECT_EQ(
      value.at("unfit").at(0),
      "unfit: the A/A control's smallest detectable change is 25 %, required is 15 %: measure longer, or on a quieter "
      "machine");
}

TEST(Junit, skips_rows_that_are_not_judged_with_their_sentence) {
  const std::string text = to_junit(unjudged());
  EXPECT_NE(text.find("tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"4\""), std::string::npos) << text;
  for (const char* const message :
       {"only a change of 14 % or more is found in 4 of 5 cases: +2.00 % (-10.00 % .. +16.00 %), p 0.5000",
        "different seeds, not judged: +2.00 %", "identical code, not judged: +2.00 %", "identical code, not timed"})
    EXPECT_NE(text.find(fmt::format("<skipped message=\"{}\"/>", message)), std::string::npos) << message << text;
}

TEST(Text, has_the_verdicts_first_and_counts_unchanged_benchmarks) {
  EXPECT_EQ(
      to_text(made_up(), {}),
      "Of 4 benchmarks 1 regressed, 1 improved, 1 unknown, 1 same; 2 exact metrics changed, 1 of them for the worse.\n"
      "base  a.json (1a2b3c4d5e6f, clean, machine farm, 2026-08-02T23:15:00Z)\n"
      "head  b|<b>.json (no git, machine farm, 2026-08-03T23:15:00Z)\n"
      "alpha 0.05 over the table, threshold 0.5 %, intervals 95 %; both arms interleaved in one session\n"
      "\n"
      "verdict      change             interval         p  processes  benchmark\n"
      "regressed   +2.00 %   +1.00 % .. +3.00 %  < 0.0001         20  f/<v>&'\"/w\n"
      "improved   -10.00 %  -11.00 % .. -9.00 %    0.0002         20  f/b/w\n"
      "unknown     +0.40 %   -1.00 % .. +1.00 %    1.0000         20  f/c/w       120 processes per arm would "
      "decide it\n"
      "same: 1 benchmark; --all lists them\n"
      "\n"
      "exact metrics, where any change is a finding\n"
      "  f/b/w metadata_bytes: 128 -> 136 (worse)\n"
      "  f/b/w workers: nothing -> 2\n"
      "only in head: f/e/w\n");
}

TEST(Text, has_remarks_below_their_row_on_a_narrow_terminal) {
  EXPECT_NE(to_text(made_up(), {false, false, 80})
                .find("\n"
                      "verdict      change             interval         p  processes  benchmark\n"
                      "regressed   +2.00 %   +1.00 % .. +3.00 %  < 0.0001         20  f/<v>&'\"/w\n"
                      "improved   -10.00 %  -11.00 % .. -9.00 %    0.0002         20  f/b/w\n"
                      "unknown     +0.40 %   -1.00 % .. +1.00 %    1.0000         20  f/c/w\n"
                      "  120 processes per arm would decide it\n"),
            std::string::npos)
      << to_text(made_up(), {false, false, 80});
}

TEST(Text, fits_a_narrow_terminal_with_every_sentence) {
  judge::Comparison comparison = made_up();
  comparison.warnings = {
      judge::AllowedRefusal{"the base ran on another day than the head, and on that day something else was slow, too"}};
  comparison.only_base = {{"family/a_variant_with_a_long_name/workload"}, {"family/another_with_a_long_name/workload"}};
  const std::string text = to_text(comparison, {false, true, 80});
  for (const std::string& line : wrapped(text, 0)) EXPECT_LE(text_width(line), 80u) << line;
  EXPECT_NE(text.find("slow, too\n"), std::string::npos) << text;
}

TEST(Text, prints_a_ratio_above_10000_as_a_factor) {
  judge::Comparison comparison = made_up();
  comparison.rows[0].ratio = 3e250;
  comparison.rows[0].interval = {2.5e5, 1e300};
  EXPECT_NE(to_text(comparison, {}).find("regressed  x 3e+250  x 2.5e+05 .. x 1e+300  < 0.0001"), std::string::npos)
      << to_text(comparison, {});
}

TEST(Text, has_colours_only_if_requested) {
  EXPECT_EQ(to_text(made_up(), {}).find('\x1b'), std::string::npos);
  EXPECT_NE(to_text(made_up(), {true, false}).find("\x1b[31mregressed\x1b[0m"), std::string::npos);
}

TEST(Text, lists_all_rows_if_requested) {
  judge::Comparison comparison = made_up();
  for (int i = 0; i < 30; ++i) comparison.exact.push_back({"f/b/w", fmt::format("m{}", i), "1", "2", false});
  EXPECT_NE(to_text(comparison, {}).find("and 12 more; --all lists them"), std::string::npos);
  const std::string all = to_text(comparison, {false, true});
  EXPECT_NE(all.find("f/d/w"), std::string::npos);
  EXPECT_NE(all.find("m29"), std::string::npos);
  EXPECT_EQ(all.find("--all"), std::string::npos);
}

TEST(Markdown, escapes_the_characters_of_a_table) {
  const std::string text = to_markdown(made_up());
  EXPECT_EQ(text.substr(0, 2), "**");
  EXPECT_NE(text.find("| **regressed** | f/\\<v>&'\"/w | +2.00 % | +1.00 % .. +3.00 % | < 0.0001 | 20 |  |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("b\\|\\<b>.json"), std::string::npos);
  EXPECT_NE(text.find("<details><summary>1 benchmark the same</summary>"), std::string::npos);
}

TEST(Json, is_one_object_with_the_fields_of_the_contract) {
  const boost::json::value value = boost::json::parse(to_json(made_up()));
  const boost::json::object& first = value.at("rows").as_array().at(0).as_object();
  const char* const names[]{"benchmark", "ratio", "low", "high", "p", "verdict"};
  std::size_t place = 0;
  for (const auto& member : first) {
    if (place == 6) break;
    EXPECT_EQ(member.key(), names[place++]);
  }
  EXPECT_EQ(first.at("verdict"), "regressed");
  EXPECT_EQ(first.at("low").as_double(), 1.01);
  EXPECT_EQ(
      value.at("exact").as_array().at(0),
      (boost::json::object{
          {"benchmark", "f/b/w"}, {"metric", "metadata_bytes"}, {"base", "128"}, {"head", "136"}, {"worse", true}}));
}

TEST(Json, has_null_for_a_missing_interval) {
  judge::Comparison comparison = made_up();
  comparison.rows[2].interval.reset();
  EXPECT_TRUE(boost::json::parse(to_json(comparison)).at("rows").as_array().at(2).at("low").is_null());
}

TEST(Junit, is_well_formed_and_counts_failures_and_skips) {
  std::istringstream text(to_junit(made_up()));
  boost::property_tree::ptree tree;
  ASSERT_NO_THROW(boost::property_tree::read_xml(text, tree));
  const auto& suite = tree.get_child("testsuites.testsuite");
  EXPECT_EQ(suite.get<std::string>("<xmlattr>.tests"), "6");
  EXPECT_EQ(suite.get<std::string>("<xmlattr>.failures"), "2");
  EXPECT_EQ(suite.get<std::string>("<xmlattr>.skipped"), "1");
  int cases = 0, failures = 0, skipped = 0;
  for (const auto& [tag, child] : suite) {
    if (tag != "testcase") continue;
    if (cases == 0) {
      EXPECT_EQ(child.get<std::string>("<xmlattr>.name"), "f/<v>&'\"/w");
    }
    ++cases;
    failures += static_cast<int>(child.count("failure"));
    skipped += static_cast<int>(child.count("skipped"));
  }
  EXPECT_EQ(cases, 6);
  EXPECT_EQ(failures, 2);
  EXPECT_EQ(skipped, 1);
}

}  // namespace lab::report
