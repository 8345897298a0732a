#include "harness/report/comparison_sentences.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/judge/compare.h"
#include "harness/judge/compare_fixture.h"
#include "harness/report/fitness_text.h"

namespace lab::report {

using judge::Comparison;
using judge::ComparisonRow;
using judge::Reason;
using judge::SessionMaker;
using judge::Verdict;
using results::kBase;
using results::kControl;
using results::kHead;
using results::Result;
using Lines = std::vector<std::string>;

namespace {

ComparisonRow row(Reason reason, bool tested = false) {
  ComparisonRow row;
  row.reason = reason;
  row.base_processes = row.head_processes = 20;
  if (tested) row.p = 1;
  return row;
}

/// A comparison of rows of these reasons.
Comparison of_rows(const std::vector<Reason>& reasons) {
  Comparison comparison;
  for (const Reason reason : reasons) comparison.rows.push_back(row(reason));
  return comparison;
}

}  // namespace

TEST(Sentence, counts_each_verdict_and_each_reason_not_to_judge) {
  EXPECT_EQ(sentence(*judge::compare_arms(judge::changed_session(), judge::at(0.015))),
            "Of 4 benchmarks 1 regressed, 1 improved, 1 unknown, 1 same; no exact metric changed.");
  EXPECT_EQ(sentence(of_rows({Reason::kIdentical})),
            "Of 1 benchmark 0 regressed, 0 improved, 0 unknown, 0 same, 1 has identical code and was not judged; no "
            "exact metric changed.");
  EXPECT_EQ(sentence(of_rows({Reason::kIdentical, Reason::kSeeds, Reason::kIdentical, Reason::kMachine})),
            "Of 4 benchmarks 0 regressed, 0 improved, 0 unknown, 0 same, 2 have identical code and were not judged, 1 "
            "ran with different seeds and was not judged, 1 ran on two machines and was not judged; no exact metric "
            "changed.");
}

TEST(Sentence, of_atlases_is_about_exact_metrics_alone) {
  Comparison comparison;
  comparison.exact_only = true;
  EXPECT_EQ(sentence(comparison), "no exact metric changed.");
  comparison.exact = {{"lavapipe-1", "image 64x64 size", "4096", "8192", true}};
  EXPECT_EQ(sentence(comparison), "1 exact metric changed, 1 of them for the worse.");
  comparison.exact.push_back({"lavapipe-1", "heap 0", "1", "2", false});
  EXPECT_EQ(sentence(comparison), "2 exact metrics changed, 1 of them for the worse.");
}

TEST(Sentence, gives_the_reason_for_no_verdict) {
  const Result session = SessionMaker().session(3, 20, {kBase, kHead, kControl}, [](int row, std::string_view arm) {
    return arm == kControl ? 1.05 : row == 1 && arm == kHead ? 1.1 : 1;
  });
  EXPECT_EQ(sentence(*judge::compare_arms(session, {})),
            fmt::format("No verdict, {}; no exact metric changed.", control_sentence(judge::judge_control(session))));
}

TEST(UnfitSentences, name_the_session_if_there_are_two) {
  Result session =
      SessionMaker().session(3, 20, {kBase, kHead}, [](int, std::string_view arm) { return arm == kHead ? 1.1 : 1; });
  for (int block = 0; block < 20; ++block)
    session.session.disturbances.push_back({block, 10, block < 15 ? 16.4 : 0.1, 0});
  const std::string why =
      "other processes used 1.64 CPUs in 15 of 20 blocks, 75 % of the time; 10 % of a CPU is the limit";
  EXPECT_EQ(unfit_sentences(*judge::compare_arms(session, {})), Lines{});
  const Comparison two = *judge::compare_sessions(SessionMaker(2).session(3, 8, {kHead}), session, {});
  EXPECT_EQ(unfit_sentences(two), Lines{"head unfit: " + why});
}

TEST(DisturbedSentences, name_the_session_if_there_are_two) {
  Result session = SessionMaker().session(3, 20, {kBase, kHead});
  for (int block = 0; block < 20; ++block)
    session.session.disturbances.push_back({block, 10, block < 5 ? 16.4 : 0.1, 0});
  const std::string what =
      "other processes used 1.64 CPUs in 5 of 20 blocks, 25 % of the time; 10 % of a CPU is the limit; these blocks "
      "are set aside";
  EXPECT_EQ(disturbed_sentences(*judge::compare_arms(session, {})), Lines{what});
  const Result quiet = SessionMaker(2).session(3, 8, {kHead});
  EXPECT_EQ(disturbed_sentences(*judge::compare_sessions(quiet, session, {})), Lines{"head " + what});
  EXPECT_EQ(disturbed_sentences(*judge::compare_sessions(quiet, quiet, {})), Lines{});
}

TEST(Note, is_the_sentence_of_each_reason) {
  const std::pair<Reason, std::string> notes[]{
      {Reason::kNone, ""},
      {Reason::kIdentical, "identical code, not judged"},
      {Reason::kSeeds, "different seeds, not judged"},
      {Reason::kMachine, "two machines, not judged"},
      {Reason::kDisturbed, "disturbed, not judged"},
      {Reason::kUnfit, "unfit, not judged"},
      {Reason::kWarmingUp, "still warming up: its repetitions kept becoming faster or slower"},
      {Reason::kNoInterval, "too few processes for an interval"},
      {Reason::kTooYoung, "too few processes to tell a change from chance in a table of 24"},
      {Reason::kBlind, "only a change of 14 % or more is found in 4 of 5 cases"},
  };
  for (const auto& [reason, note] : notes) {
    ComparisonRow one = row(reason);
    one.table = 24;
    one.detectable = 0.1301;
    EXPECT_EQ(note_of(one), note);
  }
  ComparisonRow untimed = row(Reason::kIdentical);
  untimed.base_processes = 0;
  EXPECT_EQ(note_of(untimed), "identical code, not timed");
}

TEST(Note, says_that_layout_could_explain_a_row_unless_another_reason_does) {
  ComparisonRow one = row(Reason::kNone, true);
  one.hidden_by_layout = true;
  one.layout = judge::LayoutShare{0.022, 0.4};
  EXPECT_EQ(note_of(one), "the layout of code alone could explain it: layouts of one build differ by 2.2 %");
  one.layout->measured = false;
  EXPECT_EQ(note_of(one),
            "the layout of code alone could explain it: layouts of one build are assumed to differ by 2.2 %");
  one.reason = Reason::kWarmingUp;
  EXPECT_TRUE(note_of(one).starts_with("still warming up"));
}

TEST(Warnings, are_sentences_in_the_order_of_the_comparison) {
  Comparison comparison;
  comparison.warnings = {judge::GoogleFiles{false},
                         judge::GoogleFiles{true},
                         judge::Unratioed{"f/v/w:error"},
                         judge::AllowedRefusal{"expected one seed, found 7 and 8"},
                         judge::InterruptedSession{"session 1"},
                         judge::SameSession{},
                         judge::ChangedFact{"kernel", "6.1.0", "6.2.0"},
                         judge::PatchedLibrary{"glibc 2.36", "aa", "bb"},
                         judge::MovedIdenticalCode{"f/v/w", 0.1}};
  EXPECT_EQ(warnings_of(comparison),
            (Lines{"a Google Benchmark file is one process, so two of them give no verdict; if each repetition was a "
                   "process of its own, add --independent-repetitions; otherwise measure with python3 make.py run "
                   "--against REV",
                   "--independent-repetitions: each repetition counts as a process of its own, interleaved with the "
                   "other file's",
                   "f/v/w:error is not judged: it has values of 0 or less, which have no ratio",
                   "expected one seed, found 7 and 8", "the session session 1 was interrupted",
                   "base and head are the same session: nothing is compared", "kernel: '6.1.0' before, '6.2.0' now",
                   "C library: build aa of 'glibc 2.36' before, bb now",
                   "identical code moved by up to +10.00 % (f/v/w): something else than the code differs"}));
}

TEST(Names, have_the_reason_if_it_is_known) {
  EXPECT_EQ(names_of({{"f/a/w"}, {"f/b/w", "crash", "SIGSEGV"}, {"f/c/w", "", "it never forgets"}}),
            (Lines{"f/a/w", "f/b/w (crash: SIGSEGV)", "f/c/w (it never forgets)"}));
}

TEST(SourcePhrase, says_where_the_shift_between_sessions_comes_from) {
  using judge::ShiftSource;
  EXPECT_EQ(source_phrase({}), "");
  EXPECT_EQ(source_phrase({ShiftSource::kIdentical, 11, 0}),
            "measured on 11 benchmarks whose executables are identical");
  EXPECT_EQ(source_phrase({ShiftSource::kTable, 0, -0.05}), "measured on the table: its middle moved by -5.00 %");
  EXPECT_EQ(source_phrase({ShiftSource::kAssumed, 0, 0}), "assumed: too few benchmarks to measure it");
}

TEST(OutlookSentence, says_what_the_processes_can_detect_and_what_same_needs) {
  Comparison comparison = of_rows({Reason::kNone});
  EXPECT_EQ(outlook_sentence(comparison), "");
  comparison.rows = {row(Reason::kNone, true)};
  comparison.tested = 1;
  comparison.noise = 0.01;
  EXPECT_EQ(outlook_sentence(comparison),
            "With 20 processes per arm and a noise of 1 % a change of 1.5 % is found in 4 of 5 cases; 90 processes per "
            "arm give the verdict same to 4 of 5 unchanged benchmarks; --threshold 1.1% gives it to 4 of 5 with these "
            "processes.");
  const auto wider = [](const std::string& threshold) {
    return fmt::format("; --threshold {} gives it to 4 of 5 with these processes.", threshold);
  };
  const auto ending = [&](double threshold, double session, double layout, double noise = 0.01) {
    comparison.threshold = threshold;
    comparison.session_shift = session;
    comparison.layout_shift = layout;
    comparison.noise = noise;
    const std::string text = outlook_sentence(comparison);
    const std::size_t found = text.find("cases; ");
    return found == std::string::npos ? text.substr(text.find("can be found; ") + 14) : text.substr(found + 7);
  };
  EXPECT_EQ(ending(0, 0, 0), "with a threshold of 0 no benchmark gets the verdict same" + wider("1.1%"));
  EXPECT_EQ(
      ending(0.005, 0.02, 0),
      "no number of processes gives the verdict same at this threshold: measure both in one session" + wider("3.2%"));
  EXPECT_EQ(ending(0.005, 0.01, 0.02),
            "no number of processes gives the verdict same at this threshold: what layouts alone can do is wider" +
                wider("5.5%"));
  EXPECT_EQ(ending(0.005, 0, 0, 10), "more than 10000 processes per arm would be needed for the verdict same.");
}

}  // namespace lab::report
