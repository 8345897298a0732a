// history as a user meets it: the harness itself, whole outputs.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <random>
#include <sstream>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/judge/night_fixture.h"

namespace lab::cli {

namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;
using judge::fixture_file;
using judge::fixture_night;

ChildOutcome start(Words command) {
  ChildSpec spec;
  spec.timeout_seconds = kPatience;
  spec.command = std::move(command);
  spec.tail_limit = 1 << 22;
  return run_child(spec);
}

/// The made-up machines have been silent since; for how long changes every day.
std::string without_silence(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("  silent for ")) kept += line + (lines.eof() ? "" : "\n");
  return kept;
}

ChildOutcome history_of(const fs::path& results, const Words& more = {}) {
  Words command{(fs::path(LAB_BUILD_DIR) / "harness").string(), "history", "--results", results.string()};
  command.insert(command.end(), more.begin(), more.end());
  ChildOutcome outcome = start(command);
  outcome.output = without_silence(outcome.output);
  return outcome;
}

/// 60 nights of two benchmarks with noise of 0.5 %; the first is 6 % slower from night 40 on.
std::vector<results::Result> sixty_nights() {
  std::mt19937 random(5);
  std::vector<results::Result> nights;
  for (int i = 0; i < 60; ++i) {
    const auto noise = [&random] { return 1 + (static_cast<double>(random() % 2001) - 1000) / 200'000; };
    nights.push_back(fixture_night({i, 1, 1, {100 * noise() * (i >= 40 ? 1.06 : 1), 50 * noise()}}));
  }
  return nights;
}

void write(const fs::path& results, const std::vector<results::Result>& nights) {
  for (std::size_t i = 0; i < nights.size(); ++i)
    ASSERT_TRUE(write_file(results / "farm" / fixture_file(static_cast<int>(i)), results::serialize(nights[i])));
}

}  // namespace

TEST(HistoryCommand, prints_what_changed_when_by_how_much_and_between_which_commits) {
  const ScratchFolder folder;
  write(folder.path(), sixty_nights());
  const ChildOutcome shown = history_of(folder.path());
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.output,
            "machine 0123456789ab: 1 regressed; 2 benchmarks in up to 60 sessions, 2026-08-01 to 2026-09-29\n"
            "  regressed  shelf/v000/store  +6.01 % [+5.84 %, +6.25 %]  000000270000..000000280000  2026-09-10, found "
            "after 3 "
            "nights\n"
            "  1 benchmark without a change between its first 15 nights and its last 4 (a step of 0.69 % is "
            "alarmed within 5 nights in 4 of 5 cases)\n");
  EXPECT_EQ(shown.error_tail, "");
}

TEST(HistoryCommand, prints_from_which_night_on_the_noise_is_wider) {
  const ScratchFolder folder;
  std::mt19937 random(1);
  std::vector<results::Result> nights;
  for (int i = 0; i < 100; ++i) {
    double sum = -6;  // of twelve: nearly normal, with deviation 1
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random() % 10'000) / 10'000;
    nights.push_back(fixture_night({i, 1, 1, {100 * (1 + sum * (i < 60 ? 0.005 : 0.02))}}));
  }
  write(folder.path(), nights);
  const ChildOutcome shown = history_of(folder.path());
  EXPECT_EQ(shown.end, ChildEnd::kExited);
  EXPECT_EQ(shown.code, 0);
  EXPECT_EQ(shown.output,
            "machine 0123456789ab: 1 noise; 1 benchmark in up to 100 sessions, 2026-08-01 to 2026-11-08\n"
            "  noise  shelf/v000/store  4.4 times as wide    2026-09-29\n"
            "  1 benchmark without a change between its first 15 nights and its last 4 (a step of 3.3 % is "
            "alarmed within 5 nights in 4 of 5 cases)\n");
  const boost::json::value series = boost::json::parse(history_of(folder.path(), {"--json"}).output);
  EXPECT_GT(series.at("noise").to_number<double>(), 2);
}

TEST(HistoryCommand, prints_a_change_as_json_with_the_documented_fields) {
  const ScratchFolder folder;
  write(folder.path(), sixty_nights());
  const std::string line = history_of(folder.path(), {"--json", "--benchmark", "shelf/v000"}).output;
  const boost::json::value series = boost::json::parse(line);
  const boost::json::object change = series.at("change_points").at(0).as_object();
  Words names;
  for (const auto& field : change) names.emplace_back(field.key());
  EXPECT_EQ(names, (Words{"index", "detected_at", "before", "after", "ratio", "more_is_better", "low", "high",
                          "confidence", "nights", "started", "earliest", "latest", "commits", "cause", "changed",
                          "in_hindsight", "settled"}));
  EXPECT_EQ(change.at("index").to_number<int>(), 40);
  EXPECT_EQ(change.at("nights").to_number<int>(), change.at("detected_at").to_number<int>() - 40 + 1);
  EXPECT_EQ(std::string(change.at("commits").at("from").as_string()), judge::fixture_commit(39));
  EXPECT_EQ(std::string(change.at("commits").at("to").as_string()), judge::fixture_commit(40));
  EXPECT_EQ(change.at("cause").as_string(), "code");
}

TEST(HistoryCommand, tells_an_early_change_in_hindsight_and_no_verdict_where_it_could_have_found_none) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  std::rotate(nights.begin(), nights.begin() + 30, nights.end());  // 10 nights, then 6 % more
  const auto shown = [&](std::size_t count) {
    const ScratchFolder of;
    for (std::size_t i = 0; i < count; ++i) {
      results::Result night = nights[i];
      night.session = fixture_night({static_cast<int>(i), 1, 1, {}}).session;
      EXPECT_TRUE(write_file(of.path() / "farm" / fixture_file(static_cast<int>(i)), results::serialize(night)));
    }
    return history_of(of.path()).output;
  };
  EXPECT_EQ(
      shown(16),
      "machine 0123456789ab: 1 regressed; 2 benchmarks in up to 16 sessions, 2026-08-01 to 2026-08-16\n"
      "  regressed  shelf/v000/store  +6.11 % [+5.87 %, +6.54 %]  000000270000..000000280000  2026-08-11, seen in "
      "hindsight after 3 nights\n"
      "  1 benchmark too young to tell (4 more nights)\n");
  EXPECT_EQ(shown(12),
            "machine 0123456789ab: too young to tell; 2 benchmarks in up to 12 sessions, 2026-08-01 to 2026-08-12\n"
            "  2 benchmarks too young to tell (8 more nights)\n");
  EXPECT_EQ(
      shown(20),
      "machine 0123456789ab: 1 regressed; 2 benchmarks in up to 20 sessions, 2026-08-01 to 2026-08-20\n"
      "  regressed  shelf/v000/store  +6.14 % [+5.92 %, +6.48 %]  000000270000..000000280000  2026-08-11, seen in "
      "hindsight after 3 nights\n"
      "  1 benchmark without a change between its first 15 nights and its last 4 (a step of 1.6 % is alarmed "
      "within 5 nights in 4 of 5 cases)\n");
}

TEST(HistoryCommand, tells_that_a_machine_has_been_silent) {
  const ScratchFolder folder;
  write(folder.path(), sixty_nights());
  const std::string text =
      start({(fs::path(LAB_BUILD_DIR) / "harness").string(), "history", "--results", folder.path().string()}).output;
  EXPECT_EQ(::fnmatch("*\n  silent for [0-9]* days: no session since 2026-09-29\n*", text.c_str(), 0), 0) << text;
}

TEST(HistoryCommand, counts_young_series_separately_and_restarts_with_another_seed) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  for (std::size_t i = 0; i < nights.size(); ++i) {
    if (i < 48) std::erase_if(nights[i].processes, [](const auto& one) { return one.benchmark == "shelf/v001/store"; });
    if (i >= 45) nights[i].session.seed += 1;
  }
  write(folder.path(), nights);
  EXPECT_EQ(history_of(folder.path()).output,
            "machine 0123456789ab: 1 regressed; 2 benchmarks in up to 60 sessions, 2026-08-01 to 2026-09-29\n"
            "  regressed  shelf/v000/store  +6.08 % [+5.86 %, +6.51 %]  000000270000..000000280000  2026-09-10, found "
            "after 3 nights\n"
            "  2 benchmarks too young to tell (5 to 8 more nights)\n");
  const ChildOutcome shown = history_of(folder.path(), {"--json"});
  const std::size_t end = shown.output.find('\n');
  EXPECT_NE(shown.output.find(R"("reason":"seeds","nights_missing":5,"judged_from":null,)"), std::string::npos);
  EXPECT_NE(shown.output.find(R"("reason":"too_young","nights_missing":8,"judged_from":null,)", end),
            std::string::npos);
}

TEST(HistoryCommand, separates_a_new_kernel_from_a_code_change) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  for (std::size_t i = 40; i < nights.size(); ++i) nights[i].facts.kernel = "6.1.9";
  write(folder.path(), nights);
  EXPECT_EQ(history_of(folder.path()).output,
            "machine 0123456789ab: 1 worse, new kernel; 2 benchmarks in up to 60 sessions, 2026-08-01 to 2026-09-29\n"
            "  worse, new kernel  shelf/v000/store  +6.01 % [+5.84 %, +6.25 %]  000000270000..000000280000  "
            "2026-09-10, found "
            "after 3 nights; kernel 6.1.0 -> 6.1.9\n"
            "  1 benchmark without a change between its first 15 nights and its last 4 (a step of 0.69 % is "
            "alarmed within 5 nights in 4 of 5 cases)\n");
}

TEST(HistoryCommand, takes_another_processor_under_the_machine_s_name_for_no_change_of_the_code) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  const std::string before = nights[0].machine.cpu_model;
  for (std::size_t i = 40; i < nights.size(); ++i) nights[i].machine.cpu_model = "Another CPU";
  write(folder.path(), nights);
  const std::string text = history_of(folder.path()).output;
  EXPECT_TRUE(text.starts_with("machine 0123456789ab: 1 worse, new hardware; ")) << text;
  EXPECT_NE(text.find("processor " + before + " -> Another CPU"), std::string::npos) << text;
}

TEST(HistoryCommand, names_two_hosts_that_take_turns_in_one_history) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  for (std::size_t i = 0; i < nights.size(); ++i) nights[i].context.host_name = i % 2 == 0 ? "node1" : "node2";
  write(folder.path(), nights);
  const std::string text = history_of(folder.path()).output;
  EXPECT_NE(
      text.find("\n  2 hosts took turns in one history, node1 and node2: their differences hide changes; give each a "
                "name of its own with LAB_MACHINE\n"),
      std::string::npos)
      << text;
  EXPECT_NE(history_of(folder.path(), {"--json"}).output.find(R"("hosts":["node1","node2"])"), std::string::npos);
}

TEST(HistoryCommand, prints_a_row_per_point_as_csv) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  nights[0].machine.id = nights[0].machine.name = "a \"farm\", or two";
  write(folder.path(), nights);
  const std::string csv = history_of(folder.path(), {"--csv", "--benchmark", "shelf/v001"}).output;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 61);
  EXPECT_TRUE(
      csv.starts_with("machine,benchmark,version,session,started,commit,median,low,high,processes,executable\r\n"));
  EXPECT_NE(csv.find("\r\n\"a \"\"farm\"\", or two\",shelf/v001/store,2,000000,2026-08-01T23:00:00Z,"),
            std::string::npos);
  EXPECT_EQ(history_of(folder.path(), {"--csv", "--json"}).code, 2);
  EXPECT_EQ(history_of(folder.path(), {"--export", "csv", "--benchmark", "shelf/v001"}).output, csv);
  EXPECT_EQ(history_of(folder.path(), {"--export", "xlsx"}).code, 2);
  for (const Words& words : {Words{"--export", "badge", "--json"},
                             {"--export", "openmetrics", "--farm"},
                             {"--export", "openmetrics", "--csv"},
                             {"--export", "badge", "--benchmark", "*"}})
    EXPECT_EQ(history_of(folder.path(), words).code, 2) << words[1] << words[2];
}

TEST(HistoryCommand, tells_what_the_machines_of_a_farm_share) {
  const ScratchFolder folder;
  for (const char* machine : {"farm-1", "farm-2"})
    for (results::Result& night : sixty_nights()) {
      night.machine.id = night.machine.name = night.context.host_name = machine;
      EXPECT_TRUE(write_file(folder.path() / machine / (night.session.id + ".json"), results::serialize(night)));
    }
  const std::string told = history_of(folder.path(), {"--farm"}).output;
  EXPECT_NE(told.find("\nchanges of the code:\n  2026-09-10 regressed +6"), std::string::npos) << told;
  EXPECT_NE(told.find(": 1 benchmark on all 2 machines; 000000270000..000000280000\n    shelf/v000/store\n"),
            std::string::npos)
      << told;
  EXPECT_EQ(boost::json::parse(history_of(folder.path(), {"--farm", "--json"}).output).at("changes").as_array().size(),
            1u);
  EXPECT_EQ(history_of(folder.path(), {"--farm", "--benchmark", "x"}).code, 2);

  const auto farm = [&](Words words) {
    Words command{(fs::path(LAB_BUILD_DIR) / "harness").string(), "farm"};
    command.insert(command.end(), words.begin(), words.end());
    command.insert(command.end(), {"--results", folder.path().string()});
    return start(command);
  };
  EXPECT_EQ(farm({}).code, 2);
  EXPECT_EQ(farm({"chek"}).code, 2);
  EXPECT_EQ(farm({"ack"}).code, 2);
  EXPECT_EQ(farm({"ack", "2026-09-10"}).code, 2) << "no alarm yet";
  const int checked = farm({"check"}).code;
  EXPECT_TRUE(checked == 3 || checked == 5) << checked;  // the made-up nights become older than two weeks, and silent
  EXPECT_EQ(farm({"ack", "2026-09-10", "known"}).code, 0);
  EXPECT_EQ(farm({"explain", "2026-09-10", "000000280000"}).code, 0);
  EXPECT_NE(farm({"check", "--json"}).output.find(R"("state":"explained")"), std::string::npos);
}

TEST(HistoryCommand, prints_one_json_object_per_series) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  nights.resize(1);
  nights[0].source.commit.reset();
  write(folder.path(), nights);
  EXPECT_EQ(
      history_of(folder.path(), {"--json", "--benchmark", "shelf/v001"}).output,
      R"({"benchmark":"shelf/v001/store","machine":"0123456789ab","version":2,)"
      R"("points":[{"started":"2026-08-01T23:00:00Z","commit":null,"median":4.984375E1,"low":null,"high":null,)"
      R"("processes":1,"session":"000000"}],"change_points":[],"hindsight":[],"switching":false,"drifting":false,"noise":null,)"
      R"("metric_changes":[],"hosts":[],)"
      R"("reason":"too_young","nights_missing":19,"judged_from":null,"seen":null})"
      "\n");
}

TEST(HistoryCommand, judges_one_session_against_earlier_nights) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  nights.resize(21);
  nights.back().session.unusual = {"load 3: stop it"};
  for (results::Process& process : nights.back().processes)
    if (process.benchmark == "shelf/v000/store") process.real_time *= 2;
  write(folder.path(), nights);
  const std::string file = (folder.path() / "farm" / fixture_file(20)).string();
  const ChildOutcome script = history_of(folder.path(), {"--night", file, "--json"});
  EXPECT_EQ(script.code, 0) << script.error_tail;
  boost::json::object night = boost::json::parse(script.output).as_object();
  EXPECT_NEAR(night.at("away").at(0).at("ratio").to_number<double>(), 2, 0.02);
  night["away"].as_array()[0].as_object().erase("ratio");
  EXPECT_EQ(boost::json::serialize(night),
            R"({"session":"000020","machine":"0123456789ab","fit":true,"reason":null,"left_out":null,"sentences":[],)"
            R"("notes":[],"unusual":["load 3: stop it"],"with_level":2,"away":[{"benchmark":"shelf/v000/store"}],)"
            R"("stayed":0,"too_young":[],"too_young_sentence":null})");
  const std::string text = history_of(folder.path(), {"--night", file}).output;
  EXPECT_TRUE(
      text.starts_with("session 000020: fit\n"
                       "  unusual: load 3: stop it\n"
                       "  outlier: shelf/v000/store +"))
      << text;

  nights.resize(3);
  const ScratchFolder young;
  write(young.path(), nights);
  const std::string last = (young.path() / "farm" / fixture_file(2)).string();
  const std::string line = history_of(young.path(), {"--night", last, "--json"}).output;
  const std::string lacking =
      R"("reason":"too_young","nights_missing":17,"sentence":"too young to tell: 3 of 20 nights"})";
  EXPECT_NE(
      line.find(R"("too_young":[{"benchmark":"shelf/v000/store",)" + lacking + R"(,{"benchmark":"shelf/v001/store",)" +
                lacking + R"-(],"too_young_sentence":"2 too young to tell (17 more nights)"})-"),
      std::string::npos)
      << line;
  const ChildOutcome none = history_of(young.path(), {"--night", "no-such-file.json"});
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.error_tail,
            "harness: error: opening 'no-such-file.json': No such file or directory\n"
            "hint: python3 make.py history --help\n");
}

TEST(HistoryCommand, reports_omitted_results_on_standard_error) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  nights.resize(4);
  nights[1].source.dirty = true;
  nights[2].session.state = "interrupted";
  write(folder.path(), nights);
  folder.write("farm/torn.json", "{");
  const ChildOutcome shown = history_of(folder.path());
  EXPECT_EQ(shown.output,
            "machine 0123456789ab: too young to tell; 2 benchmarks in up to 2 sessions, 2026-08-01 to 2026-08-04\n"
            "  2 benchmarks too young to tell (18 more nights)\n");
  EXPECT_EQ(shown.error_tail,
            "history: ignored: farm/torn.json: truncated: the JSON does not end within 1 bytes\n"
            "history: ignored: 1 result: dirty source\n"
            "history: ignored: 1 result: interrupted session\n");
}

TEST(HistoryCommand, rejects_requests_without_data) {
  const ScratchFolder folder, empty;
  std::vector<results::Result> nights = sixty_nights();
  nights.resize(1);
  write(folder.path(), nights);
  folder.write("file", "");
  const std::string here = folder.path().string();
  const std::vector<std::tuple<fs::path, Words, std::string>> table{
      {folder.path(),
       {"--benchmark", "shelf/v0001/store"},
       fmt::format("no benchmark in '{}' matches 'shelf/v0001/store'\nhint: did you mean 'shelf/v000/store'?\n", here)},
      {folder.path(),
       {"--benchmark", "*unlike-all"},
       fmt::format("no benchmark in '{}' matches '*unlike-all'\nhint: omit --benchmark to show all\n", here)},
      {folder.path(), {"x"}, "history takes no argument, found 'x'\nhint: python3 make.py history --results DIR\n"},
      {folder.path() / "none",
       {},
       fmt::format("expected a folder of results at '{}/none', found nothing\nhint: python3 make.py run\n", here)},
      {folder.path() / "file",
       {},
       fmt::format("expected a folder of results at '{}/file', found a file\nhint: python3 make.py run\n", here)},
      {empty.path(),
       {},
       fmt::format("expected results in '{}/<machine>', found none usable for a history\nhint: python3 make.py run\n",
                   empty.path().string())},
      {folder.path() / "farm",
       {},
       fmt::format("expected results in '{}', found none usable for a history\nhint: --results {}\n",
                   (folder.path() / "farm" / "<machine>").string(), here)},
  };
  for (const auto& [results, words, expected] : table) {
    const ChildOutcome shown = history_of(results, words);
    EXPECT_EQ(shown.code, 2);
    EXPECT_EQ(shown.error_tail, "harness: error: " + expected);
    EXPECT_EQ(shown.output, "");
  }
}

TEST(HistoryCommand, separates_no_results_yet_from_unreadable_results) {
  const ScratchFolder none, torn;
  none.write("nightly/state.json", "{}");
  const ChildOutcome first = history_of(none.path(), {"--json"});
  EXPECT_EQ(first.code, 0);
  EXPECT_EQ(first.output + first.error_tail, "");

  torn.write("farm/torn.json", "{");
  const ChildOutcome lost = history_of(torn.path(), {"--json"});
  EXPECT_EQ(lost.code, 2);
  EXPECT_EQ(lost.error_tail,
            fmt::format("history: ignored: farm/torn.json: truncated: the JSON does not end within 1 bytes\n"
                        "harness: error: expected results in '{}/<machine>', found none usable for a history\n"
                        "hint: python3 make.py run\n",
                        torn.path().string()));
}

TEST(HistoryCommand, keeps_the_results_of_a_folder_that_is_temporarily_unreadable) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  nights.resize(2);
  write(folder.path(), nights);
  const std::string before = history_of(folder.path(), {"--json"}).output;
  fs::rename(folder.path() / "farm", folder.path() / ".away");
  fs::create_symlink("farm", folder.path() / "farm");  // a loop, which root cannot read either
  const ChildOutcome closed = history_of(folder.path(), {"--json"});
  EXPECT_EQ(closed.code, 2);
  EXPECT_EQ(closed.output, "");
  EXPECT_EQ(closed.error_tail, fmt::format("harness: error: reading '{}/farm': Too many levels of symbolic links\n"
                                           "hint: make it readable, or remove it\n",
                                           folder.path().string()));
  fs::remove(folder.path() / "farm");
  fs::rename(folder.path() / ".away", folder.path() / "farm");
  EXPECT_EQ(history_of(folder.path(), {"--json"}).output, before);
}

TEST(HistoryCommand, killed_at_any_moment_leaves_a_usable_index) {
  const ScratchFolder folder;
  std::vector<results::Result> nights = sixty_nights();
  write(folder.path(), nights);
  const std::string whole = history_of(folder.path(), {"--json"}).output;
  const std::string harness = (fs::path(LAB_BUILD_DIR) / "harness").string();
  for (const char* seconds : {"0.005", "0.01", "0.02", "0.03", "0.05", "0.08"}) {
    fs::remove(folder.path() / "index.sqlite");
    start({"sh", "-c", R"("$1" history --results "$2" >/dev/null & sleep "$3"; kill -9 $!; wait)", "sh", harness,
           folder.path().string(), seconds});
    EXPECT_EQ(history_of(folder.path(), {"--json"}).output, whole) << seconds;
  }
}

}  // namespace lab::cli
