#include "harness/report/report.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/layout.h"
#include "harness/base/scratch_folder.h"
#include "harness/judge/compare.h"
#include "harness/report/errata.h"
#include "harness/report/fitness_text.h"
#include "harness/report/markdown.h"
#include "harness/report/sample_test.h"

namespace lab::report {

namespace {

namespace fs = std::filesystem;

fs::path fresh_folder(const std::string& name) {
  static const ScratchFolder scratch;
  return scratch.path() / name;
}

ReportOptions options(fs::path out) {
  return {.out = std::move(out), .root = sample::checkout(), .progress = {}};
}

std::set<std::string> files_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

std::string summary_of(const results::Result* result, const std::vector<results::DriverColumn>& atlas) {
  return to_markdown(report_document({result, atlas}, sample::background()));
}

/// The first line in which two texts differ, as it is in both; "" where they are equal.
std::string first_difference(const std::string& found, const std::string& expected) {
  std::istringstream ours(found), theirs(expected);
  std::string our_line, their_line;
  while (true) {
    const bool more = static_cast<bool>(std::getline(ours, our_line));
    if (more != static_cast<bool>(std::getline(theirs, their_line))) return more ? "one more: " + our_line : "one less";
    if (!more) return "";
    if (our_line != their_line) return fmt::format("found: {}\nexpected: {}", our_line, their_line);
  }
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST(Report, is_pages_a_summary_and_a_file_for_each_chart) {
  const fs::path out = fresh_folder("report");
  const results::Result result = sample::result();
  const std::vector<results::DriverColumn> atlas = sample::atlas();
  const Expected<ReportFiles> files = write_report({&result, atlas}, options(out));
  ASSERT_TRUE(files) << files.error().what;
  std::set<std::string> expected{"index.html",   "allocator.html", "command_bucket.html", "drivers.html",
                                 "session.html", "report.css",     "report.js",           "vega.js",
                                 "summary.md",   "atlas.csv"};
  for (const fs::path& chart : files->charts) expected.insert(chart.filename().string());
  EXPECT_EQ(files->charts.size(), 13u);
  EXPECT_EQ(files_in(out), expected);
  for (const char* name : {"allocator", "command_bucket", "drivers"})
    EXPECT_TRUE(contains(*read_file(out / (std::string(name) + ".html")), "<svg"))
        << "a reader without scripts sees the drawings of " << name;
  EXPECT_FALSE(contains(*read_file(files->index), "http-equiv=\"refresh\""));
}

TEST(Report, in_one_file_needs_no_other_and_has_the_same_sections) {
  const fs::path out = fresh_folder("single");
  const results::Result result = sample::result();
  ReportOptions single = options(out);
  single.single_file = true;
  ASSERT_TRUE(write_report({&result, {}}, single));
  const std::set<std::string> files = files_in(out);
  for (const std::string& file : files) EXPECT_TRUE(file == "index.html" || !file.ends_with(".html")) << file;
  EXPECT_FALSE(files.contains("vega.js"));
  const std::string page = *read_file(out / "index.html");
  for (const char* id : {"articles", "family-allocator", "claims-command_buckets", "provenance"})
    EXPECT_TRUE(contains(page, fmt::format("<section id=\"{}\"", id))) << id;
}

/// Every section at once, with names, words and hashes as long as they come. It stays in the build folder, where
/// .ci/check_browser opens it.
TEST(Report, of_everything_has_every_section_and_is_kept_for_the_browser_check) {
  results::Result result = sample::two_arms(16, true);
  ExhibitContents contents = sample::exhibit_contents();
  contents.merge(sample::add_shadows(result, 16));
  const std::string longest = "command_bucket/v7_mt_thread_local_blocks/frame_work";
  result.failures.push_back(
      {longest, 4, 4, "timeout", "no answer after 60 s; the process group was ended", std::string(300, 'x') + "\n"});
  result.failures.push_back({"allocator/misaligned", 0, 0, std::string(results::kNotConforming),
                             "allocate(24) gave 0x7f11d0c09008: expected a multiple of 16", ""});
  result.session.unusual.push_back("other work took 31 % of a CPU in 5 of 16 blocks; end it, or measure later");
  result.pins["mimalloc"] = std::string(64, 'a');
  const std::vector<results::DriverColumn> atlas = sample::atlas();
  const judge::Comparison comparison = *judge::compare_arms(result, {});
  const std::vector<judge::SeriesHistory> followed = sample::followed();
  const std::vector<results::ParsedBisectRecord> bisects{sample::bisected()};
  const fs::path out = place_in_build(LAB_BUILD_DIR, "tests/report_of_everything");
  const Expected<ReportFiles> files =
      write_report({&result, atlas, &comparison, followed, bisects, contents}, options(out));
  ASSERT_TRUE(files) << files.error().what;
  for (const auto& [page, ids] : std::map<std::string, std::vector<std::string>>{
           {"index", {"headline", "articles", "answers", "trust"}},
           {"comparison", {"comparison"}},
           {"history", {"history", "bisects"}},
           {"command_bucket", {"claims-command_buckets", "family-command_bucket"}},
           {"allocator", {"family-allocator"}},
           {"shadows", {"family-shadows"}},
           {"drivers", {"vulkan", "errata"}},
           {"session", {"failures", "control", "unusual", "unsupported", "provenance"}}}) {
    const std::string text = *read_file(out / (page + ".html"));
    for (const std::string& id : ids) EXPECT_TRUE(contains(text, fmt::format("<section id=\"{}\"", id))) << id;
  }
}

TEST(Report, of_a_running_session_is_the_pages_alone_with_its_progress) {
  const fs::path out = fresh_folder("live");
  const results::Result result = sample::result(3);
  ReportOptions live = options(out);
  live.progress = BlockProgress{3, 12};
  const Expected<ReportFiles> files = write_report({&result, {}}, live);
  ASSERT_TRUE(files) << files.error().what;
  for (const std::string& file : files_in(out))
    EXPECT_TRUE(file.ends_with(".html") || file.ends_with(".js") || file.ends_with(".css")) << file;
  const std::string page = *read_file(files->index);
  EXPECT_TRUE(contains(page, "3 of 12 blocks so far"));
  EXPECT_TRUE(contains(page, "http-equiv=\"refresh\""));
  EXPECT_TRUE(contains(report_document({&result, {}}, sample::background(), BlockProgress{3, 0}).progress,
                       "running: 3 blocks so far"));
}

TEST(Report, is_written_without_plots_before_the_first_process) {
  results::Result result = sample::result(0);
  const std::string summary = summary_of(&result, {});
  EXPECT_TRUE(contains(summary, "No benchmark of a published claim has a number yet."));
  EXPECT_TRUE(contains(summary, "No process of frame, frame\\_work has finished, so there is no plot of them."));
  EXPECT_FALSE(contains(summary, "!["));
}

TEST(Report, of_the_atlas_alone_shows_the_drivers) {
  const std::string summary = summary_of(nullptr, sample::atlas());
  EXPECT_TRUE(contains(summary,
                       "**No benchmark has run yet. 1 Vulkan driver of this machine answered. Asked on simulated "
                       "devices: 1 chip in 1 column.**"));
  EXPECT_TRUE(contains(summary, "](image-storage.svg)"));
  EXPECT_FALSE(contains(summary, "command\\_bucket-speedup"));
}

TEST(Report, lists_failures_and_unusual_findings) {
  results::Result result = sample::result();
  result.failures.push_back({"allocator/buddy/random_replace", 4, 4, "crash", "SIGSEGV", "last words\n"});
  result.session.state = "out of time";
  result.source = {"0123456789abcdef", true, "dirty"};
  const std::string summary = summary_of(&result, {});
  EXPECT_TRUE(contains(summary, "1 benchmark failed."));
  EXPECT_TRUE(contains(summary, "| **crash** | allocator/buddy/random\\_replace | 4 | 4 | SIGSEGV |"));
  EXPECT_TRUE(contains(summary, "    last words\n"));
  EXPECT_TRUE(contains(summary, "The session ran out of time"));
  EXPECT_TRUE(contains(summary, "changes that are in no commit"));
}

namespace {

std::vector<std::string> ids_of(const results::Result& result) {
  std::vector<std::string> ids;
  const Document document = report_document({&result, {}}, sample::background());
  for (const Section* section : sections_of(document)) ids.push_back(section->id);
  return ids;
}

std::size_t place(const std::vector<std::string>& ids, const std::string& id) {
  return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
}

}  // namespace

TEST(Report, puts_session_quality_after_findings) {
  results::Result fit = sample::two_arms();
  const std::vector<std::string> ids = ids_of(fit);
  for (const char* id : {"control", "unusual", "failures"}) {
    EXPECT_GT(place(ids, id), place(ids, "family-allocator")) << id;
    EXPECT_LT(place(ids, id), ids.size()) << id;
  }
  // One process fewer spoils nothing.
  fit.failures.push_back({"allocator/buddy/random_replace", 4, 4, "crash", "SIGSEGV", ""});
  EXPECT_GT(place(ids_of(fit), "failures"), place(ids, "family-allocator"));
  EXPECT_TRUE(report_document({&fit, {}}, sample::background()).alerts.empty());
}

TEST(Report, of_an_unfit_session_begins_with_that) {
  results::Result unfit = sample::two_arms();
  for (results::Process& process : unfit.processes)
    if (process.arm == results::kControl) process.real_time *= 1.2;
  const Document document = report_document({&unfit, {}}, sample::background());
  ASSERT_EQ(document.alerts.size(), 1u);
  EXPECT_EQ(document.alerts[0].text, control_sentence(judge::judge_control(unfit)));
  EXPECT_EQ(document.alerts[0].section, "control");
  EXPECT_TRUE(document.lead.starts_with("Unfit for verdicts: ")) << document.lead;
  EXPECT_TRUE(contains(document.lead, ". No time is judged. No published claim is judged. ")) << document.lead;
}

TEST(Report, says_which_blocks_other_work_disturbed_and_begins_with_it_if_nothing_else_is_left) {
  results::Result result = sample::two_arms();
  const auto disturb = [&](int busy) {
    result.session.disturbances.clear();
    for (int block = 0; block < 16; ++block)
      result.session.disturbances.push_back({block, 10, block < busy ? 15.0 : 0.0, 0});
    return report_document({&result, {}}, sample::background());
  };
  const auto says = [](const Document& document) {
    for (const Section* section : sections_of(document))
      if (section->id == "unusual")
        for (const Element& element : section->elements)
          if (const List* list = std::get_if<List>(&element))
            for (const std::string& item : list->items)
              if (item.starts_with("Other processes used 1.50 CPUs in ")) return item;
    return std::string();
  };
  const Document aside = disturb(4);
  EXPECT_TRUE(says(aside).ends_with("; these blocks are set aside")) << says(aside);
  EXPECT_TRUE(aside.alerts.empty());
  const Document busy = disturb(16);
  EXPECT_NE(says(busy), "");
  ASSERT_EQ(busy.alerts.size(), 1u);
  EXPECT_EQ(busy.alerts[0].section, "unusual");
  EXPECT_EQ(capitalized(busy.alerts[0].text), says(busy));
  EXPECT_FALSE(busy.lead.starts_with("Unfit")) << busy.lead;
}

TEST(Report, begins_with_a_measurement_if_there_is_no_published_claim) {
  results::Result result = sample::result();
  std::erase_if(result.processes,
                [](const results::Process& process) { return process.benchmark.starts_with("command_bucket/"); });
  const std::string lead = report_document({&result, {}}, sample::background()).lead;
  EXPECT_TRUE(lead.starts_with("allocator, random_replace: buddy has the lowest median, ")) << lead;
}

TEST(Report, counts_failed_benchmarks_and_not_failures) {
  results::Result result = sample::result();
  for (const int process : {1, 2})
    result.failures.push_back({"allocator/buddy/random_replace", process, process, "crash", "SIGSEGV", ""});
  result.failures.push_back({"allocator/misaligned", 0, 0, std::string(results::kNotConforming), "misaligned", ""});
  const std::string lead = report_document({&result, {}}, sample::background()).lead;
  EXPECT_TRUE(contains(lead, " 1 variant failed its conformance check; 1 benchmark failed.")) << lead;
}

TEST(Report, begins_with_benchmarks_that_failures_left_without_a_number) {
  results::Result result = sample::result();
  std::erase_if(result.processes,
                [](const results::Process& process) { return process.benchmark.starts_with("allocator/buddy/"); });
  result.failures.push_back({"allocator/buddy", 0, 0, std::string(results::kNotConforming), "misaligned", ""});
  const Document document = report_document({&result, {}}, sample::background());
  ASSERT_EQ(document.alerts.size(), 1u);
  EXPECT_EQ(document.alerts[0].text, "No numbers for allocator/buddy: it failed.");
  EXPECT_TRUE(contains(to_markdown(document), "> **No numbers for allocator/buddy: it failed.**"));
}

TEST(Report, of_a_running_session_with_a_base_announces_verdicts_at_the_end) {
  const results::Result with_base = sample::two_arms(), without = sample::result();
  const auto progress_of = [](const results::Result& result) {
    return report_document({&result, {}}, sample::background(), BlockProgress{3, 12}).progress;
  };
  EXPECT_TRUE(contains(progress_of(with_base), "The comparison with its base follows at the end."));
  EXPECT_FALSE(contains(progress_of(without), "base"));
}

TEST(Report, fills_the_measured_column_of_the_errata) {
  const results::Result result = sample::result();
  const std::string summary = summary_of(&result, sample::atlas());
  EXPECT_TRUE(contains(
      summary,
      "131,072 of 67,108,864 bytes, 0.1953 % (allocator/buddy/growing\\_buffers, allocator/buddy/random\\_replace)"));
  EXPECT_TRUE(contains(summary, "not measured here: no GPU of this machine answered for memory of its own"))
      << "lavapipe's heap is the host's, and a simulated device has none";
  EXPECT_TRUE(contains(summary, "not measured here: no column of this driver and chip"));
  EXPECT_TRUE(contains(summary_of(nullptr, {}), "not measured here: no driver was probed"));
}

TEST(Report, divides_the_largest_heap_of_a_gpus_own_memory_and_no_other) {
  std::vector<results::DriverColumn> atlas = sample::atlas();
  results::DriverColumn& card = atlas.emplace_back(sample::atlas()[0]);
  card.name = "radv-25.0.7-navi10";
  card.driver.device_type = "discrete gpu";
  card.heaps = {{16'000'000'000, {}}, {8'000'000'000, {"device local"}}, {256'000'000, {"device local"}}};
  const std::string measured = "radv-25.0.7-navi10: 8,000,000,000 / 62 = 129,032,258";
  EXPECT_TRUE(contains(summary_of(nullptr, atlas), "| " + measured + " |")) << "not of the larger heap of the host";
  for (const char* type : {"integrated gpu", "cpu"}) {
    std::vector<results::DriverColumn> other = atlas;
    other.back().driver.device_type = type;
    EXPECT_FALSE(contains(summary_of(nullptr, other), measured)) << type;
  }
  atlas.back().kept = true;
  EXPECT_FALSE(contains(summary_of(nullptr, atlas), measured)) << "another machine";
}

TEST(Report, has_what_a_device_returned_beyond_its_limit_on_allocations) {
  results::Article article;
  article.source = {"On limits", "A. Writer", 2020};
  article.errata = {{"Beyond the limit", "the one", "the other", results::AllocationLimit{}}};
  const std::vector<results::Article> articles{article};
  std::vector<results::DriverColumn> atlas{sample::atlas()[0]};
  results::MemoryFindings memory;
  memory.column = atlas[0].name;
  memory.limit = results::AllocationCount{.reported = 4096, .tried = true, .succeeded = 4096};
  const auto measured = [&] {
    return std::get<Table>(errata_section("", articles, nullptr, atlas, {}, std::vector{memory}).elements.front())
        .rows.front()
        .back()
        .text;
  };
  const std::string none = "not measured here: no device of this machine was taken to its limit on allocations";
  EXPECT_EQ(measured(), none) << "none failed";
  memory.limit->result = "VK_ERROR_TOO_MANY_OBJECTS";
  EXPECT_EQ(measured(), "lavapipe-22.3.6: VK_ERROR_TOO_MANY_OBJECTS after 4,096 of 4,096");
  atlas[0].kept = true;
  EXPECT_EQ(measured(), none);
}

TEST(Report, shows_an_erratums_counts_that_differ_as_a_range) {
  results::Article article;
  article.family = "pool";
  article.errata = {{"Holes", "none", "some", results::Quantity{"pool/list/churn", "holes"}}};
  results::Result result;
  sample::add_processes(result, "pool/list/churn", {{"turn", 40.0}}, 100, 3, 0.001);
  for (std::size_t i = 0; i < 3; ++i) result.processes[i].counters["holes"] = static_cast<double>(7 + 10 * i);
  const Section section = errata_section(article.family, std::vector{article}, &result, {});
  EXPECT_EQ(std::get<Table>(section.elements.front()).rows.front().back().text, "7 to 27 (pool/list/churn)");
}

TEST(Report, counts_claims_once_and_their_verdicts_by_the_order_of_freeing) {
  results::Result result = sample::result();
  EXPECT_TRUE(contains(summary_of(&result, {}), "8 published claims about command buckets: 3 reproduced"));
  for (const char* version : {"v1_st_new_fifo", "v3_mt_new_fifo"})
    sample::add_processes(result, results::benchmark_name("command_bucket", version, "frame_work"), {{"add", 100}},
                          40000, 12, 0.02);
  EXPECT_TRUE(contains(summary_of(&result, {}), "14 verdicts on 8 published claims about command buckets: "));
}

TEST(Report, summary_is_this_text) {
  const fs::path golden = fs::path(LAB_SOURCE_DIR) / "harness/report/testdata/summary.md";
  const results::Result result = sample::result();
  const std::string summary = summary_of(&result, sample::atlas());
  const Expected<std::string> expected = read_file(golden);
  const fs::path found = fs::path(testing::TempDir()) / "summary.md";
  ASSERT_TRUE(write_file(found, summary));
  ASSERT_TRUE(expected) << "copy " << found;
  EXPECT_EQ(first_difference(summary, *expected), "") << "where the change is meant: cp " << found << " " << golden;
}

TEST(Report, of_an_article_that_lacks_a_field_is_an_error_that_names_the_file) {
  const fs::path root = fresh_folder("lacks_a_field");
  fs::copy(sample::checkout(), root, fs::copy_options::recursive);
  const fs::path article = root / "variants/allocator/articles/buddy_allocator.json";
  std::string text = *read_file(article);
  const std::string field = "\"article\": \"the first 144 K\"";
  text.replace(text.find(field), field.size(), "\"print\": \"the first 144 K\"");
  ASSERT_TRUE(write_file(article, text));
  ReportOptions broken = options(fresh_folder("report_of_broken"));
  broken.root = root;
  const Expected<ReportFiles> files = write_report({nullptr, {}}, broken);
  ASSERT_FALSE(files);
  EXPECT_EQ(files.error().what, fmt::format("reading '{}': errata[2].article: missing", article.string()));
  EXPECT_EQ(files.error().status, ExitStatus::kUsage);
}

namespace {

/// A checkout with one family that no other test knows: claims of three kinds, a chart of ratios and one of a metric.
fs::path checkout_of_pools() {
  const fs::path root = fresh_folder("checkout_of_pools");
  fs::create_directories(root / "variants/pool/articles");
  EXPECT_TRUE(write_file(root / "variants/pool/family.json", R"({
    "reference": "list", "title": "Object pools", "subject": "object pools", "metrics_title": "Memory of a pool",
    "metrics": [{"metric": "slack", "title": "Unused share", "format": "percent"}, {"metric": "rounds", "shown": false}],
    "charts": [{"name": "memory", "metric": "pool_bytes", "over": "live_bytes", "axis": "pool / live objects", "line": 1,
                "unit": "bytes per live byte", "note": "1: no overhead."}]})"));
  EXPECT_TRUE(write_file(root / "variants/pool/articles/pools.json", R"({
    "source": {"title": "On pools", "author": "A. Writer", "year": 2020}, "workload": "churn",
    "table": [{"variants": ["list"], "values": {"time": 40}}, {"variants": ["bitmap"], "values": {"time": 20}}],
    "charts": [{"kind": "ratios", "name": "faster", "metric": "time", "reference": "list", "at": "churning"}],
    "claims": [
      {"kind": "ratio", "claim": "A bitmap is faster", "passage": "There", "decides": "A count", "here": "It counts", "metric": "time", "from": "list", "to": "bitmap"},
      {"kind": "ratio", "claim": "A bitmap needs less memory", "passage": "There", "decides": "A count", "here": "It counts", "metric": "pool_bytes", "from": "list", "to": "bitmap", "stated": 2},
      {"kind": "exact", "claim": "A bitmap wastes an eighth", "passage": "There", "decides": "A count", "here": "It counts", "benchmarks": "bitmap/*", "metric": "slack", "stated": "12.5 %"},
      {"kind": "order", "claim": "Lists take the longest", "passage": "There", "decides": "A count", "here": "It counts", "metric": "time", "order": ["bitmap", "list"]}],
    "errata": [{"claim": "Bytes of a bitmap", "article": "100", "arithmetic": "96 + 16 = 112",
                "measured": {"kind": "value", "benchmarks": "bitmap/*", "metric": "pool_bytes"}}]})"));
  return root;
}

results::Result result_of_pools() {
  results::Result result;
  result.machine.logical_cores = 4;
  result.workloads.push_back({"pool", "churn", "objects that come and go", 1, {"turn"}, 100, "turn", false});
  for (const char* name : {"list", "bitmap"}) {
    result.variants.push_back(
        {"pool", name, std::string_view(name) == "list", "one idea", "O(1)", "nobody", "none", {}});
    sample::add_processes(result, results::benchmark_name("pool", name, "churn"),
                          {{"turn", std::string_view(name) == "list" ? 40.0 : 20.0}}, 100, 8, 0.001);
  }
  for (results::Process& process : result.processes)
    process.counters = process.benchmark == "pool/list/churn"
                           ? std::map<std::string, double>{{"pool_bytes", 224}, {"live_bytes", 100}, {"rounds", 3}}
                           : std::map<std::string, double>{{"pool_bytes", 112}, {"live_bytes", 100}, {"slack", 0.125}};
  return result;
}

}  // namespace

TEST(Report, draws_a_family_that_is_one_folder_whole) {
  const results::Result result = result_of_pools();
  const Document document = report_document({&result, {}}, *load_background(checkout_of_pools()));
  EXPECT_EQ(document.lead,
            "4 published claims about object pools: 4 reproduced. No Vulkan driver of this machine has been probed.");
  std::vector<std::string> charts;
  for (const Chart* chart : charts_of(document)) charts.push_back(chart->name + ": " + chart->title);
  ASSERT_EQ(charts.size(), 3u);
  EXPECT_TRUE(charts[2].starts_with("pool-faster: bitmap is 2.00 (")) << charts[2];
  EXPECT_TRUE(charts[2].ends_with(") times as fast as list at churning here, 2.00 times in the article")) << charts[2];
  EXPECT_TRUE(charts[0].starts_with("pool-churn: churn: bitmap has the lowest median, ")) << charts[0];
  EXPECT_EQ(charts[1], "pool-memory: list has the most: 2.24 bytes per live byte, in churn");
  const std::string summary = to_markdown(document);
  for (const char* part :
       {"## Claims about object pools\n", "A. Writer (2020) does not name a machine; this machine has 4 logical cores.",
        "| **reproduced** | A bitmap needs less memory | 2.00 |", "2.00 times as small: no less than the claimed 2.00.",
        "| **reproduced** | A bitmap wastes an eighth | 12.5 % |", "The stated number in 1 benchmark.",
        "| **reproduced** | Lists take the longest | bitmap &lt; list |",
        "Each is larger than the one before it: list / bitmap 2.00 (", "## Object pools\n", "Memory of a pool:",
        "| Benchmark | Unused share | Live, bytes | Pool, bytes |", "| pool/bitmap/churn | 12.5 % | 100 | 112 |",
        "| pool/list/churn |  | 100 | 224 |", "112 bytes (pool/bitmap/churn)"})
    EXPECT_TRUE(contains(summary, part)) << part << "\n" << summary;
  EXPECT_FALSE(contains(summary, "Rounds"));
}

TEST(Report, shows_a_family_of_another_checkout_under_its_name) {
  const results::Result result = result_of_pools();
  const Document document = report_document({&result, {}}, {});
  EXPECT_TRUE(document.lead.starts_with("pool, churn: bitmap has the lowest median, ")) << document.lead;
  const std::string summary = to_markdown(document);
  for (const char* part : {"## pool\n", "](pool-churn.svg)", "What the variants are:", "Metrics other than time:",
                           "| Benchmark | Live, bytes | Pool, bytes | Rounds | Slack |",
                           "| pool/bitmap/churn | 100 | 112 |  | 0.125 |", "| pool/list/churn | 100 | 224 | 3.00 |  |"})
    EXPECT_TRUE(contains(summary, part)) << part << "\n" << summary;
  EXPECT_FALSE(contains(summary, "Errata"));
}

TEST(Report, says_how_many_exhibits_have_no_file) {
  results::Result result = result_of_pools();
  result.exhibits = {{"pool/list/churn", {"map", "Map", results::ExhibitKind::kImage}, "x/a.png", 1, {}},
                     {"pool/list/churn", {"steps", "Steps", results::ExhibitKind::kSeries}, "x/b.json", 1, {}},
                     {"pool/list/churn", {"call", "Call", results::ExhibitKind::kLatency}, "x/c.u32", 1, {}}};
  const auto says = [&](const ExhibitContents& contents, const char* part) {
    ReportInput input{&result, {}};
    input.exhibits = contents;
    return contains(to_markdown(report_document(input, {})), part);
  };
  EXPECT_TRUE(says({}, "The files of 2 exhibits are not beside the result"));
  EXPECT_TRUE(says({{"x/a.png", ""}}, "The files of 1 exhibit are not beside the result"));
  EXPECT_FALSE(says({{"x/a.png", ""}, {"x/b.json", ""}}, "are not beside the result"));
}

TEST(Report, writes_only_into_its_folder_whatever_the_names_of_families) {
  const fs::path out = fresh_folder("outer") / "inner";
  results::Result result;
  result.workloads.push_back({"../../x", "y/z", "t", 1, {"p"}, 1, "op", false});
  result.variants.push_back({"../../x", "v", true, "", "", "", "", {}});
  sample::add_processes(result, "../../x/v/y/z", {{"p", 5}}, 1, 8, 0.1);
  result.processes[0].benchmark = results::benchmark_name("../../x", "v", "y/z");
  const Expected<ReportFiles> files = write_report({&result, {}}, options(out));
  ASSERT_TRUE(files) << files.error().what;
  EXPECT_EQ(files_in(out.parent_path()), std::set<std::string>{"inner"});
  EXPECT_EQ(files_in(out), (std::set<std::string>{"..-..-x-y-z.svg", "..-..-x.html", "drivers.html", "index.html",
                                                  "report.css", "report.js", "session.html", "summary.md", "vega.js"}));
}

TEST(Report, into_an_impossible_folder_is_an_error_that_names_it) {
  const ScratchFolder scratch;
  const fs::path file = scratch.path() / "in_the_way";
  ASSERT_TRUE(write_file(file, ""));
  const Expected<ReportFiles> files = write_report({nullptr, {}}, options(file / "report"));
  ASSERT_FALSE(files);
  EXPECT_TRUE(contains(files.error().what, "in_the_way")) << files.error().what;
}

}  // namespace lab::report
