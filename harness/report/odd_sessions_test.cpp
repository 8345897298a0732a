// Sessions as they come when something is missing or wrong, and the sentences that a report makes of them. Each kind of
// sentence is checked against the processes by a rule of its own, which shares no code with what wrote it.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/random.h"
#include "harness/judge/fitness.h"
#include "harness/report/fitness_text.h"
#include "harness/report/markdown.h"
#include "harness/report/report.h"
#include "harness/report/run_table.h"

namespace lab::report {

namespace {

using results::Result;

constexpr const char* kReference = "plain";
constexpr std::size_t kEnough = 6;  ///< processes for a 95 % interval: 1 - 2 / 2^6 is the first above it

/// What is odd about a session, and what its processes measured.
struct OddSession {
  Result result;
  bool unfit = false;
  std::string mark;  ///< of what is not judged
  std::string what;  ///< for a failure's message
};

/// Makes the session unfit, if it has a time.
void add_biased_control(Result& result) {
  const auto has_time = [](const results::Process& process) { return process.real_time > 0; };
  const auto first = std::ranges::find_if(result.processes, has_time);
  if (first == result.processes.end()) return;
  const std::string benchmark = first->benchmark;
  const std::vector<results::Process> heads = result.processes;
  for (results::Process process : heads) {
    if (process.benchmark != benchmark) continue;
    process.arm = results::kControl;
    process.real_time *= 2;
    result.processes.push_back(std::move(process));
  }
}

OddSession odd_session(std::uint64_t seed) {
  Random random(seed);
  OddSession odd;
  Result& result = odd.result;
  const auto one_of = [&](auto... values) {
    const std::array all{values...};
    return all[random.below(all.size())];
  };
  result.machine.logical_cores = 2;
  result.context.num_cpus = 2;
  result.workloads.push_back({"shelf", "store", "put and get", 1, {"put"}, 10, "pair", false});
  result.workloads.back().metrics = {
      {"frames", "Frames", "", results::MetricKind::kQuality, bench::Better::kLess},
      {"used_bytes", "Used", "bytes", results::MetricKind::kExact, bench::Better::kLess}};
  const int variants = one_of(1, 2, 3);
  const bool without_reference = random.below(4) == 0;
  const double spread = one_of(0.0, 0.001, 0.4);
  for (int i = 0; i < variants; ++i) {
    const std::string name = i == 0 ? kReference : fmt::format("v{}", i);
    result.variants.push_back({"shelf", name, i == 0, "i", "c", "s", "w", {}});
    const int processes = without_reference && i == 0 ? 0 : one_of(0, 1, 2, 5, 6, 12);
    const double level = one_of(0.0, 50.0, 100.0, 101.0, 300.0), bytes = one_of(0.0, 64.0, 64.1, 128.0);
    const bool has_frames = random.below(3) != 0, has_bytes = random.below(3) != 0, disagrees = random.below(6) == 0;
    odd.what += fmt::format("{}: {} processes of {} ns; ", name, processes, level);
    for (int block = 0; block < processes; ++block) {
      results::Process process;
      process.benchmark = fmt::format("shelf/{}/store", name);
      process.process = process.block = block;
      process.operations = 10;
      process.repetitions = 3;
      process.checksum = "aa";
      const double ns = level * (1 + spread * (static_cast<double>(random.below(2001)) / 1000 - 1));
      process.real_time = process.cpu_time = ns;
      process.samples = {{"put", {ns * 10, ns * 10, ns * 10}}};
      if (has_frames) process.counters["frames"] = static_cast<double>(one_of(1, 2, 3));
      if (has_bytes) process.counters["used_bytes"] = bytes + (disagrees && block == 0 ? 8 : 0);
      result.processes.push_back(std::move(process));
    }
  }
  if (random.below(3) == 0) {
    const double foreign = one_of(1.0, 4.0, 17.0, 4634.5);
    for (int block = 0; block < 12; ++block) result.session.disturbances.push_back({block, 10, foreign, 0.5});
    add_biased_control(result);
  }
  const judge::Fitness fitness = judge::judge_fitness(result);
  odd.unfit = !fitness.fit;
  odd.mark = not_judged(fitness);
  odd.what += odd.unfit ? odd.mark : "fit";
  return odd;
}

/// Claims of every kind about these variants.
Background background() {
  Background made;
  results::Article& article = made.articles.emplace_back();
  article.name = "shelves";
  article.family = "shelf";
  article.workload = "store";
  article.source = {"On shelves", "A. Writer", 2020};
  article.table = {{{kReference}, {{"put", 2}}}, {{"v1"}, {{"put", 1}}}};
  article.charts = {{"faster", "put", kReference, "putting", ""}};
  using enum results::ExactClaim::Relation;
  article.claims = {{"ratio of times", results::RatioClaim{{"put", "store", {{"", kReference, "v1"}}}, {}, 2.0}},
                    {"ratio of bytes", results::RatioClaim{{"used_bytes", "store", {{"", kReference, "v1"}}}, {}, 2.0}},
                    {"order of times", results::OrderClaim{"put", "store", {"v1", kReference}}},
                    {"number", results::ExactClaim{{"shelf/*", "used_bytes"}, {"64", 64, 1}, kEqual}},
                    {"bound", results::ExactClaim{{"shelf/*", "used_bytes"}, {"64", 64, 1}, kMost}},
                    {"bound of frames", results::ExactClaim{{"shelf/*", "frames"}, {"2", 2, 1}, kMost}},
                    {"formula", results::FormulaClaim{{"shelf/*", "used_bytes"}, *results::Formula::parse("2^6")}}};
  results::Erratum& erratum = article.errata.emplace_back();
  erratum = {"e", "1", "2", results::Ratio{"put", "store", {{"", kReference, "v1"}}}};
  results::Family& family = made.families["shelf"];
  family.title = "Shelves";
  family.subject = "shelves";
  family.metrics_title = "Metrics";
  family.charts = {{"bytes", "used_bytes", "", "bytes", "bytes", "", {}}};
  family.choice = results::Choice{};
  family.choice->title = "Which one?";
  family.choice->groups = {{"All", "", "", "store"}};
  family.choice->metrics = {{"used_bytes", "", "Memory", "bytes", "its bytes", {}, ""}};
  return made;
}

/// The values of a metric ("": the time) in every process of a variant.
std::vector<double> values_of(const Result& result, const std::string& variant, const std::string& metric = "") {
  std::vector<double> values;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead && process.benchmark == fmt::format("shelf/{}/store", variant)) {
      if (metric.empty())
        values.push_back(process.real_time);
      else if (process.counters.contains(metric))
        values.push_back(process.counters.at(metric));
    }
  return values;
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Order statistics that the 95 % interval of a median covers at least (`inner`), or at most.
std::pair<double, double> interval_of(std::vector<double> values, bool inner) {
  std::ranges::sort(values);
  // 6 values: the coverage of the least and the greatest is 0.97, of the next ones 0.78. 12 values: 0.961 of the third
  // ones, 0.854 of the fourth.
  const std::size_t skipped = values.size() == 6 ? (inner ? 1 : 0) : (inner ? 3 : 2);
  return {values[skipped], values[values.size() - 1 - skipped]};
}

/// Every text of a document, one a line: titles, notes, paragraphs, and a table's rows.
std::vector<std::string> texts_of(const Document& document) {
  std::vector<std::string> texts{document.lead};
  for (const Alert& alert : document.alerts) texts.push_back(alert.text);
  for (const Chart* chart : charts_of(document)) {
    texts.push_back(chart->title);
    texts.push_back(chart->note);
    texts.push_back(chart->text);
  }
  std::string text = to_markdown(document);
  for (std::size_t end; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
    texts.push_back(text.substr(0, end));
  return texts;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// The row of a claim in the table, split into its cells.
std::vector<std::string> row_of(const std::vector<std::string>& texts, const std::string& claim) {
  for (const std::string& text : texts)
    if (text.starts_with("| **") && has(text, "| " + claim + " |")) {
      std::vector<std::string> cells;
      for (std::size_t at = 1, end; (end = text.find(" |", at)) != std::string::npos; at = end + 2)
        cells.push_back(text.substr(at + 1, end - at - 1));
      return cells;
    }
  return {};
}

/// The verdict that the values of used_bytes deserve: every variant that has some must be within [low, high].
std::string deserved(const Result& result, double low, double high) {
  bool any = false, open = false, wrong = false;
  for (const results::VariantCard& variant : result.variants) {
    const std::vector<double> values = values_of(result, variant.name, "used_bytes");
    if (values.empty()) continue;
    any = true;
    if (values.size() < 2 || std::set<double>(values.begin(), values.end()).size() != 1)
      open = true;
    else if (values.front() < low || values.front() > high)
      wrong = true;
  }
  return wrong ? "refuted" : !any || open ? "undecided" : "reproduced";
}

constexpr std::uint64_t kSessions = 400;

}  // namespace

TEST(OddSessions, have_no_number_that_is_none_and_no_exponent) {
  const Background known = background();
  const std::regex bad(R"((^|[^a-z])(nan|inf)([^a-z]|$)|[0-9]e[+-][0-9])");
  for (std::uint64_t seed = 0; seed < kSessions; ++seed) {
    const OddSession odd = odd_session(seed);
    std::vector<std::string> texts = texts_of(report_document({&odd.result}, known));
    texts.push_back(run_table(odd.result, 0));
    for (const std::string& text : texts) EXPECT_FALSE(std::regex_search(text, bad)) << odd.what << "\n" << text;
  }
}

TEST(OddSessions, call_a_median_the_lowest_only_where_its_interval_is_below_all_others) {
  const Background known = background();
  std::size_t lowest = 0, doubted = 0, shared = 0;
  const std::regex said(R"(store: (?:the reference )?(\w+) has the lowest median, [^;]*)");
  for (std::uint64_t seed = 0; seed < kSessions; ++seed) {
    const OddSession odd = odd_session(seed);
    std::map<std::string, std::vector<double>> times;
    for (const results::VariantCard& variant : odd.result.variants)
      if (std::vector<double> values = values_of(odd.result, variant.name); !values.empty())
        times[variant.name] = std::move(values);
    double least = INFINITY;
    for (const auto& [name, values] : times) least = std::min(least, middle(values));
    for (const std::string& text : texts_of(report_document({&odd.result}, known))) {
      shared += has(text, "share the lowest median") || has(text, "have the same median");
      std::smatch match;
      if (!std::regex_search(text, match, said)) continue;
      EXPECT_FALSE(odd.unfit) << odd.what << "\n" << text;
      EXPECT_EQ(middle(times.at(match[1])), least) << odd.what << "\n" << text;
      const std::vector<double>& best = times.at(match[1]);
      bool may_overlap = false, few = best.size() < kEnough, overlaps = false;
      for (const auto& [name, values] : times) {
        if (name == match[1]) continue;
        few = few || values.size() < kEnough;
        if (best.size() < kEnough || values.size() < kEnough) continue;
        overlaps = overlaps || interval_of(best, true).second >= interval_of(values, true).first;
        may_overlap = may_overlap || interval_of(best, false).second >= interval_of(values, false).first;
      }
      if (has(text, ", but ")) {
        ++doubted;
        EXPECT_EQ(has(text, "too few processes"), few && !has(text, "overlap")) << odd.what << "\n" << text;
        EXPECT_TRUE(may_overlap || !has(text, "overlap")) << odd.what << "\n" << text;
      } else {
        ++lowest;
        EXPECT_FALSE(few || overlaps) << odd.what << "\n" << text;
      }
    }
  }
  EXPECT_GT(lowest, 5u);
  EXPECT_GT(doubted, 5u);
  EXPECT_GT(shared, 2u);
}

TEST(OddSessions, name_an_interval_only_over_enough_processes) {
  const Background known = background();
  std::size_t with = 0, without = 0;
  const std::regex over(R"(([0-9]+)(?: to ([0-9]+))? process(?:es)? each)");
  for (std::uint64_t seed = 0; seed < kSessions; ++seed) {
    const OddSession odd = odd_session(seed);
    std::size_t least = SIZE_MAX, most = 0;
    for (const results::VariantCard& variant : odd.result.variants)
      if (const std::size_t count = values_of(odd.result, variant.name).size(); count != 0)
        least = std::min(least, count), most = std::max(most, count);
    for (const std::string& text : texts_of(report_document({&odd.result}, known))) {
      const bool all = has(text, "Median and 95 % interval over ");
      with += all;
      without += has(text, "an interval needs 6");
      EXPECT_TRUE(!all || least >= kEnough) << odd.what << "\n" << text;
      EXPECT_TRUE(!has(text, "Bars: 95 % interval") || most >= kEnough) << odd.what << "\n" << text;
      if (std::smatch match; std::regex_search(text, match, over)) {
        EXPECT_EQ(std::stoul(match[1]), least) << odd.what << "\n" << text;
        EXPECT_EQ(match[2].matched ? std::stoul(match[2]) : std::stoul(match[1]), most) << odd.what << "\n" << text;
      }
    }
  }
  EXPECT_GT(with, 10u);
  EXPECT_GT(without, 20u);
}

TEST(OddSessions, have_no_ratio_in_a_title_without_its_interval) {
  const Background known = background();
  const std::regex ratio(R"(, ([0-9.,]+) (\([^)]*\) )?of plain's time|is ([0-9.,]+) (\([^)]*\) )?times as)");
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < kSessions; ++seed) {
    const OddSession odd = odd_session(seed);
    const Document document = report_document({&odd.result}, known);
    for (const Chart* chart : charts_of(document)) {
      std::smatch match;
      if (!std::regex_search(chart->title, match, ratio)) continue;
      ++found;
      EXPECT_TRUE(match[2].matched || match[4].matched) << odd.what << "\n" << chart->title;
    }
  }
  EXPECT_GT(found, 20u);
}

TEST(OddSessions, give_the_verdict_that_the_values_deserve_whether_fit_or_not) {
  const Background known = background();
  std::map<std::string, std::size_t> seen;
  for (std::uint64_t seed = 0; seed < kSessions; ++seed) {
    const OddSession odd = odd_session(seed);
    if (odd.result.processes.empty()) continue;
    const std::vector<std::string> texts = texts_of(report_document({&odd.result}, known));
    const auto verdict = [&](const std::string& claim) {
      const std::vector<std::string> cells = row_of(texts, claim);
      if (cells.empty()) return std::string("no row");
      ++seen[cells.front()];
      return cells.front();
    };
    EXPECT_EQ(verdict("number"), "**" + deserved(odd.result, 63.001, 64.999) + "**") << odd.what;
    EXPECT_EQ(verdict("bound"), "**" + deserved(odd.result, -INFINITY, 64) + "**") << odd.what;
    EXPECT_EQ(verdict("formula"), "**" + deserved(odd.result, 64 - 0.064, 64 + 0.064) + "**") << odd.what;
    const std::string mark = fmt::format("**{}**", odd.mark);
    const bool timed = !values_of(odd.result, kReference).empty() && !values_of(odd.result, "v1").empty() &&
                       std::ranges::min(values_of(odd.result, kReference)) > 0 &&
                       std::ranges::min(values_of(odd.result, "v1")) > 0;
    for (const char* const claim : {"ratio of times", "order of times"})
      EXPECT_EQ(verdict(claim) == mark, odd.unfit && timed) << odd.what;
    bool framed = false;
    for (const results::VariantCard& variant : odd.result.variants)
      framed = framed || !values_of(odd.result, variant.name, "frames").empty();
    EXPECT_EQ(verdict("bound of frames") == mark, odd.unfit && framed) << odd.what;
  }
  for (const char* const verdict :
       {"**reproduced**", "**refuted**", "**undecided**", "**unfit, not judged**", "**disturbed, not judged**"})
    EXPECT_GT(seen[verdict], 5u) << verdict;
}

TEST(OddSessions, that_are_unfit_say_nothing_of_times_that_is_not_marked) {
  const Background known = background();
  const std::regex verdict_on_time(
      R"(lowest median, |on the front: |times as (fast|slow)|share the lowest|have the same median| of plain's time)");
  const std::regex without_numbers("^No (process|exhibit) ");
  std::size_t marked = 0;
  for (std::uint64_t seed = 0; seed < kSessions; ++seed) {
    const OddSession odd = odd_session(seed);
    if (!odd.unfit) continue;
    const Document document = report_document({&odd.result}, known);
    for (const std::string& text : texts_of(document)) {
      if (!std::regex_search(text, verdict_on_time)) continue;
      EXPECT_TRUE(has(text, odd.mark)) << odd.what << "\n" << text;
      ++marked;
    }
    EXPECT_TRUE(has(document.lead, "No time is judged.")) << document.lead;
    // The lead counts only verdicts that the table has.
    std::size_t judged = 0;
    const auto both_have = [&](const std::string& metric) {
      return !values_of(odd.result, kReference, metric).empty() && !values_of(odd.result, "v1", metric).empty();
    };
    for (const std::string claim :
         {"ratio of times", "ratio of bytes", "order of times", "number", "bound", "bound of frames", "formula"}) {
      const auto cells = row_of(texts_of(document), claim);
      if (cells.empty() || cells.front() == fmt::format("**{}**", odd.mark)) continue;
      const bool compares = claim.starts_with("ratio") || claim.starts_with("order");
      judged += compares ? both_have(claim.ends_with("bytes") ? "used_bytes" : "")
                         : !std::regex_search(cells.back(), without_numbers);
    }
    const std::string counted =
        judged == 0 ? "No published claim is judged." : fmt::format("{} published claim", judged);
    EXPECT_TRUE(has(document.lead, counted)) << judged << " " << document.lead;
    const std::string table = run_table(odd.result, 0);
    for (const char* const heading : {"shelf/store: ", "shelf/store:frames: "}) {
      const std::size_t at = std::min(table.find(heading), table.size());
      const std::string line = table.substr(at, table.find('\n', at) - at);
      EXPECT_TRUE(line.empty() || has(line, odd.mark)) << table;
    }
  }
  EXPECT_GT(marked, 10u);
}

TEST(OddSessions, say_why_there_is_no_ratio) {
  std::size_t lacks_metric = 0, did_not_run = 0;
  for (std::uint64_t seed = 0; seed < kSessions; ++seed) {
    const OddSession odd = odd_session(seed);
    const std::string table = run_table(odd.result, 0);
    const bool ran = !values_of(odd.result, kReference).empty(),
               framed = !values_of(odd.result, kReference, "frames").empty();
    EXPECT_TRUE(!has(table, "did not run") || !ran) << odd.what << "\n" << table;
    EXPECT_TRUE(!has(table, "does not have this metric") || (ran && !framed)) << odd.what << "\n" << table;
    did_not_run += has(table, "did not run");
    lacks_metric += has(table, "no ratios in shelf/store:frames: its reference plain does not have this metric");
  }
  EXPECT_GT(did_not_run, 10u);
  EXPECT_GT(lacks_metric, 5u);
}

TEST(OddSessions, never_use_more_than_all_of_a_cpu) {
  const Background known = background();
  const std::regex percent(R"(([0-9.,]+) % of a CPU)"), cpus(R"(([0-9.,]+) CPUs in)");
  std::size_t shares = 0, unknown = 0;
  for (std::uint64_t seed = 0; seed < kSessions; ++seed) {
    const OddSession odd = odd_session(seed);
    const Document document = report_document({&odd.result}, known);
    for (const Alert& alert : document.alerts) {
      unknown += has(alert.text, "the load on this machine is not known");
      for (std::sregex_iterator at(alert.text.begin(), alert.text.end(), percent), end; at != end; ++at, ++shares)
        EXPECT_LE(std::stod((*at)[1]), 100) << alert.text;
      for (std::sregex_iterator at(alert.text.begin(), alert.text.end(), cpus), end; at != end; ++at)
        EXPECT_LE(std::stod((*at)[1]), 2.02) << "this machine has two: " << alert.text;
    }
  }
  EXPECT_GT(shares, 20u);
  EXPECT_GT(unknown, 5u);
}

}  // namespace lab::report
