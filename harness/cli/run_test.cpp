// list and run as a user meets them: the harness itself, real child processes, whole outputs.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/hash.h"
#include "harness/base/needs_test.h"
#include "harness/base/patience_test.h"
#include "harness/judge/fitness.h"
#include "harness/judge/summary.h"
#include "harness/measure/fake_build.h"
#include "harness/measure/plan.h"
#include "harness/results/journal.h"
#include "harness/results/result.h"

namespace lab::cli {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// A build folder of made-up variants and a checkout for results, and the harness on them.
///
/// A process measures as long as the shortest of a real session, not for half a second: what these tests are about are
/// the processes and what becomes of them, not their times.
class Bench {
 public:
  explicit Bench(const Words& variants, const std::string& core = "", const std::string& malloc_host = "")
      : build_(variants, core, malloc_host) {}

  ChildOutcome harness(const Words& arguments) const {
    ChildSpec spec;
    spec.command = {(fs::path(LAB_BUILD_DIR) / "harness").string()};
    spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
    return start(spec);
  }

  /// $1 is the harness, $2 the folder of results.
  ChildOutcome shell(const std::string& script) const {
    ChildSpec spec;
    spec.command = {
        "sh", "-c", script, "sh", (fs::path(LAB_BUILD_DIR) / "harness").string(), results_folder().string()};
    return start(spec);
  }

  fs::path results_folder() const { return root_.path() / "results/here"; }

  Words results() const {
    Words names;
    std::error_code missing;
    for (const fs::directory_entry& entry : fs::directory_iterator(results_folder(), missing))
      if (!entry.is_directory()) names.push_back(entry.path().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  const fs::path& root() const { return root_.path(); }

  /// While it exists, the variant `plain` does not end its n-th run, where n is what the file says.
  fs::path hold() const { return build_.path() / "variants/fake/plain.hold"; }

 private:
  ChildOutcome start(ChildSpec& spec) const {
    spec.environment = {"LAB_BUILD=" + build_.path().string(), "LAB_ROOT=" + root_.path().string(), "LAB_MACHINE=here",
                        fmt::format("LAB_FAKE_SECONDS={}", measure::kLeastSeconds)};
    spec.tail_limit = 1 << 20;
    spec.timeout_seconds = kPatience;
    return run_child(spec);
  }

  measure::FakeBuild build_;
  ScratchFolder root_;
};

std::string last_line(const std::string& text) {
  Words lines;
  boost::split(lines, text, boost::is_any_of("\n"));
  return lines.size() < 2 ? "" : lines[lines.size() - 2];
}

/// Lines of `text` that begin with `beginning`.
Words lines_with(const std::string& text, const std::string& beginning) {
  Words lines;
  boost::split(lines, text, boost::is_any_of("\n"));
  std::erase_if(lines, [&](const std::string& line) { return !line.starts_with(beginning); });
  return lines;
}

results::Result load(const std::string& path) {
  const Expected<results::Result> result = results::load_result(path);
  EXPECT_TRUE(result) << result.error().what;
  return result ? *result : results::Result{};
}

/// The status with which the session in the last line of its output ends: other work on this machine may make it unfit.
int status_of(const ChildOutcome& outcome) {
  const results::Result result = load(last_line(outcome.output));
  return static_cast<int>(judge::exit_status(result, judge::judge_fitness(result)));
}

/// Shell: waits until the journal in "$2" holds a process. One line may be half-written, so the second is waited for.
const std::string kUntilOneIsKept =
    "until test \"$(cat \"$2\"/*.journal 2>/dev/null | grep -c '^{\"process\"')\" -ge 2; do sleep 0.05; done\n";

/// A laboratory's make.py: `made` names the build that it builds from, variant by variant.
const std::string kMake = R"(import fnmatch, json, os, shutil, sys
made, build = open("made").read().strip(), "build/system-release"
os.makedirs(build + "/variants/fake", exist_ok=True)
for name in ("variants.json", "build_info.json"):
    shutil.copy(f"{made}/{name}", build)
glob = sys.argv[sys.argv.index("--variant") + 1]
wanted = [v["executable"] for v in json.load(open(made + "/variants.json"))
          if fnmatch.fnmatch(v["family"] + "/" + v["variant"], glob)]
if not wanted:
    sys.exit(2)
for path in wanted:
    if not os.path.exists(f"{build}/{path}"):
        shutil.copy(f"{made}/{path}", f"{build}/{path}", follow_symlinks=False)
)";

/// Shell: the checkout that holds the results' folder "$2", as the commit `one`.
const std::string kCommitOne = R"(cd "$2/../.." && printf 'build\nresults\n' > .gitignore
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q . && git add . && git commit -qm one && git tag one)";

}  // namespace

TEST(List, prints_supported_benchmarks_and_then_unsupported_ones) {
  const Bench bench({"plain", "quick", "wide"});
  const ChildOutcome outcome = bench.harness({"list"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.error_tail, "");
  EXPECT_EQ(outcome.output,
            "fake/plain/drop  (reference)\n"
            "fake/plain/store  (reference)\n"
            "fake/quick/store\n"
            "fake/wide/spread\n"
            "\n"
            "unsupported:\n"
            "fake/quick/drop: it never forgets\n");
}

TEST(List, prints_one_json_array_of_benchmarks_that_can_be_run) {
  const Bench bench({"plain", "quick"});
  const boost::json::value value = boost::json::parse(bench.harness({"list", "--json"}).output);
  ASSERT_EQ(value.as_array().size(), 3u);
  EXPECT_EQ(value.at(0).at("benchmark"), "fake/plain/drop");
  EXPECT_EQ(value.at(0).at("reference"), true);
  EXPECT_EQ(value.at(0).at("core"), true);
  EXPECT_EQ(value.at(2).at("benchmark"), "fake/quick/store");
  EXPECT_EQ(value.at(2).at("reference"), false);
  const boost::json::value all = boost::json::parse(bench.harness({"list", "--json", "--all"}).output);
  ASSERT_EQ(all.as_array().size(), 4u);
  EXPECT_EQ(all.at(2).at("unsupported"), "it never forgets");
}

TEST(List, reports_missing_variants_and_lists_the_others) {
  const Bench bench({"plain", "mute", "!absent"});
  const ChildOutcome outcome = bench.harness({"list"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.output, "fake/plain/drop  (reference)\nfake/plain/store  (reference)\n");
  EXPECT_EQ(outcome.error_tail,
            "harness: error: fake/mute: --describe: signal 6 (Aborted)\n"
            "harness: error: not built: fake/absent\n"
            "hint: python3 make.py build\n");
}

TEST(Run, writes_a_result_and_prints_its_path) {
  const Bench bench({"plain", "quick", "wide"});
  const ChildOutcome outcome = bench.harness({"run", "--processes", "6", "--seed", "9"});
  EXPECT_EQ(outcome.code, status_of(outcome)) << outcome.error_tail;
  ASSERT_EQ(bench.results().size(), 1u);
  EXPECT_EQ(last_line(outcome.output), bench.results()[0]);

  const results::Result result = load(bench.results()[0]);
  EXPECT_EQ(result.session.id + ".json", fs::path(bench.results()[0]).filename());
  EXPECT_EQ(result.session.state, "complete");
  EXPECT_EQ(result.session.mode, "processes");
  EXPECT_EQ(result.session.seed, 9u);
  EXPECT_EQ(result.session.blocks, 6);
  EXPECT_EQ(result.session.protocol, 3);
  EXPECT_EQ(result.machine.id, "here");
  EXPECT_EQ(result.source.state, "no git");
  EXPECT_EQ(result.build.march, "x86-64-v2");
  EXPECT_EQ(result.unsupported.at(0).benchmark, "fake/quick/drop");
  EXPECT_EQ(result.processes.size(), 30u);  // one of them in the control as well
  for (const results::Process& process : result.processes) {
    EXPECT_EQ(process.seed, 9u);
    EXPECT_EQ(process.cpu.has_value(), process.benchmark != "fake/wide/spread");
    EXPECT_EQ(process.counters.at("metadata_bytes"), 64);
    EXPECT_EQ(process.counters.contains("minimum_heap_bytes"), process.block < 3);
  }
  const std::vector<judge::SummaryRow> rows = judge::summarize(result);
  ASSERT_EQ(rows.size(), 4u);
  ASSERT_TRUE(rows[1].value.interval && rows[2].value.interval);
  EXPECT_EQ(rows[1].benchmark, "fake/plain/store");
  // The variant that does a third of the work takes less time, where nothing else is at work.
  const auto least = [&](const std::string& benchmark) {
    const std::vector<stats::Datum> times = judge::process_times(result, benchmark);
    return std::min_element(times.begin(), times.end(), [](auto a, auto b) { return a.value < b.value; })->value;
  };
  EXPECT_LT(least(rows[2].benchmark), least(rows[1].benchmark));

  EXPECT_EQ(outcome.output.find("variant  "), 0u);
  Words titles = lines_with(outcome.output, "fake/");
  for (std::string& title : titles)  // beside other work
    title = title.substr(0, std::min(title.find(", disturbed, "), title.find(", unfit, ")));
  EXPECT_EQ(titles, (Words{"fake/drop: ns per pair, 6 processes", "fake/spread: ns per pair, 6 processes",
                           "fake/store: ns per pair, 6 processes"}));
  EXPECT_EQ(lines_with(outcome.error_tail, "run: 4 benchmarks on machine here, 6 blocks").size(), 1u);
  const Words blocks = lines_with(outcome.error_tail, "run: block ");
  ASSERT_EQ(blocks.size(), 6u);
  EXPECT_EQ(blocks[0].find("run: block 1/6: 5 processes, "), 0u);
  EXPECT_EQ(outcome.error_tail.find('\r'), std::string::npos);
  EXPECT_EQ(outcome.error_tail.find('\x1b'), std::string::npos);
}

TEST(Run, without_a_filter_quick_measures_core_workloads_and_names_the_others) {
  const Bench bench({"plain", "quick", "wide"}, R"(["store"])");
  const auto measured = [](const results::Result& result) {
    std::set<std::string> names;
    for (const results::Process& process : result.processes) names.insert(process.benchmark);
    return names;
  };
  // Where a process takes long to start, a small budget is not enough for both: those that do not fit wait as well.
  ChildOutcome outcome;
  results::Result result;
  Words conformance;
  const auto measures_both = [&](Words arguments) {
    return succeeds_given_time(3, [&](double seconds) {
      arguments.push_back("--budget");
      arguments.push_back(fmt::format("{}", seconds));
      outcome = bench.harness(arguments);
      arguments.resize(arguments.size() - 2);
      EXPECT_EQ(outcome.code, status_of(outcome)) << outcome.error_tail;
      for (const std::string& line : lines_with(outcome.error_tail, "run: conformance of "))
        conformance.push_back(line);
      result = load(last_line(outcome.output));
      return measured(result).size() > 1;
    });
  };
  ASSERT_TRUE(measures_both({"run", "--quick"}));
  EXPECT_EQ(measured(result), (std::set<std::string>{"fake/plain/store", "fake/quick/store"}));
  EXPECT_EQ(lines_with(outcome.error_tail, "run: 2 benchmarks wait").size(), 1u) << outcome.error_tail;
  EXPECT_EQ(lines_with(outcome.error_tail, "run: 2 benchmarks wait").at(0),
            "run: 2 benchmarks wait for a session without --quick: fake/drop, fake/spread");
  ASSERT_EQ(result.session.waiting.size(), 2u);
  EXPECT_EQ(result.session.waiting[0].benchmark, "fake/plain/drop");
  EXPECT_EQ(result.session.waiting[1].benchmark, "fake/wide/spread");
  ASSERT_EQ(conformance.size(), 1u);
  EXPECT_TRUE(conformance[0].starts_with("run: conformance of 2 executables")) << conformance[0];
  // Conformance is known now.
  ASSERT_TRUE(measures_both({"run", "--quick", "--filter", "*/drop", "--filter", "fake/quick/store"}));
  EXPECT_EQ(measured(result), (std::set<std::string>{"fake/plain/drop", "fake/quick/store"}));
  EXPECT_EQ(conformance.size(), 1u) << outcome.error_tail;
  EXPECT_TRUE(result.session.waiting.empty());
}

TEST(Run, against_refuses_a_table_too_large_for_its_budget_before_it_starts) {
  const Bench bench({"plain", "quick"});
  const measure::FakeBuild base({"+plain", "+quick"});
  const ChildOutcome outcome = bench.harness({"run", "--budget", "1", "--against", base.path().string()});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(lines_with(outcome.error_tail, "harness: error: "),
            Words{"harness: error: --against: expected a budget of 4 s for 6 blocks of 7 processes, found 1 s"});
  EXPECT_EQ(lines_with(outcome.error_tail, "hint: "), Words{"hint: --budget 4, or --filter GLOB"});
  EXPECT_TRUE(bench.results().empty());
}

TEST(Run, exits_with_4_and_reports_at_the_end_that_it_has_no_verdicts) {
  const Bench bench({"plain"});
  // Each process measures for 0.02 s at least, so that the control has too few; on a busy machine, none in that time.
  ChildOutcome outcome;
  const auto is_unfit = [&](double seconds) {
    outcome = bench.harness({"run", "--quick", "--budget", fmt::format("{}", seconds), "--filter", "*/store"});
    return outcome.code == 4;
  };
  EXPECT_TRUE(succeeds_given_time(0.1, is_unfit)) << outcome.error_tail;
  EXPECT_NE(outcome.output.find("unfit, not judged\n"), std::string::npos) << outcome.output;
  const Words unfit = lines_with(outcome.error_tail, "run: unfit: ");
  ASSERT_EQ(unfit.size(), 1u) << outcome.error_tail;
  EXPECT_EQ(unfit[0].find("run: unfit: the A/A control has too few processes"), 0u);
  EXPECT_EQ(last_line(outcome.error_tail), unfit[0]);
}

TEST(Run, says_what_other_work_disturbed_and_which_blocks_are_judged) {
  const Bench bench({"plain"});
  // Another process, busy on every CPU for as long as the session takes.
  const ChildOutcome outcome = bench.shell(
      "for cpu in $(seq \"$(nproc)\"); do (while :; do :; done) & busy=\"$busy $!\"; done\n"
      "unset LAB_FAKE_SECONDS; \"$1\" run --processes 2 --filter '*/store'; echo status $?\n"
      "kill $busy");
  EXPECT_EQ(last_line(outcome.output), "status 0") << "the user asked for two processes";
  Words said = lines_with(outcome.error_tail, "run: unusual: other processes used ");
  std::erase_if(said, [](const std::string& line) { return line.find(" during the session (") != std::string::npos; });
  ASSERT_EQ(said.size(), 1u) << outcome.error_tail;
  EXPECT_NE(said[0].find(" in 2 of 2 blocks, 100 % of the time; "), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("too few others are left, so the times of all blocks are judged"), std::string::npos);
  const results::Result result = load(bench.results().at(0));
  EXPECT_EQ(result.session.disturbances.size(), 2u);
  EXPECT_EQ(judge::judge_fitness(result).reason, "blind");
  EXPECT_EQ(judge::level_fitness(result).reason, "machine");
}

TEST(Run, lists_failures_at_the_end_exits_with_1_and_measures_the_others) {
  const Bench bench({"plain", "quick", "crashing", "wrong", "mute"});
  const ChildOutcome outcome =
      bench.harness({"run", "--processes", "6", "--filter", "*/store", "--filter", "fake/mute"});
  EXPECT_EQ(outcome.code, 1);
  const std::size_t end = outcome.error_tail.find("run: 3 failures:\n");
  ASSERT_NE(end, std::string::npos) << outcome.error_tail;
  const std::string named = outcome.error_tail.substr(end);
  EXPECT_EQ(lines_with(named, "run: failed: fake/mute: crash: --describe: signal 6 (Aborted)").size(), 1u);
  EXPECT_EQ(lines_with(named, "run: failed: fake/crashing/store: crash: signal 11 (Segmentation fault)").size(), 1u);
  EXPECT_EQ(lines_with(named, "run: failed: fake/wrong/store: wrong answer: expected checksum ").size(), 1u);
  const results::Result result = load(last_line(outcome.output));
  const std::vector<judge::SummaryRow> rows = judge::summarize(result);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].value.interval && rows[1].value.interval);
  EXPECT_EQ(result.failures.size(), 3u);
  const auto crashed =
      std::find_if(result.failures.begin(), result.failures.end(),
                   [](const results::Failure& failure) { return failure.benchmark == "fake/crashing/store"; });
  EXPECT_EQ(crashed->output_tail, "about to crash\n");
}

TEST(Run, reports_a_nonconforming_variant_without_a_number) {
  const Bench bench({"plain", "careless", "fragile"});
  const ChildOutcome outcome = bench.harness({"run", "--processes", "2", "--filter", "*/store"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(lines_with(outcome.error_tail, "run: conformance of ").size(), 1u);
  const std::size_t end = outcome.error_tail.find("run: 2 failures:\n");
  ASSERT_NE(end, std::string::npos) << outcome.error_tail;
  const std::string named = outcome.error_tail.substr(end);
  const std::string why = "conformance: what is put is kept: ";
  EXPECT_EQ(lines_with(named, "run: failed: fake/careless: " + why + "1 was put, 2 was there").size(), 1u);
  EXPECT_EQ(
      lines_with(named, "run: failed: fake/fragile: " + why + "it crashed with signal 11 (Segmentation fault)").size(),
      1u);
  EXPECT_NE(outcome.error_tail.find("run: complete after 2 blocks"), std::string::npos) << outcome.error_tail;
  const results::Result result = load(last_line(outcome.output));
  ASSERT_FALSE(result.processes.empty());
  for (const results::Process& process : result.processes) EXPECT_EQ(process.benchmark, "fake/plain/store");
}

/// The fixture library of measure/fake_malloc.c.
std::string fake_malloc(const std::string& what) {
  return fmt::format("{}/tests/fake_malloc_{}.so", LAB_BUILD_DIR, what);
}

/// The variant that it is measured as.
std::string malloc_variant(const std::string& what) {
  return fmt::format("fake/fake_malloc_{}.so@{}", what, content_name(*read_file(fake_malloc(what))).substr(0, 8));
}

TEST(Run, measures_a_malloc_library_beside_the_others_and_one_that_is_broken_costs_only_its_own_numbers) {
  if (!measure::kCanPreload) GTEST_SKIP() << "needs a build without a sanitizer";
  const Bench bench({"plain", "quick"}, "", "plain");
  const ChildOutcome outcome =
      bench.harness({"run", "--processes", "2", "--filter", "*/store", "--malloc", fake_malloc("good"), "--malloc",
                     fake_malloc("crashing"), "--malloc", fake_malloc("part"), "--malloc", fake_malloc("unresolved")});
  EXPECT_EQ(outcome.code, 1) << outcome.error_tail;
  const std::string part = malloc_variant("part"), crashing = malloc_variant("crashing"), good = malloc_variant("good");
  const std::size_t end = outcome.error_tail.find("run: 3 failures:\n");
  ASSERT_NE(end, std::string::npos) << outcome.error_tail;
  EXPECT_EQ(
      lines_with(outcome.error_tail.substr(end), "run: failed: "),
      (Words{"run: failed: " + crashing +
                 ": crash: expected a program to start and end with fake_malloc_crashing.so as its malloc, found: "
                 "signal 4 (Illegal instruction)",
             "run: failed: " + part +
                 ": conformance: expected a library that defines malloc, free, calloc, realloc, aligned_alloc; "
                 "found no calloc, realloc, aligned_alloc: free would get blocks of another malloc",
             "run: failed: " + malloc_variant("unresolved") +
                 ": crash: expected a library that the dynamic loader can preload, found: " +
                 fake_malloc("unresolved") + ": undefined symbol: nobody_defines_this"}));
  const results::Result result = load(last_line(outcome.output));
  std::map<std::string, int> processes;
  for (const results::Process& process : result.processes)
    if (process.arm == results::kHead) ++processes[process.benchmark];
  EXPECT_EQ(processes,
            (std::map<std::string, int>{{"fake/plain/store", 2}, {"fake/quick/store", 2}, {good + "/store", 2}}));
  const results::Arm* const head = results::find_arm(result, results::kHead);
  ASSERT_NE(head, nullptr);
  EXPECT_NE(head->executables.at(good), head->executables.at("fake/plain"));
  const results::VariantCard* const card = results::find_variant(result, good + "/store");
  ASSERT_NE(card, nullptr);
  EXPECT_FALSE(card->reference);
  EXPECT_EQ(card->traits.at("preloaded"),
            "fake_malloc_good.so, content " + content_name(*read_file(fake_malloc("good"))));
  EXPECT_NE(outcome.output.find("fake_malloc_good.so@"), std::string::npos) << outcome.output;
  // A second session of the same content compares with the first one.
  const ChildOutcome again =
      bench.harness({"run", "--processes", "2", "--filter", "*/store", "--malloc", fake_malloc("good")});
  EXPECT_EQ(again.code, status_of(again)) << again.error_tail;
  EXPECT_EQ(lines_with(again.error_tail, "run: conformance of ").size(), 0u) << again.error_tail;
  const ChildOutcome compared = bench.harness({"compare", last_line(outcome.output), last_line(again.output)});
  EXPECT_NE(compared.output.find("3 have identical code and were not judged"), std::string::npos) << compared.output;
}

TEST(Run, checks_conformance_again_under_a_library_that_the_user_preloads) {
  if (!measure::kCanPreload) GTEST_SKIP() << "needs a build without a sanitizer";
  const Bench bench({"plain"});
  const auto checked = [&](const std::string& preload) {
    const ChildOutcome outcome = bench.shell(preload + "\"$1\" run --processes 1 --filter '*/store'");
    return lines_with(outcome.error_tail, "run: conformance of ").size();
  };
  EXPECT_EQ(checked("LD_PRELOAD=" + fake_malloc("good") + " "), 1u);
  EXPECT_EQ(checked(""), 1u) << "what conformed with the library is not known to conform without it";
  EXPECT_EQ(checked(""), 0u);
  EXPECT_EQ(checked("LD_PRELOAD=" + fake_malloc("good") + " "), 1u);
}

TEST(Run, refuses_a_malloc_that_is_no_shared_library) {
  const Bench bench({"plain"}, "", "plain");
  const Bench without({"plain"});
  const auto complaint = [](const Bench& one, const std::string& file) {
    const ChildOutcome outcome = one.harness({"run", "--processes", "1", "--malloc", file});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(one.results().empty());
    return outcome.error_tail;
  };
  const std::string text = (bench.root() / "text.so").string();
  ASSERT_TRUE(write_file(text, "GROUP ( libmine.so )\n"));
  EXPECT_EQ(complaint(bench, text),
            "harness: error: --malloc: '" + text +
                "': expected a shared library, found a text file that begins 'GROUP ( libmine.so )'\n"
                "hint: the path of a .so file, linked with -shared\n");
  EXPECT_EQ(complaint(bench, "/no/such.so").find("harness: error: --malloc: reading '/no/such.so': "), 0u);
  EXPECT_EQ(complaint(without, fake_malloc("good")),
            "harness: error: --malloc: expected a family that names a variant to preload it under, found none in this "
            "build\nhint: a revision whose family.json has \"preload\"\n");
}

TEST(Run, stops_measuring_a_malloc_library_that_changes) {
  if (!measure::kCanPreload) GTEST_SKIP() << "needs a build without a sanitizer";
  const Bench bench({"plain"}, "", "plain");
  const std::string file = (bench.root() / "lib.so").string();
  ASSERT_TRUE(write_file(file, *read_file(fake_malloc("good"))));
  // The first block is over when the third run of the reference or its control begins, and the last has not begun.
  ASSERT_TRUE(write_file(bench.hold(), "3"));
  const ChildOutcome outcome =
      bench.shell("\"$1\" run --processes 4 --filter '*/store' --malloc '" + file + "' & child=$!\n" + kUntilOneIsKept +
                  "cp '" + fake_malloc("null") + "' '" + file + ".new' && mv '" + file + ".new' '" + file + "'\nrm '" +
                  bench.hold().string() + "'\nwait $child; echo status $?");
  EXPECT_EQ(last_line(outcome.output), "status 1") << outcome.error_tail;
  const results::Result result = load(bench.results().at(0));
  ASSERT_EQ(result.failures.size(), 1u);
  EXPECT_EQ(result.failures[0].kind, "changed");
  EXPECT_EQ(result.failures[0].detail.find("'" + file + "' changed while it was measured: expected content "), 0u);
  EXPECT_EQ(std::ranges::count(result.processes, std::string("fake/plain/store"), &results::Process::benchmark), 4 * 2);
}

TEST(Run, records_the_warmup_of_each_process) {
  const Bench bench({"plain"});
  const results::Result result = load(last_line(bench.harness({"run", "--processes", "1"}).output));
  ASSERT_FALSE(result.processes.empty());
  for (const results::Process& process : result.processes) {
    ASSERT_TRUE(process.warmup);
    EXPECT_GE(process.warmup->repetitions, 2u);
    EXPECT_GT(process.warmup->seconds, 0);
    EXPECT_LE(process.warmup->seconds, process.wall_seconds / 2);
  }
}

TEST(Run, continues_if_its_interim_report_fails) {
  const Bench bench({"plain"});
  const ChildOutcome outcome =
      bench.harness({"run", "--processes", "1", "--filter", "*/store", "--report", "/dev/null/here"});
  EXPECT_EQ(outcome.code, status_of(outcome)) << outcome.error_tail;
  EXPECT_EQ(bench.results().size(), 1u);
  EXPECT_FALSE(lines_with(outcome.error_tail, "run: report not written: ").empty());
}

TEST(Report, rejects_two_results_with_one_report_folder) {
  const Bench bench({"plain"});
  const ChildOutcome outcome = bench.harness({"report", "x1/a.json", "x2/a.json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.error_tail,
            "harness: error: 'x1/a.json' and 'x2/a.json' would be one report, 'a'\n"
            "hint: report them one by one, each with its own --out\n");
}

TEST(Report, quotes_a_foreign_file_without_its_control_bytes) {
  const Bench bench({"plain"});
  const ChildOutcome outcome = bench.shell("printf 'a\\033[2J\\001' > \"$2.json\"; \"$1\" report \"$2.json\"; echo $?");
  EXPECT_EQ(outcome.output, "2\n");
  EXPECT_NE(outcome.error_tail, "");
  EXPECT_EQ(outcome.error_tail.find('\x1b'), std::string::npos) << outcome.error_tail;
  EXPECT_EQ(outcome.error_tail.find('\x01'), std::string::npos) << outcome.error_tail;
}

TEST(Run, rejects_wrong_usage_with_one_line_and_a_hint) {
  const Bench bench({"plain", "quick", "!absent"});
  const struct {
    Words arguments;
    int status;
    const char* said;
  } rows[]{
      {{"run", "--filter", "fake/qiuck"},
       2,
       "harness: error: no benchmark matches 'fake/qiuck'\nhint: did you mean 'fake/quick'?\n"},
      {{"run", "--filter", "fake/quick/drop"},
       2,
       "harness: error: fake/quick/drop is unsupported: it never forgets\nhint: python3 make.py list\n"},
      {{"run", "--quick", "--full"},
       2,
       "harness: error: expected at most one of --quick, --full and --processes\n"
       "hint: python3 make.py run --help\n"},
      {{"run", "--processes", "0"},
       2,
       "harness: error: --processes: expected a number from 1 to 10000, found '0'\nhint: python3 make.py run --help\n"},
      {{"run", "--budget", "nan"},
       2,
       "harness: error: --budget: expected a number from 0.1 to 10000000, found 'nan'\n"
       "hint: python3 make.py run --help\n"},
      {{"run", "--fliter", "x"}, 2, "harness: error: unknown option '--fliter'\nhint: did you mean '--filter'?\n"},
      {{"run", "--out", ""}, 2, "harness: error: --out needs a value\nhint: --out FILE\n"},
      {{"run", "fake"},
       2,
       "harness: error: run takes no argument, found 'fake'\nhint: python3 make.py run --filter GLOB\n"},
      {{"run", "--json"},
       2,
       "harness: error: --json needs --plan; the result of a session is always JSON\nhint: leave out --json\n"},
      {{"run", "--plan", "--out", "x"},
       2,
       "harness: error: --plan writes nothing, found --out\nhint: leave out --out\n"},
      {{"run", "--plan", "--report", "x"},
       2,
       "harness: error: --plan writes nothing, found --report\nhint: leave out --report\n"},
      {{"run", "--filter", "fake/quick", "--out", "/"},
       2,
       "harness: error: '/' is a folder, expected the name of a file\nhint: --out /result.json\n"},
      {{"run", "--filter", "fake/quick", "--out", "/dev/null/x.json"},
       2,
       "harness: error: creating '/dev/null': Not a directory\nhint: python3 make.py run --help\n"},
      {{"list", "fake"},
       2,
       "harness: error: list takes no argument, found 'fake'\nhint: python3 make.py run --filter GLOB\n"},
      {{"run"}, 1, "harness: error: fake/absent is not built\nhint: python3 make.py build\n"},
  };
  for (const auto& row : rows) {
    const ChildOutcome outcome = bench.harness(row.arguments);
    EXPECT_EQ(outcome.code, row.status) << row.said;
    EXPECT_EQ(outcome.error_tail, row.said);
    EXPECT_EQ(outcome.output, "");
  }
  EXPECT_TRUE(bench.results().empty());
}

TEST(Run, rejects_results_that_are_not_a_folder) {
  const Bench bench({"plain"});
  const ChildOutcome outcome =
      bench.shell("LAB_RESULTS=/dev/null \"$1\" run --processes 1; echo $?; LAB_MACHINE=nightly \"$1\" run; echo $?");
  EXPECT_EQ(outcome.output, "2\n2\n") << outcome.error_tail;
  EXPECT_TRUE(bench.results().empty());
}

TEST(Run, writes_to_the_file_it_is_given) {
  const Bench bench({"plain"});
  const std::string path = (bench.root() / "out/mine.json").string();
  const ChildOutcome outcome = bench.harness({"run", "--processes", "1", "--out", path});
  EXPECT_EQ(outcome.code, status_of(outcome)) << outcome.error_tail;
  EXPECT_EQ(last_line(outcome.output), path);
  EXPECT_EQ(load(path).processes.size(), 3u);  // two benchmarks, and the control
  EXPECT_TRUE(bench.results().empty());
  EXPECT_EQ(std::distance(fs::directory_iterator(bench.root() / "out"), {}), 1);
  EXPECT_NE(outcome.output.find("1 process, too few for an interval"), std::string::npos);
}

TEST(Run, against_a_build_times_different_executables_in_both_and_reports_identical_ones) {
  const Bench bench({"plain", "quick", "other"});
  const measure::FakeBuild base({"plain", "+quick", "elder", "!absent"});
  const ChildOutcome outcome =
      bench.harness({"run", "--processes", "2", "--filter", "*/store", "--against", base.path().string()});
  EXPECT_EQ(
      lines_with(outcome.error_tail, fmt::format("run: against {}: 1 benchmark timed in both", base.path().string())),
      (Words{fmt::format("run: against {}: 1 benchmark timed in both", base.path().string())}));
  EXPECT_EQ(lines_with(outcome.error_tail, "run: 1 benchmark has identical code in both").size(), 1u);
  EXPECT_EQ(
      lines_with(outcome.error_tail, "run: unusual: not compared with base: fake/other/store: base does not have it")
          .size(),
      1u);
  EXPECT_NE(outcome.output.find("fake/quick/store"), std::string::npos);
  const results::Result result = load(last_line(outcome.output));
  // Whatever else this machine does: a verdict was asked for.
  EXPECT_EQ(outcome.code, judge::judge_fitness(result).fit ? 0 : 4) << outcome.error_tail;
  std::map<std::string, int> processes;
  for (const results::Process& process : result.processes) ++processes[process.arm + " " + process.benchmark];
  EXPECT_EQ(processes, (std::map<std::string, int>{{"base fake/quick/store", 2},
                                                   {"control fake/plain/store", 2},
                                                   {"head fake/other/store", 2},
                                                   {"head fake/plain/store", 2},
                                                   {"head fake/quick/store", 2}}));
  const results::Arm* head = results::find_arm(result, results::kHead);
  const results::Arm* other = results::find_arm(result, results::kBase);
  const results::Arm* control = results::find_arm(result, results::kControl);
  ASSERT_TRUE(head != nullptr && other != nullptr && control != nullptr);
  EXPECT_EQ(head->executables.at("fake/quick").size(), 32u);
  EXPECT_EQ(head->executables.at("fake/plain"), other->executables.at("fake/plain"));
  EXPECT_NE(head->executables.at("fake/quick"), other->executables.at("fake/quick"));
  EXPECT_EQ(control->executables,
            (std::map<std::string, std::string>{{"fake/plain", head->executables.at("fake/plain")}}));
  EXPECT_EQ(head->versions, (std::map<std::string, int>{{"fake/store", 1}}));
}

TEST(Run, against_an_invalid_base_fails_before_it_starts_anything) {
  const Bench bench({"plain"});
  const measure::FakeBuild old({"elder"});
  const struct {
    std::string base;
    const char* said;
  } rows[]{
      {"no-such-revision", "harness: error: --against 'no-such-revision': expected a git repository at "},
      {bench.root().string(), "expected variants.json and build_info.json in it or in build/"},
      {old.path().string(),
       "no benchmark can be compared; not compared with base: fake/plain/drop, fake/plain/store: "},
  };
  for (const auto& row : rows) {
    const ChildOutcome outcome = bench.harness({"run", "--processes", "1", "--against", row.base});
    EXPECT_EQ(outcome.code, 2) << row.said;
    EXPECT_NE(outcome.error_tail.find(row.said), std::string::npos) << outcome.error_tail;
    EXPECT_EQ(outcome.output, "");
  }
  EXPECT_TRUE(bench.results().empty());
}

TEST(Run, of_a_revision_measures_the_build_of_its_own_make_and_records_its_commit) {
  SKIP_WITHOUT_PROGRAM("git");
  const Bench bench({"plain", "quick"});
  const measure::FakeBuild old({"plain", "wide"});
  ASSERT_TRUE(write_file(bench.root() / "make.py", kMake));
  ASSERT_TRUE(write_file(bench.root() / "made", old.path().string() + "\n"));
  const ChildOutcome made = bench.shell(kCommitOne + R"(
echo none > made && git commit -qam two && git tag two
git rev-parse one)");
  ASSERT_EQ(made.code, 0) << made.error_tail;
  const ChildOutcome outcome = bench.harness({"run", "--processes", "2", "--revision", "one"});
  EXPECT_EQ(outcome.code, status_of(outcome)) << outcome.error_tail;
  ASSERT_EQ(bench.results().size(), 1u);
  EXPECT_EQ(last_line(outcome.output), bench.results()[0]);
  const results::Result result = load(bench.results()[0]);
  EXPECT_EQ(result.source.commit, boost::trim_copy(made.output));
  EXPECT_EQ(result.source.state, "clean");
  EXPECT_EQ(result.session.state, "complete");
  std::map<std::string, int> processes;
  for (const results::Process& process : result.processes) ++processes[process.arm + " " + process.benchmark];
  EXPECT_EQ(processes, (std::map<std::string, int>{{"control fake/plain/drop", 2},
                                                   {"head fake/plain/drop", 2},
                                                   {"head fake/plain/store", 2},
                                                   {"head fake/wide/spread", 2}}));

  const struct {
    Words arguments;
    int status;
    const char* said;
  } rows[]{
      {{"run", "--revision", "two"}, 1, "harness: error: --revision 'two': commit "},
      {{"run", "--revision", "tow"}, 2, "harness: error: --revision: expected a commit of '"},
      {{"run", "--revision", "one", "--plan"}, 2, "harness: error: --plan starts nothing, so it cannot build"},
  };
  for (const auto& row : rows) {
    const ChildOutcome refused = bench.harness(row.arguments);
    EXPECT_EQ(refused.code, row.status) << row.said;
    EXPECT_NE(refused.error_tail.find(row.said), std::string::npos) << refused.error_tail;
    EXPECT_EQ(refused.output, "");
  }
  EXPECT_EQ(bench.results().size(), 1u);
}

TEST(Run, of_a_revision_builds_what_its_filter_selects_with_the_reference_and_later_the_rest) {
  SKIP_WITHOUT_PROGRAM("git");
  const Bench bench({"plain", "quick", "wide"});
  const measure::FakeBuild old({"plain", "quick", "+wide"});
  ASSERT_TRUE(write_file(bench.root() / "make.py", kMake));
  ASSERT_TRUE(write_file(bench.root() / "made", old.path().string() + "\n"));
  ASSERT_EQ(bench.shell(kCommitOne).code, 0);
  const auto built = [&] {
    std::string names;
    for (const char* name : {"plain", "quick", "wide"})
      for (const fs::directory_entry& place : fs::directory_iterator(bench.root() / "build/revisions"))
        for (const fs::directory_entry& tree : fs::directory_iterator(place))
          if (fs::exists(tree.path() / "build/system-release/variants/fake" / name)) names += std::string(name) + " ";
    return names;
  };
  const auto run = [&](Words arguments) {
    arguments.insert(arguments.begin(), {"run", "--processes", "1"});
    const ChildOutcome outcome = bench.harness(arguments);
    // Other work on this machine may make 4 (unfit).
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 4) << outcome.error_tail;
    return outcome.error_tail;
  };
  const std::string first = run({"--against", "one", "--filter", "fake/wide"});
  EXPECT_EQ(built(), "wide ") << "of a base what is measured, and nothing else";
  EXPECT_NE(first.find("run: against one: 1 benchmark timed in both\n"), std::string::npos) << first;
  EXPECT_EQ(lines_with(first, "run: building one (").size(), 1u) << first;
  run({"--revision", "one", "--filter", "fake/quick/*"});
  EXPECT_EQ(built(), "plain quick wide ");
  EXPECT_EQ(lines_with(run({"--revision", "one"}), "run: building").size(), 0u) << "all is built";
  EXPECT_EQ(bench.harness({"run", "--revision", "one", "--filter", "fake/qiuck"}).error_tail,
            "harness: error: no benchmark matches 'fake/qiuck'\nhint: did you mean 'fake/quick'?\n");
}

TEST(Run, with_fixed_keeps_executables_that_later_sessions_time_whatever_head_is) {
  const Bench bench({"plain", "quick"});
  const Words run{"run", "--fixed", "--processes", "2", "--filter", "*/store"};
  const ChildOutcome first = bench.harness(run);
  EXPECT_EQ(first.code, status_of(first)) << first.error_tail;
  EXPECT_EQ(lines_with(first.error_tail, "run: kept as the fixed build"),
            Words{"run: kept as the fixed build of this machine: 2 benchmarks"});
  EXPECT_EQ(results::find_arm(load(last_line(first.output)), results::kFixed), nullptr);
  ASSERT_TRUE(fs::exists(bench.results_folder() / "fixed/fixed.json"));

  const ChildOutcome second = bench.harness(run);
  EXPECT_EQ(lines_with(second.error_tail, "run: fixed build"), Words{"run: fixed build: 2 benchmarks"});
  EXPECT_EQ(lines_with(second.error_tail, "run: kept as").size(), 0u) << "it stays";
  const results::Result result = load(last_line(second.output));
  EXPECT_EQ(judge::metric_values(result, "fake/plain/store", "", results::kFixed).size(), 2u);
  ASSERT_NE(results::find_arm(result, results::kFixed), nullptr);

  ASSERT_TRUE(write_file(bench.results_folder() / "fixed/fixed.json", "not JSON"));
  const ChildOutcome third = bench.harness(run);
  EXPECT_EQ(lines_with(third.error_tail, "run: unusual: the fixed build is not timed").size(), 1u) << third.error_tail;
  EXPECT_EQ(lines_with(third.error_tail, "run: kept as").size(), 1u) << "a new one";
}

TEST(Run, with_plan_starts_nothing_and_prints_the_detectable_changes) {
  const Bench bench({"plain", "quick"});
  const Words plan{"run", "--plan", "--processes", "12", "--filter", "*/store"};
  ChildOutcome outcome = bench.harness(plan);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.output.find("run --processes 6 --budget 60 --filter '*/store'\n"), std::string::npos)
      << outcome.output;
  const Words as_json{"run", "--plan", "--json", "--processes", "12", "--filter", "*/store"};
  const auto json_plan = [&] { return boost::json::parse(bench.harness(as_json).output).as_object(); };
  EXPECT_TRUE(json_plan().at("pilot").is_null());
  EXPECT_NE(bench.harness({"run", "--plan", "--json", "--budget", "77"}).output.find("\"budget_seconds\":7.7E1,"),
            std::string::npos);
  EXPECT_TRUE(json_plan().at("rows").at(1).at("noise").is_null());
  EXPECT_EQ(json_plan().at("machine").as_string(), bench.results_folder().filename().string());
  for (const std::string& base : {std::string("no-such-revision"), bench.root().string()})
    EXPECT_EQ(bench.harness({"run", "--plan", "--against", base}).code, 2) << base;
  EXPECT_TRUE(bench.results().empty());

  results::Result pilot;
  pilot.session.id = "20260802T231500Z-nogit";
  for (int block = 0; block < 6; ++block)
    for (const char* benchmark : {"fake/plain/store", "fake/quick/store"}) {
      pilot.processes.emplace_back();
      results::Process& process = pilot.processes.back();
      process.benchmark = benchmark;
      process.block = process.process = block;
      process.real_time = block % 2 == 0 ? 100 : 101;
      process.repetitions = process.operations = 1;
      process.samples = {{"put", {process.real_time}}};
    }
  fs::create_directories(bench.results_folder());
  ASSERT_TRUE(write_file(bench.results_folder() / "20260802T231500Z-nogit.json", results::serialize(pilot)));
  outcome = bench.harness(plan);
  EXPECT_EQ(outcome.code, 0) << outcome.error_tail;
  const Words rows = lines_with(outcome.output, "fake/");
  ASSERT_EQ(rows.size(), 2u) << outcome.output;
  EXPECT_EQ(rows[0].find("fake/plain/store  1.04 %         12 "), 0u) << rows[0];
  EXPECT_NE(outcome.output.find("is from 20260802T231500Z-nogit."), std::string::npos);
  const boost::json::object known = json_plan();
  EXPECT_EQ(known.at("pilot"), "20260802T231500Z-nogit");
  const boost::json::value& row = known.at("rows").at(0);
  EXPECT_EQ(row.at("benchmark"), "fake/plain/store");
  EXPECT_EQ(row.at("processes"), 12);
  EXPECT_NEAR(row.at("noise").as_double(), 0.0104, 5e-5);
  EXPECT_GT(row.at("smallest_change").as_double(), row.at("noise").as_double());
  EXPECT_EQ(bench.results().size(), 1u);
}

TEST(Run, when_terminated_writes_its_data_and_leaves_no_process) {
  const Bench bench({"plain", "quick"});
  const ChildOutcome outcome = bench.shell("\"$1\" run --processes 1000 & run=$!\n" + kUntilOneIsKept +
                                           "kill -TERM $run; wait $run; echo status $?");
  EXPECT_EQ(last_line(outcome.output), "status 130");
  ASSERT_EQ(bench.results().size(), 1u) << outcome.error_tail;
  EXPECT_NE(outcome.output.find(bench.results()[0] + "\n"), std::string::npos);
  EXPECT_EQ(lines_with(outcome.error_tail, "run: interrupted after ").size(), 1u);
  const results::Result result = load(bench.results()[0]);
  EXPECT_EQ(result.session.state, "interrupted");
  EXPECT_GE(result.processes.size(), 1u);
  EXPECT_TRUE(result.failures.empty());
}

TEST(Run, finishes_the_journal_of_a_killed_session) {
  const Bench bench({"plain", "quick"});
  const ChildOutcome killed = bench.shell("\"$1\" run --processes 1000 & run=$!\n" + kUntilOneIsKept +
                                          "kill -KILL $run; wait $run; echo status $?");
  EXPECT_EQ(last_line(killed.output), "status 137");
  ASSERT_EQ(bench.results().size(), 1u);
  EXPECT_TRUE(bench.results()[0].ends_with(".journal"));

  const ChildOutcome outcome = bench.harness({"run", "--processes", "1", "--filter", "*/store"});
  EXPECT_EQ(outcome.code, status_of(outcome)) << outcome.error_tail;
  const Words results = bench.results();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(lines_with(outcome.error_tail, "run: an earlier session was killed; its ").size(), 1u);
  const bool first = results[1] == last_line(outcome.output);
  EXPECT_EQ(load(results[first ? 1 : 0]).session.state, "complete");
  const results::Result kept = load(results[first ? 0 : 1]);
  EXPECT_EQ(kept.session.state, "interrupted");
  EXPECT_GE(kept.processes.size(), 1u);
  ASSERT_EQ(kept.arms.size(), 2u);
  EXPECT_EQ(kept.arms[1].name, "control");
  EXPECT_FALSE(kept.arms[0].executables.empty());
}

TEST(Run, works_at_the_same_time_as_another_run) {
  const Bench bench({"plain", "quick"});
  const ChildOutcome outcome =
      bench.shell("for i in 1 2 3 4; do \"$1\" run --processes 2 --filter fake/quick & done; wait");
  EXPECT_EQ(outcome.code, 0);
  const Words results = bench.results();
  ASSERT_EQ(results.size(), 4u) << outcome.error_tail;
  for (const std::string& path : results) {
    EXPECT_EQ(load(path).processes.size(), 4u) << outcome.error_tail;
    EXPECT_NE(outcome.output.find(path), std::string::npos);
  }
}

TEST(Run, fails_if_its_output_cannot_be_written_and_keeps_its_result) {
  const Bench bench({"plain"});
  const ChildOutcome outcome = bench.shell(
      "\"$1\" list >/dev/full; echo list $?; \"$1\" run --processes 1 >/dev/full; echo run $?; "
      "\"$1\" run --processes 1 >&- 2>&-; echo closed $?");
  // 4: a session beside other work, such as other tests.
  EXPECT_TRUE(outcome.output == "list 1\nrun 1\nclosed 0\n" || outcome.output == "list 1\nrun 1\nclosed 4\n")
      << outcome.output;
  EXPECT_EQ(lines_with(outcome.error_tail, "harness: error: writing to standard output failed").size(), 2u);
  ASSERT_EQ(bench.results().size(), 2u);
  for (const std::string& path : bench.results()) EXPECT_EQ(load(path).processes.size(), 3u);
}

TEST(Run, is_silent_if_the_reader_of_its_output_is_gone_and_keeps_its_result) {
  const Bench bench({"plain"});
  // A named pipe whose reader has gone, with SIGPIPE as a shell hands it on and ignored, as Python does.
  const ChildOutcome outcome = bench.shell(R"sh(mkdir -p "$(dirname "$2")"; mkfifo "$2.pipe"
exec 3<>"$2.pipe" 4>"$2.pipe" 3<&-
for words in --help --version "run --help" list "list --json" "run --processes 1"; do
  "$1" $words >&4 2>"$2.said"; echo "$? $words"; grep error "$2.said"
  (trap '' PIPE; "$1" $words >&4 2>"$2.said"; echo "$? $words"; grep error "$2.said")
done; true)sh");
  EXPECT_EQ(outcome.output,
            "141 --help\n141 --help\n141 --version\n141 --version\n141 run --help\n141 run --help\n141 list\n141 list\n"
            "141 list --json\n141 list --json\n141 run --processes 1\n141 run --processes 1\n")
      << outcome.error_tail;
  EXPECT_EQ(bench.results().size(), 2u);
}

TEST(Run, on_a_full_disk_reports_what_it_saved) {
  const Bench bench({"plain", "quick"});
  // A limit of file sizes stands for the full disk; the journal passes it after a few processes.
  const ChildOutcome outcome =
      bench.shell("trap '' XFSZ; ulimit -f 64; \"$1\" run --processes 1000 --budget 60; echo status $?");
  EXPECT_EQ(last_line(outcome.output), "status 1");
  const Words errors = lines_with(outcome.error_tail, "harness: error: ");
  ASSERT_EQ(errors.size(), 1u) << outcome.error_tail;
  EXPECT_NE(errors[0].find("the session stopped; "), std::string::npos);
  EXPECT_NE(errors[0].find("File too large"), std::string::npos);
  const ChildOutcome next = bench.harness({"run", "--processes", "1", "--filter", "*/store"});
  EXPECT_EQ(next.code, status_of(next)) << next.error_tail;
  ASSERT_EQ(bench.results().size(), 2u);
  const std::string kept = bench.results()[last_line(next.output) == bench.results()[0] ? 1 : 0];
  EXPECT_EQ(load(kept).session.state, "interrupted");
  EXPECT_GE(load(kept).processes.size(), 1u);
}

}  // namespace lab::cli
