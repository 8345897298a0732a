#include "harness/app/night.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cmath>
#include <map>
#include <random>
#include <sstream>

#include "harness/app/night_environment.h"
#include "harness/base/files.h"
#include "harness/base/lock.h"
#include "harness/base/needs_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/judge/alarms.h"
#include "harness/judge/fitness.h"
#include "harness/judge/night_fixture.h"
#include "harness/results/alarm.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

using Strings = std::vector<std::string>;
using Times = std::map<std::string, double>;

constexpr int kDay = 86'400;
constexpr std::time_t kFirst = 1'785'625'200;

std::string commit_of(int night) {
  return fmt::format("{:012x}{:028}", night + 1, 0);
}

int night_of(const std::string& commit) {
  return std::stoi(commit.substr(0, 12), nullptr, 16) - 1;
}

/// A night's result as `run` writes it: one process of every benchmark.
results::Result result_of(int night, const Times& times) {
  results::Result result = results::fixture_result();
  result.machine.id = result.machine.name = "farm";
  result.build.config = "release";
  result.source = {commit_of(night), false, "clean"};
  result.session.id = fmt::format("{:04}", night);
  result.session.started = result.session.ended = judge::fixture_started(night);
  result.session.blocks = 1;
  result.session.unusual.clear();
  result.unsupported.clear();
  for (const auto& [name, time] : times) result.processes.push_back(results::fixture_process(name, 0, time));
  return result;
}

/// As `run` and `report` end.
int status_of(const results::Result& result) {
  return static_cast<int>(judge::exit_status(result, judge::judge_fitness(result)));
}

/// Copies what the test has prepared where `run` is called; bisects return what the test has set.
class FakeEnvironment : public NightEnvironment {
 public:
  explicit FakeEnvironment(const ScratchFolder& root) : root_(root.path()) {}

  int night = 0;
  std::optional<results::Result> next;             ///< of the next `run`
  std::optional<results::Result> next_again;       ///< of the `run` after that
  std::map<std::string, results::Result> earlier;  ///< of `run --revision`
  std::function<VerbOutcome(const std::string& call)> bisect = [](const std::string&) { return VerbOutcome{}; };
  HistoryText history{"machine farm: ...\n", ""};
  std::string crash;  ///< the verb in which the night is killed
  VerbOutcome delivery{0, "1 result delivered"};
  double bisect_seconds = 0;     ///< that a bisect takes
  double earlier_seconds = 100;  ///< that building and measuring an earlier commit takes
  Expected<std::string> id = std::string("farm");
  std::optional<Error> git;  ///< the error of git, if it fails
  Strings said;

  std::time_t now() override { return kFirst + std::time_t{kDay} * night; }
  double clock() override {
    double passed = 0;
    for (const std::string& call : calls(""))
      passed += call.find("--revision") != std::string::npos ? earlier_seconds
                : call.starts_with("bisect ")                ? bisect_seconds
                                                             : 0;
    return kDay * night + passed;
  }
  Expected<std::string> machine() override { return id; }
  Expected<Strings> commits(const Strings& range) override {
    if (git) return *git;
    Strings commits;
    if (range.size() == 2) {
      const std::size_t most = std::stoul(range[0].substr(range[0].find('=') + 1));
      for (int i = night; i >= 0 && commits.size() < most; --i) commits.push_back(commit_of(i));
    } else {
      const std::size_t dots = range[0].find("..");
      for (int i = night_of(range[0].substr(dots + 2)); i > night_of(range[0].substr(0, dots)); --i)
        commits.push_back(commit_of(i));
    }
    return commits;
  }
  Expected<VerbOutcome> run_verb(const std::string& verb, const Strings& arguments) override {
    const std::string call = fmt::format("{} {}", verb, fmt::join(arguments, " "));
    std::ofstream(root_ / "calls", std::ios::app) << call << "\n";
    VerbOutcome outcome{1, ""};
    if (verb == "run") {
      std::optional<results::Result> result = std::exchange(next, std::nullopt);
      if (!arguments.empty() && arguments[0] == "--revision") {
        std::swap(result, next);
        if (earlier.contains(arguments[1])) result = earlier.at(arguments[1]);
      }
      if (result) outcome = {status_of(*result), store(*result)};
      if (next_again && next == std::nullopt) next = std::exchange(next_again, std::nullopt);
    } else if (verb == "report") {
      std::error_code ignored;
      fs::create_directories(arguments[2], ignored);
      std::ofstream(fs::path(arguments[2]) / "index.html") << "page";
      outcome = {status_of(*results::load_result(arguments[0])), arguments[2] + "/index.html"};
    } else if (verb == "deliver") {
      outcome = delivery;
    } else {
      if (crash == verb) ::kill(::getpid(), SIGKILL);
      outcome = bisect(call);
    }
    if (crash == verb) ::kill(::getpid(), SIGKILL);
    return outcome;
  }
  HistoryText history_text() override { return history; }
  void print_line(std::string_view line) override { said.emplace_back(line); }
  bool interrupted() override { return false; }

  /// The result's path.
  std::string store(const results::Result& result) {
    const fs::path path = root_ / "kept" / result.machine.id / (result.session.id + ".json");
    EXPECT_TRUE(write_file(path, results::serialize(result)));
    return path.string();
  }
  /// Calls of the verb, those of killed nights too.
  Strings calls(const std::string& verb) const {
    std::ifstream file(root_ / "calls");
    Strings calls;
    for (std::string line; std::getline(file, line);)
      if (line.starts_with(verb)) calls.push_back(line);
    return calls;
  }

 private:
  fs::path root_;
};

struct Ended {
  int status = 0;
  std::string line;
};

VerbOutcome culprit(int night, double probability = 0.99, double ratio = 1.2) {
  return {0, fmt::format(R"({{"answer": "culprit", "culprit": "{}", "probability": {}, "ratio": {}}})",
                         commit_of(night), probability, ratio)};
}

class Nightly : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(results_ / "nightly"); }  // as taking the lock does

  void prepare(int night, const Times& times) { environment_.next = result_of(night, times); }

  Ended night(int number, NightRequest request = {}) {
    environment_.night = number;
    environment_.said.clear();
    request.results = results_;
    Ended ended;
    const Expected<ExitStatus> verdict =
        run_night(request, environment_, [&](const NightSummary& summary) { summary_ = summary; });
    EXPECT_TRUE(verdict);
    ended.line = summary_.line;
    ended.status = static_cast<int>(*verdict);
    return ended;
  }

  /// A night of which nothing stays but what it had written.
  void killed_night(int number, const std::string& verb = "run") {
    const pid_t child = ::fork();
    if (child == 0) {
      environment_.crash = verb;
      night(number);
      ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status));
    environment_.next.reset();
  }

  /// Prepares a night of one benchmark, which is twice as slow from night 40 on; the third such night can tell.
  void prepare_slow(int night) {
    prepare(night, {{"shelf/a/store", 100 * std::exp(0.01 * noise_(random_)) * (night >= 40 ? 2 : 1)}});
  }
  std::vector<Ended> slow_nights(int count) {
    std::vector<Ended> ended;
    for (int i = 0; i < count; ++i) {
      prepare_slow(i);
      ended.push_back(night(i));
    }
    return ended;
  }
  /// A further night of it.
  Ended slow_night(int number) {
    prepare(number, {{"shelf/a/store", 200}});
    return night(number);
  }

  void put_state(const std::vector<results::Alarm>& alarms) {
    EXPECT_TRUE(write_file(results_ / "nightly/farm/state.json", results::serialize(alarms)));
  }
  std::vector<results::Alarm> state() {
    return *results::parse_alarms(*read_file(results_ / "nightly/farm/state.json"), "state");
  }
  static results::Alarm alarm(const std::string& name, double ratio, int last) {
    results::Alarm alarm;
    alarm.machine = "farm";
    alarm.benchmark = fmt::format("shelf/{}/store", name);
    alarm.version = 1;
    alarm.session = "0000";
    alarm.ratio = ratio;
    alarm.nights = 3;
    alarm.commits = {commit_of(0), commit_of(last)};
    return alarm;
  }
  /// The line of a night with two alarms whose commits overlap; the greater, b, is bisected first.
  std::string two_alarms(NightRequest request = {}) {
    put_state({alarm("a", 1.05, 8), alarm("b", 1.2, 9)});
    prepare(0, {{"shelf/a/store", 100}});
    return night(0, request).line;
  }
  /// Bisects of commit 4 and the one before it answer `pair`; b's culprit is commit 4, a's is `own`.
  void pair_says(const VerbOutcome& pair, const VerbOutcome& own = culprit(6)) {
    environment_.bisect = [=](const std::string& call) {
      if (call.find(fmt::format("--good {} --bad {}", commit_of(3), commit_of(4))) != std::string::npos) return pair;
      return call.find("b/store") != std::string::npos ? culprit(4) : own;
    };
  }
  /// "0 9 b" of every bisect: good and bad by night, the variant.
  Strings bisect_calls() const {
    Strings calls;
    for (const std::string& call : environment_.calls("bisect")) {
      std::istringstream words(call);
      std::string name, good, bad, benchmark;
      words >> name >> name >> good >> name >> bad >> name >> benchmark;
      EXPECT_EQ(call.find(fmt::format("bisect --good {} --bad {} --benchmark {}", good, bad, benchmark)), 0u) << call;
      calls.push_back(
          fmt::format("{} {} {}", night_of(good), night_of(bad), results::benchmark_parts(benchmark).variant));
    }
    return calls;
  }
  /// A file of the last night's report.
  std::string newest(const std::string& name) const {
    fs::path newest;
    for (const fs::directory_entry& entry : fs::directory_iterator(results_ / "nightly/farm"))
      if (std::isdigit(entry.path().filename().c_str()[0]) != 0) newest = std::max(newest, entry.path());
    return read_file(newest / name).value();
  }
  static std::size_t count(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  }
  std::size_t files_in(const std::string& folder) const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(results_ / folder), {}));
  }

  /// Nights from `first` on, of `nights` with 35 benchmarks with noise of 1 to 5 %; `change` may change the times. Of
  /// those before, the results are there.
  std::map<int, Ended> farm(int first, int nights, const std::function<void(int, Times&)>& change,
                            const std::function<void(int, const Ended&)>& look = {}) {
    std::map<int, Ended> ended;
    for (int i = 0; i < nights; ++i) {
      Times times;
      for (int k = 0; k < 35; ++k)
        times[fmt::format("shelf/v{:02}/store", k)] = 100 * std::exp((0.01 + 0.04 * k / 34) * noise_(random_));
      change(i, times);
      if (i < first) {
        environment_.store(result_of(i, times));
        continue;
      }
      prepare(i, times);
      ended[i] = night(i);
      if (look) look(i, ended[i]);
    }
    return ended;
  }
  static std::vector<int> nights_with(const std::map<int, Ended>& all, int status) {
    std::vector<int> nights;
    for (const auto& [night, ended] : all)
      if (ended.status == status) nights.push_back(night);
    return nights;
  }

  ScratchFolder root_;
  fs::path results_ = root_.path() / "kept";
  FakeEnvironment environment_{root_};
  std::mt19937_64 random_{5};
  std::normal_distribution<double> noise_;
  NightSummary summary_;  ///< of the last night
};

}  // namespace

// The step is ten times the noise, so that five such nights lie beyond all others for every seed. Of tables of 200
// unchanged series over 30 nights, at most 5 % have a false alarm (stats/change_points.h): three or more are expected
// for 1 seed in 50,000, and one in the series of the step itself for 1 in 4,000.
TEST_F(Nightly, thirty_nights_of_200_benchmarks_report_the_one_that_became_slower_once) {
  environment_.bisect = [](const std::string&) { return culprit(20, 0.994); };
  std::map<int, std::string> found, false_alarms;
  for (int i = 0; i < 30; ++i) {
    Times times;
    for (int k = 0; k < 200; ++k) times[fmt::format("shelf/v{:03}/store", k)] = 100 * std::exp(0.01 * noise_(random_));
    if (i >= 20) times["shelf/v070/store"] *= std::exp(0.1);
    prepare(i, times);
    if (i == 12) {
      killed_night(i);
      continue;
    }
    const Ended ended = night(i);
    EXPECT_THAT(ended.line, Not(HasSubstr("\n")));
    if (ended.status == 0) continue;
    EXPECT_EQ(ended.status, 3) << ended.line;
    (ended.line.find("shelf/v070/store +") == std::string::npos ? false_alarms : found)[i] = ended.line;
  }
  EXPECT_LE(false_alarms.size(), 2u);
  ASSERT_EQ(found.size(), 1u);
  const auto& [night, line] = *found.begin();
  EXPECT_GE(night, 22);
  EXPECT_LE(night, 24);
  EXPECT_THAT(line, ContainsRegex("^nightly: regression: [0-9] slower: .*; 19[0-9] others without a new regression"));
  EXPECT_THAT(line, HasSubstr("culprit 000000000015 (99.4 %)"));
  Strings bisects = bisect_calls();
  std::erase_if(bisects, [](const std::string& bisect) { return !bisect.ends_with(" v070"); });
  ASSERT_EQ(bisects.size(), 1u);
  int good = 0, bad = 0;
  std::istringstream(bisects[0]) >> good >> bad;
  EXPECT_LT(good, 20);
  EXPECT_GE(bad, 20);
  EXPECT_EQ(files_in("farm"), 30u);
}

TEST_F(Nightly, an_alarm_of_a_killed_night_is_reported_by_the_next_night) {
  std::map<int, Ended> nights;
  for (int i = 0; i < 45; ++i) {
    prepare_slow(i);
    if (i == 42)
      killed_night(i);
    else
      nights[i] = night(i);
  }
  EXPECT_THAT(nights_with(nights, 3), ElementsAre(43));
}

// Its times are there for every third night. It is slower from night 60 on.
TEST_F(Nightly, a_benchmark_that_takes_turns_has_its_alarm_in_a_night_that_measured_it) {
  environment_.bisect = [](const std::string&) { return culprit(60); };
  std::map<int, Ended> nights;
  for (int i = 0; i < 90; ++i) {
    Times times{{"shelf/a/store", 100 * std::exp(0.01 * noise_(random_))}};
    const bool turn = i % 3 == 0;
    if (turn) times["shelf/b/store"] = 100 * std::exp(0.01 * noise_(random_)) * (i >= 60 ? 2 : 1);
    prepare(i, times);
    if (!turn) environment_.next->session.waiting = {{"shelf/b/store", std::nullopt}};
    nights[i] = night(i);
    const std::string waits = "; 1 benchmark waits for another night";
    EXPECT_EQ(nights[i].line.find(waits) == std::string::npos, turn) << nights[i].line;
  }
  const std::vector<int> alarms = nights_with(nights, 3);
  ASSERT_EQ(alarms.size(), 1u);
  EXPECT_GE(alarms[0], 63);
  EXPECT_EQ(alarms[0] % 3, 0);
  EXPECT_THAT(nights[alarms[0]].line, HasSubstr("shelf/b/store +"));
  prepare(90, {{"shelf/a/store", 100}});
  environment_.next->session.waiting = {{"shelf/b/store", std::nullopt}};
  EXPECT_EQ(night(90).status, 0);
  EXPECT_THAT(newest("junit.xml"), HasSubstr("waits for another night"));
}

TEST_F(Nightly, a_change_before_the_first_night_is_no_alarm) {
  for (int i = 0; i < 44; ++i) {
    prepare_slow(i);
    environment_.store(*environment_.next);
  }
  prepare_slow(44);
  EXPECT_EQ(night(44).status, 0);
  EXPECT_THAT(environment_.calls("bisect"), IsEmpty());
  ASSERT_EQ(state().size(), 1u);
  EXPECT_EQ(state()[0].session, "0040");
  EXPECT_EQ(state()[0].bisect->reason, "from before the first night");
}

TEST_F(Nightly, an_alarm_that_is_over_is_told_once) {
  slow_nights(50);
  Strings told;
  for (int i = 50; i < 62; ++i) {
    prepare(i, {{"shelf/a/store", 100 * std::exp(0.01 * noise_(random_))}});
    night(i);
    for (const std::string& line : environment_.said)
      if (line.find("back to normal") != std::string::npos || line.find("improved") != std::string::npos)
        told.push_back(line.substr(0, line.find(" in 0")));
  }
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(told[0], HasSubstr("shelf/a/store is back to normal since 20"));
  EXPECT_THAT(told[1], HasSubstr("shelf/a/store improved by -"));
}

TEST_F(Nightly, what_was_over_before_the_first_night_is_not_told) {
  for (int i = 0; i < 70; ++i) {
    prepare(i, {{"shelf/a/store", 100 * std::exp(0.01 * noise_(random_)) * (i >= 30 && i < 50 ? 2 : 1)}});
    if (i < 66)
      environment_.store(*environment_.next);
    else
      night(i);
    for (const std::string& line : environment_.said) EXPECT_EQ(line.find("back to normal"), std::string::npos) << line;
  }
}

TEST_F(Nightly, a_bisect_without_an_answer_continues_the_next_night_and_its_answer_is_reported) {
  environment_.bisect = [](const std::string&) {
    return VerbOutcome{1, R"({"culprit": null, "probability": 0.5, "answer": "undecided"})"};
  };
  EXPECT_THAT(slow_nights(43)[42].line,
              ContainsRegex("^nightly: regression: 1 slower: .*, bisect undecided, try 1 of 5; "
                            "0 others without a new regression"));
  environment_.bisect = [](const std::string&) { return VerbOutcome{2, ""}; };
  EXPECT_THAT(
      slow_night(43).line,
      ContainsRegex("^nightly: fine: 1 without a new regression; already reported: .*, bisect failed: harness bisect "
                    "ended with exit status 2, try 2 of 5; 1 bisect unfinished; "));
  environment_.bisect = [](const std::string&) { return culprit(40); };
  const std::string found = slow_night(44).line;
  EXPECT_THAT(found, HasSubstr("already reported: shelf/a/store +"));
  EXPECT_THAT(found, HasSubstr(", culprit 000000000029 (99.0 %); "));
  EXPECT_THAT(slow_night(45).line, Not(HasSubstr("already reported")));
  EXPECT_EQ(environment_.calls("bisect").size(), 3u);
}

TEST_F(Nightly, the_least_tried_bisect_goes_first) {
  std::vector<results::Alarm> alarms;
  for (const auto& [name, tries] : {std::pair("a", 1), {"b", 0}, {"c", 0}, {"d", 5}}) {
    alarms.push_back(alarm(name, 2, 1));
    alarms.back().reported = true;
    alarms.back().tries = tries;
  }
  put_state(alarms);
  prepare(0, {{"shelf/a/store", 100}});
  night(0);
  EXPECT_THAT(bisect_calls(), ElementsAre("0 1 b", "0 1 c", "0 1 a"));
}

TEST_F(Nightly, a_change_between_equal_commits_is_not_bisected) {
  put_state({alarm("a", 2, 0)});
  prepare(0, {{"shelf/a/store", 100}});
  EXPECT_THAT(night(0).line, HasSubstr("bisect: one commit on both sides"));
  EXPECT_THAT(environment_.calls("bisect"), IsEmpty());
}

TEST_F(Nightly, benchmarks_slowed_by_one_commit_are_bisected_once_and_reported_together) {
  environment_.bisect = [](const std::string&) { return culprit(4, 0.99, 1.05); };
  EXPECT_THAT(two_alarms(), HasSubstr("2 slower: shelf/b/store +20.00 %, shelf/a/store +5.00 %, culprit 000000000005 "
                                      "(99.0 %); "));
  EXPECT_THAT(bisect_calls(), ElementsAre("0 9 b", "3 4 a"));
}

TEST_F(Nightly, a_benchmark_not_slowed_by_another_alarms_culprit_gets_its_own_bisect) {
  const VerbOutcome none{0, R"({"answer": "none"})"}, undecided{0, R"({"answer": "undecided"})"};
  for (const VerbOutcome& pair : {none, undecided, culprit(4, 0.99, 0.97), culprit(4, 0.99, 1.01)}) {
    fs::remove_all(results_);
    fs::remove(root_.path() / "calls");
    pair_says(pair);
    EXPECT_EQ(count(two_alarms(), "culprit"), 2u);
    EXPECT_THAT(bisect_calls(), ElementsAre("0 9 b", "3 4 a", "0 8 a"));
    EXPECT_EQ(state()[0].bisect->culprit, commit_of(6));
    EXPECT_EQ(state()[1].bisect->culprit, commit_of(4));
  }
}

TEST_F(Nightly, a_culprit_check_is_repeated_only_if_it_could_not_be_measured) {
  const VerbOutcome failed{2, ""}, undecided{1, R"({"answer": "undecided"})"};
  for (const auto& [pair, more] : {std::pair{failed, Strings{"3 4 a", "0 8 a"}}, {undecided, Strings{"0 8 a"}}}) {
    fs::remove_all(results_);
    fs::remove(root_.path() / "calls");
    pair_says(pair, undecided);
    two_alarms();
    prepare(1, {{"shelf/a/store", 100}});
    night(1);
    Strings expected{"0 9 b", "3 4 a", "0 8 a"};
    expected.insert(expected.end(), more.begin(), more.end());
    EXPECT_EQ(bisect_calls(), expected);
  }
}

TEST_F(Nightly, a_culprit_check_uses_a_share_of_the_time_and_no_bisect_starts_with_too_little) {
  pair_says({0, R"({"answer": "none"})"});
  environment_.bisect_seconds = 480;
  const std::string line = two_alarms({.budget_seconds = 1000});
  const Strings bisects = environment_.calls("bisect");
  ASSERT_EQ(bisects.size(), 2u);
  EXPECT_THAT(bisects[0], HasSubstr("--budget 1000 "));
  EXPECT_THAT(bisects[1], HasSubstr("--budget 130 "));
  EXPECT_THAT(line, HasSubstr("shelf/a/store +5.00 % in"));
  EXPECT_THAT(line, HasSubstr("bisect cut off, try 1 of 5"));
  EXPECT_THAT(environment_.said,
              ElementsAre("nightly: no time is left to bisect shelf/a/store: the next night continues"));
}

TEST_F(Nightly, a_bisect_that_fails_every_night_is_given_up) {
  environment_.bisect = [](const std::string&) { return VerbOutcome{1, ""}; };
  slow_nights(43);
  Strings lines;
  for (int i = 43; i <= 48; ++i) lines.push_back(slow_night(i).line);
  EXPECT_EQ(environment_.calls("bisect").size(), static_cast<std::size_t>(judge::kMostTries));
  EXPECT_THAT(lines[3], HasSubstr("bisect ended with exit status 1, given up"));
  EXPECT_THAT(lines[4], Not(HasSubstr("already reported")));
  EXPECT_THAT(lines[4], Not(HasSubstr("another night")));
}

TEST_F(Nightly, after_a_kill_during_a_bisect_the_next_night_reports_the_alarm_and_continues_the_bisect) {
  environment_.bisect = [](const std::string&) { return culprit(40); };
  slow_nights(42);
  prepare_slow(42);
  killed_night(42, "bisect");
  const Ended ended = slow_night(43);
  EXPECT_EQ(ended.status, 3) << ended.line;
  EXPECT_THAT(ended.line, HasSubstr("culprit 000000000029"));
  EXPECT_EQ(environment_.calls("bisect").size(), 2u);
}

TEST_F(Nightly, a_night_ignores_another_machines_alarms) {
  environment_.bisect = [](const std::string&) { return VerbOutcome{1, ""}; };
  slow_nights(43);
  EXPECT_EQ(environment_.calls("bisect").size(), 1u);
  prepare(43, {{"shelf/a/store", 200}});
  environment_.next->machine.id = "mill";
  EXPECT_EQ(night(43).status, 0);
  EXPECT_EQ(environment_.calls("bisect").size(), 1u);
}

TEST_F(Nightly, the_exit_status_and_the_summary_report_the_verdict) {
  const results::Failure failure{"shelf/b/store", 0, 0, "crash", "signal 11 & <more>", ""};
  const auto fails = [&](results::Result& result) { result.failures = {failure}; };
  const auto is_dirty = [](results::Result& result) { result.source = {commit_of(0), true, "dirty"}; };
  const std::string left_out = "history omits this session: dirty source; commit the changes or revert them";
  const std::vector<std::tuple<std::function<void(results::Result&)>, int, std::string>> table{
      {[](results::Result&) {}, 0, "fine: 1 too young to tell (19 more nights)"},
      {fails, 1, "failed: 1 failed: shelf/b/store"},
      {is_dirty, 4, "unfit: " + left_out},
      {[&](results::Result& result) { is_dirty(result), fails(result); }, 1,
       "failed: 1 failed: shelf/b/store; " + left_out},
      {[](results::Result& result) { result.processes.clear(); }, 1, "failed: nothing ran"}};
  int number = 0;
  for (const auto& [change, status, line] : table) {
    prepare(number, {{"shelf/a/store", 100}});
    change(*environment_.next);
    const Ended ended = night(number++);
    EXPECT_EQ(ended.status, status) << ended.line;
    EXPECT_THAT(ended.line, StartsWith(fmt::format("nightly: {}; ", line)));
  }
  EXPECT_EQ(night(9).line, "nightly: failed: no result; under a second");
}

TEST_F(Nightly, a_night_with_failed_processes_or_without_a_report_is_not_fine) {
  class NoReport : public FakeEnvironment {
   public:
    using FakeEnvironment::FakeEnvironment;
    Expected<VerbOutcome> run_verb(const std::string& verb, const Strings& arguments) override {
      if (verb == "report") return VerbOutcome{2, ""};
      return FakeEnvironment::run_verb(verb, arguments);
    }
  } environment(root_);
  environment.next = result_of(0, {{"shelf/a/store", 100}});
  std::string line;
  const NightRequest request{.results = results_};
  EXPECT_EQ(*run_night(request, environment, [&](const NightSummary& summary) { line = summary.line; }),
            ExitStatus::kFailed);
  EXPECT_EQ(line,
            "nightly: failed: 1 too young to tell (19 more nights); the session or its report failed; under a second");
  EXPECT_THAT(environment.said, ElementsAre("nightly: no report: harness report ended with exit status 2"));
}

TEST_F(Nightly, whose_table_of_changes_crashes_is_not_fine_and_the_file_says_why) {
  const std::string end = "harness history ended with signal 11 (Segmentation fault)";
  environment_.history = {"", end};
  prepare(0, {{"shelf/a/store", 100}});
  const Ended ended = night(0);
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.line, StartsWith("nightly: failed: 1 too young to tell (19 more nights); the table of changes "
                                     "failed; "));
  EXPECT_THAT(environment_.said, ElementsAre("nightly: no table of changes: " + end));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(results_ / "nightly/farm"))
    if (entry.path().filename() == "history.txt") {
      EXPECT_EQ(*read_file(entry.path()), end + "\n");
    }
}

TEST_F(Nightly, a_verb_that_a_signal_ends_is_named_with_it) {
  class Killed : public FakeEnvironment {
   public:
    using FakeEnvironment::FakeEnvironment;
    Expected<VerbOutcome> run_verb(const std::string&, const Strings&) override { return VerbOutcome{-9, ""}; }
  } environment(root_);
  std::string line;
  const NightRequest request{.results = results_};
  EXPECT_EQ(*run_night(request, environment, [&](const NightSummary& summary) { line = summary.line; }),
            ExitStatus::kFailed);
  EXPECT_THAT(line, StartsWith("nightly: failed: harness run ended with signal 9 (Killed); "));
}

TEST_F(Nightly, an_interrupted_verb_ends_the_night_without_a_summary) {
  environment_.bisect = [](const std::string&) { return VerbOutcome{130, ""}; };
  put_state({alarm("a", 2, 4)});
  prepare(0, {{"shelf/a/store", 100}});
  const NightRequest request{.results = results_};
  const Expected<ExitStatus> ended = run_night(request, environment_, [](const NightSummary&) { FAIL(); });
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().status, ExitStatus::kInterrupted);
  EXPECT_FALSE(state()[0].reported);
  EXPECT_EQ(state()[0].tries, 1);
}

TEST_F(Nightly, unusual_conditions_are_in_the_summary_and_in_junit) {
  const std::map<int, std::string> table{{0, ""},
                                         {2, "; unusual: load 0; load 1"},
                                         {6, "; unusual: load 2; load 3; load 4; load 5; and 2 more in junit.xml"}};
  int number = 0;
  for (const auto& [unusual, text] : table) {
    prepare(number, {{"shelf/a/store", 100}});
    for (int i = 0; i < unusual; ++i) environment_.next->session.unusual.push_back(fmt::format("load {}: stop it", i));
    const std::string line = night(number++).line;
    EXPECT_THAT(line, HasSubstr(fmt::format("more nights){}; ", text)));
    EXPECT_THAT(line, Not(HasSubstr("stop it")));
    EXPECT_EQ(count(newest("junit.xml"), "<property name=\"unusual\""), static_cast<std::size_t>(unusual));
  }
}

TEST_F(Nightly, a_disturbed_night_is_unfit_and_the_next_one_fine) {
  std::uniform_real_distribution<double> slower(1.5, 10.7);
  const auto is_ruined = [](int night) { return night == 6 || night == 12; };
  farm(
      4, 14,
      [&](int night, Times& times) {
        int i = 0;
        for (auto& [name, time] : times)
          if (is_ruined(night) && i++ % 2 == 1) time *= slower(random_);
      },
      [&](int night, const Ended& ended) {
        EXPECT_EQ(ended.status, is_ruined(night) ? 4 : 0) << ended.line;
        if (!is_ruined(night)) {
          EXPECT_THAT(ended.line, HasSubstr(fmt::format("fine: 35 too young to tell ({} more nights)", 19 - night)));
          return;
        }
        EXPECT_THAT(
            ended.line,
            ContainsRegex("^nightly: unfit: 1[67] of 35 benchmarks have unusual times [(]1[67] slower, 0 faster[)]; "
                          "a second such night is judged as a new level. In the first 15 nights of a series no change "
                          "is found: "));
        EXPECT_EQ(count(newest("junit.xml"), "<skipped"), 36u);
      });
}

TEST_F(Nightly, an_unfit_session_is_measured_again_once_if_there_is_time) {
  const auto disturb = [](results::Result& result) {
    for (int block = 0; block < 10; ++block) result.session.disturbances.push_back({block, 10, 16.4, 0});
    result.session.wall_seconds = 600;
  };
  const auto prepare_disturbed = [&](int number, bool also_again) {
    prepare(number, {{"shelf/a/store", 100}});
    environment_.next_again = environment_.next;
    environment_.next_again->session.id += "-again";
    disturb(*environment_.next);
    if (also_again) disturb(*environment_.next_again);
  };
  prepare_disturbed(0, false);
  const Ended fine = night(0, {.budget_seconds = 900});
  EXPECT_EQ(fine.status, 0) << fine.line;
  EXPECT_THAT(environment_.calls("run"), ElementsAre("run --fixed --budget 600", "run --fixed --budget 900"));
  EXPECT_THAT(environment_.said, testing::Contains(StartsWith("nightly: measured again: unfit: other processes used")));
  prepare_disturbed(1, true);
  EXPECT_EQ(night(1).status, 4);
  EXPECT_THAT(environment_.calls("run"), testing::SizeIs(4));
  prepare_disturbed(2, false);
  environment_.next->session.wall_seconds = 3000;
  EXPECT_EQ(night(2, {.budget_seconds = 900}).status, 4) << "900 s are too few after a session of 3,000 s";
  EXPECT_THAT(environment_.calls("run"), testing::SizeIs(5));
}

TEST_F(Nightly, alarms_of_disturbed_nights_are_reported_only_if_they_last) {
  std::uniform_real_distribution<double> slower(1.5, 10.7);
  const std::map<int, Ended> nights = farm(28, 36, [&](int night, Times& times) {
    int i = 0;
    for (auto& [name, time] : times) {
      if (night >= 30 && night <= 32 && i >= 18) time *= slower(random_);
      if (night >= 30 && i == 3) time *= 1.5;
      ++i;
    }
  });
  EXPECT_THAT(nights_with(nights, 4), ElementsAre(30, 31, 32));
  EXPECT_THAT(nights_with(nights, 3), ElementsAre(33)) << nights.at(34).line;
  EXPECT_THAT(nights.at(33).line, HasSubstr("nightly: regression: 1 slower: shelf/v03/store +"));
}

TEST_F(Nightly, a_permanent_slowdown_of_everything_is_unfit_once_and_then_reported) {
  const std::map<int, Ended> nights = farm(28, 37, [](int night, Times& times) {
    for (auto& [name, time] : times) time *= night >= 30 ? 1.5 : 1;
  });
  EXPECT_THAT(nights_with(nights, 4), ElementsAre(30));
  EXPECT_THAT(nights.at(31).line,
              ContainsRegex("^nightly: fine: 35 without a new regression; 3[0-9] of 35 benchmarks have the same "
                            "unusual times as last night; history will judge them within 4 nights; "));
  int slower = 0;
  for (const int night : nights_with(nights, 3))
    slower += std::stoi(nights.at(night).line.substr(std::string("nightly: regression: ").size()));
  EXPECT_EQ(slower, 35);
  EXPECT_THAT(nights.at(nights_with(nights, 3).back()).line,
              ContainsRegex("3[0-9] of 35 benchmarks changed at once: code or machine"));
}

TEST_F(Nightly, a_disturbed_farm_gets_advice_every_night_and_no_alarms) {
  for (int number = 0; number < 3; ++number) {
    prepare(number, {{"shelf/a/store", 100}});
    for (int block = 0; block < 10; ++block)
      environment_.next->session.disturbances.push_back({block, 10, block < 9 ? 16.4 : 0, 0});
    const Ended ended = night(number);
    EXPECT_EQ(ended.status, 4);
    EXPECT_THAT(ended.line, StartsWith("nightly: unfit: other processes used 1.64 CPUs in 9 of 10 blocks, 90 % of the "
                                       "time; 10 % of a CPU is the limit; "
                                       "measure when nothing else runs, or on a dedicated machine; "));
    EXPECT_EQ(count(newest("junit.xml"), "<skipped"), 2u);
  }
  EXPECT_THAT(environment_.calls("bisect"), IsEmpty());
  prepare(3, {{"shelf/a/store", 100}});
  EXPECT_THAT(night(3).line, HasSubstr("fine: 1 too young to tell (19 more nights); "));  // those are in no series
}

TEST_F(Nightly, a_night_writes_a_report_a_history_and_junit_and_removes_the_oldest) {
  for (int number = 0; number < 4; ++number) {
    prepare(number, {{"shelf/a/store", 100}});
    const Ended ended = night(number, {.keep = 2});
    EXPECT_EQ(ended.status, 0);
    EXPECT_THAT(ended.line, EndsWith("/index.html"));
  }
  std::set<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(results_ / "nightly/farm"))
    if (entry.is_regular_file()) files.insert(fs::relative(entry.path(), results_ / "nightly/farm").string());
  EXPECT_THAT(files, ElementsAre("20260803T230000Z/history.txt", "20260803T230000Z/index.html",
                                 "20260803T230000Z/junit.xml", "20260804T230000Z/history.txt",
                                 "20260804T230000Z/index.html", "20260804T230000Z/junit.xml", "lock", "state.json"));
  EXPECT_EQ(newest("history.txt"), "machine farm: ...\n");
  EXPECT_EQ(files_in("farm"), 4u);
}

TEST_F(Nightly, backfill_measures_newer_commits_the_oldest_first_and_omits_those_that_do_not_build) {
  for (const int earlier : {2, 3})
    environment_.earlier[commit_of(earlier)] = result_of(earlier, {{"shelf/a/store", 100}});
  night(4, {.budget_seconds = 1200, .backfill = 3});
  EXPECT_THAT(environment_.calls("run"),
              ElementsAre(fmt::format("run --revision {} --fixed --budget 200", commit_of(1)),
                          fmt::format("run --revision {} --fixed --budget 233", commit_of(2)),
                          fmt::format("run --revision {} --fixed --budget 300", commit_of(3)),
                          "run --fixed --budget 500"));  // and 400 to bisect
  EXPECT_THAT(environment_.said, testing::Contains("nightly: 000000000002 is omitted"));
  fs::remove(root_.path() / "calls");
  prepare(6, {{"shelf/a/store", 100}});
  night(6, {.backfill = 9});
  EXPECT_THAT(environment_.calls("run"),
              ElementsAre(fmt::format("run --revision {} --fixed --quick", commit_of(4)),
                          fmt::format("run --revision {} --fixed --quick", commit_of(5)), "run --fixed"));
  EXPECT_THAT(environment_.said,
              testing::Contains(StartsWith("nightly: git has only 6 earlier commits, expected 9; in a shallow clone")));
}

TEST_F(Nightly, backfill_omits_commits_for_which_the_budget_has_no_time) {
  prepare(4, {{"shelf/a/store", 100}});
  night(4, {.budget_seconds = 300, .backfill = 3});
  EXPECT_THAT(environment_.calls("run"), ElementsAre("run --fixed --budget 200"));
  EXPECT_THAT(environment_.said, ElementsAre("nightly: no time is left for 3 earlier commits; use a larger --budget"));
}

TEST_F(Nightly, build_time_of_the_backfill_does_not_reduce_tonights_share) {
  prepare(4, {{"shelf/a/store", 100}});
  environment_.earlier_seconds = 900;
  night(4, {.budget_seconds = 1800, .backfill = 3});
  EXPECT_THAT(
      environment_.calls("run"),
      ElementsAre(fmt::format("run --revision {} --fixed --budget 300", commit_of(1)), "run --fixed --budget 300"));
  EXPECT_THAT(environment_.said, testing::Contains(HasSubstr("no time is left for 2 earlier commits")));
}

TEST_F(Nightly, nothing_is_measured_if_the_build_or_backfill_used_the_budget) {
  environment_.earlier_seconds = 1800;
  const Ended earlier = night(4, {.budget_seconds = 1800, .backfill = 3});
  EXPECT_EQ(earlier.status, 1);
  EXPECT_EQ(earlier.line,
            "nightly: failed: building and earlier commits used all of the 30 min; nothing was measured; 30 min");
  fs::remove(root_.path() / "calls");
  const Ended building = night(0, {.budget_seconds = 600, .spent_seconds = 1200});
  EXPECT_EQ(building.status, 1);
  EXPECT_EQ(building.line, "nightly: failed: building used all of the 10 min; nothing was measured; 20 min");
  EXPECT_THAT(environment_.calls("run"), IsEmpty());
}

TEST_F(Nightly, the_build_time_is_part_of_the_budget) {
  prepare(0, {{"shelf/a/store", 100}});
  EXPECT_THAT(night(0, {.budget_seconds = 1200, .spent_seconds = 300}).line, HasSubstr("; 5 min; "));
  EXPECT_THAT(environment_.calls("run"), ElementsAre("run --fixed --budget 600"));
}

TEST_F(Nightly, backfill_depends_on_this_machines_results) {
  prepare(5, {{"shelf/a/store", 100}});
  environment_.next->machine.id = "mill";
  night(5);
  prepare(6, {{"shelf/a/store", 100}});
  night(6, {.backfill = 3});
  EXPECT_THAT(environment_.calls("run --revision"),
              ElementsAre(HasSubstr(commit_of(3)), HasSubstr(commit_of(4)), HasSubstr(commit_of(5))));
}

TEST_F(Nightly, backfill_stops_at_a_measured_commit) {
  prepare(4, {{"shelf/a/store", 100}});
  night(4, {.budget_seconds = 200, .backfill = 3});
  night(4, {.backfill = 3});
  EXPECT_THAT(environment_.calls("run"), ElementsAre("run --fixed --budget 133", "run --fixed"));
}

TEST_F(Nightly, without_git_only_the_backfill_is_omitted) {
  environment_.git = Error{"git: No such file or directory", ""};
  prepare(5, {{"shelf/a/store", 100}});
  EXPECT_EQ(night(5, {.backfill = 3}).status, 0);
  EXPECT_THAT(environment_.said, ElementsAre("nightly: no backfill: git: No such file or directory"));
  EXPECT_THAT(environment_.calls("run"), ElementsAre("run --fixed"));
}

TEST_F(Nightly, a_machine_without_a_name_of_its_own_measures_nothing) {
  environment_.id = Error{"LAB_MACHINE: 'nightly' is no machine", ""};
  prepare(4, {{"shelf/a/store", 100}});
  const Ended ended = night(4);
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.line, "nightly: failed: LAB_MACHINE: 'nightly' is no machine");
  environment_.id = std::string("farm");
  const Expected<File> other = lock_file(results_ / "nightly/farm/lock", LockKind::kExclusive);
  EXPECT_EQ(night(4).line, "nightly: failed: another nightly run measures as 'farm'");
  EXPECT_THAT(environment_.said, ElementsAre("harness: error: another nightly run measures as 'farm'",
                                             "hint: give each host a name of its own with LAB_MACHINE"));
  EXPECT_THAT(environment_.calls("run"), IsEmpty());
}

TEST_F(Nightly, delivers_after_the_session_whatever_its_verdict_and_fails_if_that_fails) {
  const NightRequest to{.deliver_to = "ssh:collector:lab"};
  prepare(0, {{"shelf/a/store", 100}});
  EXPECT_EQ(night(0, to).status, 0);
  EXPECT_THAT(environment_.calls("deliver"), ElementsAre("deliver --to ssh:collector:lab"));
  environment_.delivery = {1, ""};
  prepare(1, {{"shelf/a/store", 100}});
  const Ended undelivered = night(1, to);
  EXPECT_EQ(undelivered.status, 1);
  EXPECT_THAT(undelivered.line, ContainsRegex("^nightly: failed: .*; not delivered; "));
  environment_.delivery = {-SIGKILL, ""};
  prepare(2, {{"shelf/a/store", 100}});
  EXPECT_EQ(night(2, to).status, 1);
  EXPECT_THAT(environment_.said, Contains(HasSubstr("harness deliver ended with signal 9")));
  // What earlier nights left is delivered also by a night that measured nothing.
  EXPECT_EQ(night(3, to).status, 1);
  EXPECT_THAT(environment_.calls("deliver"), testing::SizeIs(4));
}

TEST_F(Nightly, tells_others_once_of_a_regression_and_that_it_is_over) {
  const fs::path inbox = root_.path() / "inbox";
  NightRequest to{.notify = NotifyRequest{"cat >> " + inbox.string(), "https://lab.example"}};
  const auto told = [&] {
    Strings all;
    const Expected<std::string> text = read_file(inbox);
    std::istringstream lines(text ? *text : "");
    for (std::string line; std::getline(lines, line);) {
      const boost::json::object one = boost::json::parse(line).as_object();
      all.push_back(fmt::format("{} {} {}", std::string(one.at("kind").as_string()),
                                std::string(one.at("when").as_string()), std::string(one.at("address").as_string())));
    }
    fs::remove(inbox);
    return all;
  };
  for (int i = 0; i < 42; ++i) {
    prepare_slow(i);
    night(i, to);
  }
  EXPECT_THAT(told(), IsEmpty());
  NightRequest failing = to;
  failing.notify->command = "exit 5";
  prepare_slow(42);
  const Ended found = night(42, failing);
  EXPECT_EQ(found.status, 3);
  EXPECT_THAT(found.line, HasSubstr("; not all told; "));
  EXPECT_THAT(environment_.said, Contains(HasSubstr("nightly: --notify: 1 of 1 notice not told")));
  prepare_slow(43);
  EXPECT_EQ(night(43, failing).status, 1) << "a night that is fine says that it could not tell";
  prepare_slow(44);
  EXPECT_EQ(night(44, to).status, 0);
  EXPECT_THAT(told(), ElementsAre("alarm " + judge::fixture_started(40) + " https://lab.example/machine?id=farm"));
  for (int i = 45; i < 60; ++i) {
    prepare(i, {{"shelf/a/store", 100 * std::exp(0.01 * noise_(random_))}});
    night(i, to);
  }
  EXPECT_THAT(told(), ElementsAre("recovery " + judge::fixture_started(45) + " https://lab.example/machine?id=farm"));
}

TEST_F(Nightly, tells_others_nothing_of_what_was_reported_before_the_first_call) {
  slow_nights(46);
  const fs::path inbox = root_.path() / "inbox";
  prepare_slow(46);
  night(46, {.notify = NotifyRequest{"cat >> " + inbox.string()}});
  EXPECT_FALSE(fs::exists(inbox));
}

TEST_F(Nightly, has_a_summary_for_scripts) {
  slow_nights(43);
  EXPECT_EQ(summary_.machine, "farm");
  ASSERT_EQ(summary_.regressions.size(), 1u);
  ASSERT_EQ(summary_.sessions.size(), 1u);
  const fs::path report = results_ / "nightly/farm" / summary_.report.parent_path().filename();
  summary_.seconds = 600;
  summary_.regressions[0].ratio = 2;
  summary_.regressions[0].low = summary_.regressions[0].high = std::nullopt;
  summary_.line = "nightly: regression: \x1b\xe2\x80\xae";
  EXPECT_EQ(
      night_json(summary_),
      fmt::format(R"({{"verdict":"regression","status":3,"line":"nightly: regression: ????","machine":"farm",)"
                  R"("regressions":[{{"benchmark":"shelf/a/store","version":2,"session":"0040","ratio":2,"low":null,)"
                  R"("high":null,"commits":{{"from":"{0}","to":"{1}"}},"culprit":null,"doubt":null,"ended":null,)"
                  R"("withdrawn":null}}],"recoveries":[],"unfit":[],"sessions":["{2}/0042.json"],)"
                  R"("report":"{3}/index.html","history":"{3}/history.txt","junit":"{3}/junit.xml","seconds":600}})",
                  commit_of(39), commit_of(40), (results_ / "farm").string(), report.string()));
  environment_.id = Error{"no machine", ""};
  night(44);
  EXPECT_EQ(night_json(summary_),
            R"({"verdict":"failed","status":1,"line":"nightly: failed: no machine","machine":null,"regressions":[],)"
            R"("recoveries":[],"unfit":[],"sessions":[],"report":null,"history":null,"junit":null,"seconds":0})");
}

TEST_F(Nightly, of_eight_machines_in_one_folder_at_once_has_each_its_own_verdict) {
  std::vector<pid_t> children;
  for (int i = 0; i < 8; ++i) {
    const std::string machine = fmt::format("farm-{}", i);
    const auto session = [&](int number) {
      const double slower = i % 2 == 1 && number >= 40 ? 2 : 1;
      results::Result result = result_of(number, {{"shelf/a/store", 100 * std::exp(0.01 * noise_(random_)) * slower}});
      result.machine.id = result.machine.name = result.context.host_name = machine;
      return result;
    };
    for (int number = 0; number < 40; ++number) environment_.store(session(number));
    std::vector<results::Result> sessions;
    for (int number = 40; number < 45; ++number) sessions.push_back(session(number));
    const pid_t child = ::fork();
    if (child == 0) {
      environment_.id = machine;
      std::map<int, int> verdicts;
      for (int number = 40; number < 45; ++number) {
        environment_.next = sessions[static_cast<std::size_t>(number - 40)];
        ++verdicts[night(number).status];
      }
      ::_exit(verdicts[0] + verdicts[3] == 5 ? verdicts[3] : 9);
    }
    children.push_back(child);
  }
  Strings regressions;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    regressions.push_back(WIFEXITED(status) ? fmt::format("{} nights", WEXITSTATUS(status)) : "killed");
  }
  EXPECT_THAT(regressions, ElementsAre("0 nights", "1 nights", "0 nights", "1 nights", "0 nights", "1 nights",
                                       "0 nights", "1 nights"));
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(files_in(fmt::format("farm-{}", i)), 45u);
    EXPECT_TRUE(fs::exists(results_ / fmt::format("nightly/farm-{}/state.json", i)));
  }
}

TEST_F(Nightly, takes_its_own_alarms_from_the_state_that_all_machines_had) {
  std::vector<results::Alarm> all{alarm("a", 1.05, 8), alarm("b", 1.2, 9)};
  all[1].machine = "another";
  EXPECT_TRUE(write_file(results_ / "nightly/state.json", results::serialize(all)));
  prepare(0, {{"shelf/a/store", 100}});
  night(0);
  const std::vector<results::Alarm> kept = state();
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].benchmark, "shelf/a/store");
  EXPECT_EQ(results::parse_alarms(*read_file(results_ / "nightly/state.json"), "state")->size(), 2u)
      << "the other machine's";
}

TEST_F(Nightly, a_night_fails_on_unreadable_results_and_keeps_its_session_and_report) {
  fs::create_directories(results_);
  fs::create_symlink("mill", results_ / "mill");  // leads nowhere
  prepare(0, {{"shelf/a/store", 100}});
  const Ended ended = night(0);
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.line, ContainsRegex("^nightly: failed: .*mill.*; under a second; .*/index.html$"));
  EXPECT_EQ(files_in("farm"), 1u);
}

TEST_F(Nightly, a_night_fails_with_one_sentence_if_the_state_cannot_be_written) {
  slow_nights(42);
  const fs::path temporary = results_ / "nightly/farm" / fmt::format("state.json.{}.part", ::getpid());
  fs::create_directories(temporary);
  prepare_slow(42);
  const Ended ended = night(42);
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.line, ContainsRegex("^nightly: failed: creating '.*state.json.*': Is a directory; "));
  fs::remove(temporary);
  EXPECT_EQ(slow_night(43).status, 3);
}

TEST_F(Nightly, an_alarm_missing_from_a_failed_nights_summary_is_reported_by_the_next_night) {
  slow_nights(42);
  prepare_slow(42);
  environment_.night = 42;
  std::string name = utc(environment_.now());
  std::erase_if(name, [](char c) { return c == '-' || c == ':'; });
  EXPECT_TRUE(write_file(results_ / "nightly/farm" / name, "in the report's place"));
  EXPECT_EQ(night(42).status, 1);
  EXPECT_EQ(slow_night(43).status, 3);
}

TEST_F(Nightly, an_unprinted_summary_reports_no_alarm) {
  slow_nights(42);
  prepare_slow(42);
  environment_.night = 42;
  const NightRequest request{.results = results_};
  EXPECT_THROW(static_cast<void>(
                   run_night(request, environment_, [](const NightSummary&) { throw std::runtime_error("pipe"); })),
               std::runtime_error);
  EXPECT_EQ(slow_night(43).status, 3);
}

TEST_F(Nightly, an_unreadable_state_is_moved_aside) {
  for (const std::string_view text :
       {std::string_view(""), std::string_view("{}"), std::string_view("[]"), std::string_view("\0", 1),
        std::string_view(R"({"alarms": [{}]})"), std::string_view(R"({"alarms": [1]})")}) {
    EXPECT_TRUE(write_file(results_ / "nightly/farm/state.json", text));
    prepare(0, {{"shelf/a/store", 100}});
    EXPECT_EQ(night(0).status, 0) << text;
    EXPECT_THAT(environment_.said, ElementsAre(HasSubstr("is not a valid state")));
    EXPECT_EQ(*read_file(results_ / "nightly/farm/state.json.unreadable"), text);
  }
}

TEST_F(Nightly, a_state_of_a_newer_build_is_left_alone) {
  const std::string newer = R"({"version": 1000, "alarms": "in another form"})";
  EXPECT_TRUE(write_file(results_ / "nightly/farm/state.json", newer));
  prepare(0, {{"shelf/a/store", 100}});
  EXPECT_EQ(night(0).status, 1);
  EXPECT_THAT(environment_.said, Contains(HasSubstr("expected a state of version 2 or older, found version 1000")));
  EXPECT_EQ(*read_file(results_ / "nightly/farm/state.json"), newer);
}

namespace {

/// The real environment, with a script for the harness.
class RealEnvironment : public testing::Test {
 protected:
  void harness_is(const std::string& script) {
    root_.write("harness", "#!/bin/sh\n" + script);
    fs::permissions(root_.path() / "harness", fs::perms::all);
  }
  HarnessNightEnvironment::Paths paths(int lock = -1) const {
    return {root_.path() / "harness", root_.path(), root_.path() / "kept", lock};
  }

  ScratchFolder root_;
  Strings said_;
  std::function<void(std::string_view)> say_ = [this](std::string_view line) { said_.emplace_back(line); };
};

}  // namespace

TEST_F(RealEnvironment, a_verb_returns_its_status_and_last_line_and_prints_the_rest) {
  harness_is("echo \"$*\"; echo /a; echo \"$LAB_RESULTS\"; exit 1\n");
  HarnessNightEnvironment environment(paths(), say_);
  const Expected<VerbOutcome> outcome = environment.run_verb("run", {"--budget", "5"});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, 1);
  EXPECT_EQ(outcome->last_line, (root_.path() / "kept").string());
  EXPECT_THAT(said_, ElementsAre("run --budget 5", "/a"));
  harness_is("kill -9 $$\n");
  EXPECT_EQ(environment.run_verb("run", {})->status, -9);
  fs::remove(root_.path() / "harness");
  EXPECT_FALSE(environment.run_verb("run", {}));
}

TEST_F(RealEnvironment, the_history_has_its_remarks_and_errors_too_and_how_it_ended) {
  const std::string table = fmt::format("remark\nhistory --results {}\n", (root_.path() / "kept").string());
  for (const auto& [end, problem] : {std::pair{"exit 0", ""},
                                     {"exit 2", "harness history ended with exit status 2"},
                                     {"kill -SEGV $$", "harness history ended with signal 11 (Segmentation fault)"}}) {
    harness_is(fmt::format("ulimit -c 0; echo \"$*\"; echo remark >&2; {}\n", end));
    const HistoryText history = HarnessNightEnvironment(paths(), say_).history_text();
    EXPECT_EQ(history.text, table);
    EXPECT_EQ(history.problem, problem);
  }
  fs::remove(root_.path() / "harness");
  EXPECT_THAT(HarnessNightEnvironment(paths(), say_).history_text().problem, HasSubstr("could not be started"));
}

TEST_F(RealEnvironment, a_verb_that_prints_without_end_is_an_error) {
  harness_is("while :; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; done\n");
  const Expected<VerbOutcome> outcome = HarnessNightEnvironment(paths(), say_).run_verb("run", {});
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().what, StartsWith("harness run: more than "));
}

TEST_F(RealEnvironment, the_child_of_a_killed_night_holds_the_lock_until_it_ends) {
  harness_is(fmt::format("kill -9 $PPID; while [ -e {}/linger ]; do sleep 0.01; done\n", root_.path().string()));
  root_.write("linger", "");
  const fs::path lock = root_.path() / "lock";
  const pid_t child = ::fork();
  if (child == 0) {
    const Expected<File> held = lock_file(lock, LockKind::kExclusive);
    HarnessNightEnvironment environment(paths(held->get()), say_);
    static_cast<void>(environment.run_verb("run", {}));
    ::_exit(1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(lock_file(lock, LockKind::kTryExclusive)->get(), -1);
  fs::remove(root_.path() / "linger");
  EXPECT_GE(lock_file(lock, LockKind::kExclusive)->get(), 0);
}

TEST_F(RealEnvironment, an_interrupt_is_passed_to_the_verb_and_waits_for_it) {
  ::signal(SIGHUP, SIG_DFL);  // under nohup it is ignored, and the verb asked with SIGTERM
  // It cannot miss the signal: the night is interrupted by the verb itself, whose trap is set by then.
  harness_is("trap 'echo ended; exit 130' HUP; kill -TERM $PPID; while :; do sleep 0.01; done\n");
  HarnessNightEnvironment environment(paths(), say_);
  const Expected<VerbOutcome> outcome = environment.run_verb("run", {});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, 130);
  EXPECT_EQ(outcome->last_line, "ended");
  EXPECT_TRUE(environment.interrupted());
}

TEST_F(RealEnvironment, git_lists_the_commits_between_two) {
  SKIP_WITHOUT_PROGRAM("git");
  const auto git = [&](Strings words) {
    ChildSpec spec;
    spec.command = {"git", "-C", root_.path().string(), "-c", "user.name=a", "-c", "user.email=a@b"};
    spec.command.insert(spec.command.end(), words.begin(), words.end());
    std::string out = run_child(spec).output;
    return out.substr(0, out.find('\n'));
  };
  HarnessNightEnvironment environment(paths(), say_);
  git({"init", "--quiet"});
  Strings commits;
  for (int i = 0; i < 4; ++i) {
    git({"commit", "--quiet", "--allow-empty", "--message", "x"});
    commits.push_back(git({"rev-parse", "HEAD"}));
  }
  ASSERT_EQ(commits[3].size(), 40u);
  EXPECT_THAT(*environment.commits({commits[0] + ".." + commits[2]}), ElementsAre(commits[2], commits[1]));
  EXPECT_THAT(*environment.commits({"--max-count=2", "HEAD"}), ElementsAre(commits[3], commits[2]));
  EXPECT_THAT(environment.commits({"no-such-commit.." + commits[2]}).error().what, StartsWith("git rev-list: fatal: "));
}

}  // namespace lab::app
