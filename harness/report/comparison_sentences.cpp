#include "harness/report/comparison_sentences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <variant>

#include "harness/base/fit.h"
#include "harness/judge/comparison.h"
#include "harness/report/fitness_text.h"
#include "harness/stats/power.h"

namespace lab::report {

namespace {

using judge::Comparison;
using judge::ComparisonRow;
using judge::Outlook;
using judge::Reason;
using judge::Verdict;

/// ", 33 have identical code and were not judged", for each reason of untested rows.
std::string untested_phrase(const Comparison& comparison) {
  constexpr std::array kPhrases{std::tuple(Reason::kIdentical, "has identical code", "have identical code"),
                                std::tuple(Reason::kSeeds, "ran with different seeds", "ran with different seeds"),
                                std::tuple(Reason::kMachine, "ran on two machines", "ran on two machines")};
  std::string text;
  for (const auto& [reason, one, several] : kPhrases) {
    const auto rows = std::ranges::count(comparison.rows, reason, &ComparisonRow::reason);
    if (rows > 0)
      text += fmt::format(", {} {} and {} not judged", rows, rows == 1 ? one : several, rows == 1 ? "was" : "were");
  }
  return text;
}

std::string exact_phrase(const std::vector<judge::ExactChange>& changes) {
  if (changes.empty()) return "no exact metric changed";
  return fmt::format("{} exact metric{} changed, {} of them for the worse", changes.size(),
                     changes.size() == 1 ? "" : "s", std::ranges::count(changes, true, &judge::ExactChange::worse));
}

std::string verdicts_phrase(const Comparison& comparison) {
  std::string text;
  for (const Verdict verdict : {Verdict::kRegressed, Verdict::kImproved, Verdict::kUnknown, Verdict::kSame})
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count(comparison, verdict), to_string(verdict));
  return text;
}

/// "; --threshold 3.1% gives it to 4 of 5 of them with these processes", the number rounded up; "" if none does.
std::string wider_threshold(const Outlook& outlook) {
  if (!outlook.threshold_for_same || *outlook.threshold_for_same > 1) return "";
  std::string threshold = detectable_text(*outlook.threshold_for_same);
  std::erase(threshold, ' ');
  return fmt::format("; --threshold {} gives it to {} with these processes", threshold, kPowerText);
}

/// What is needed to call an unchanged benchmark the same.
std::string same_phrase(const Outlook& outlook) {
  constexpr std::string_view kNever = "no number of processes gives the verdict same at this threshold";
  switch (outlook.same) {
    case Outlook::Same::kNoThreshold:
      return "with a threshold of 0 no benchmark gets the verdict same" + wider_threshold(outlook);
    case Outlook::Same::kOneSession:
      return fmt::format("{}: measure both in one session{}", kNever, wider_threshold(outlook));
    case Outlook::Same::kOtherLayouts:
      return fmt::format("{}: what layouts alone can do is wider{}", kNever, wider_threshold(outlook));
    case Outlook::Same::kTooMany:
      return fmt::format("more than {} processes per arm would be needed for the verdict same{}", stats::kMostProcesses,
                         wider_threshold(outlook));
    default:
      return fmt::format("{} processes per arm give the verdict same to {} unchanged benchmarks{}",
                         outlook.processes_for_same, kPowerText,
                         outlook.processes_for_same > outlook.processes ? wider_threshold(outlook) : "");
  }
}

/// The sentence of each warning.
struct WarningText {
  std::string operator()(const judge::Unratioed& one) const {
    return fmt::format("{} is not judged: it has values of 0 or less, which have no ratio", one.benchmark);
  }
  std::string operator()(const judge::AllowedRefusal& one) const { return one.refusal; }
  std::string operator()(const judge::InterruptedSession& one) const {
    return fmt::format("the session {} was interrupted", one.session);
  }
  std::string operator()(const judge::SameSession&) const {
    return "base and head are the same session: nothing is compared";
  }
  std::string operator()(const judge::ChangedFact& one) const {
    return fmt::format("{}: '{}' before, '{}' now", one.fact, one.before, one.now);
  }
  std::string operator()(const judge::PatchedLibrary& one) const {
    return fmt::format("C library: build {} of '{}' before, {} now", one.before, one.library, one.now);
  }
  std::string operator()(const judge::MovedIdenticalCode& one) const {
    return fmt::format("identical code moved by up to {:+.2f} % ({}): something else than the code differs",
                       100 * one.move, one.benchmark);
  }
  std::string operator()(const judge::GoogleFiles& one) const {
    return one.independent_repetitions
               ? "--independent-repetitions: each repetition counts as a process of its own, interleaved with the "
                 "other file's"
               : "a Google Benchmark file is one process, so two of them give no verdict; if each repetition was a "
                 "process of its own, add --independent-repetitions; otherwise measure with python3 make.py run "
                 "--against REV";
  }
};

/// "base " or "head " of one of two sessions, "" of the only one.
std::string_view side_of(const Comparison& comparison, const judge::Fitness& fitness) {
  if (comparison.fitness.size() < 2) return "";
  return &fitness == &comparison.fitness[0] ? "base " : "head ";
}

std::string name_of(const judge::OneSided& one) {
  if (one.detail.empty() && one.failure.empty()) return one.name;
  return fmt::format("{} ({}{}{})", one.name, one.failure, one.failure.empty() ? "" : ": ", one.detail);
}

}  // namespace

std::string sentence(const Comparison& comparison) {
  const std::string exact = exact_phrase(comparison.exact);
  if (comparison.exact_only) return fmt::format("{}.", exact);
  if (!comparison.judged)
    return fmt::format("No verdict, {}; {}.", fmt::join(unfit_sentences(comparison), "; "), exact);
  return fmt::format("Of {} benchmark{} {}{}; {}.", comparison.rows.size(), comparison.rows.size() == 1 ? "" : "s",
                     verdicts_phrase(comparison), untested_phrase(comparison), exact);
}

std::string outlook_sentence(const Comparison& comparison) {
  const std::optional<Outlook> outlook = judge::outlook(comparison);
  if (!outlook) return "";
  return fmt::format("With {} process{} per arm and a noise of {} % {}; {}.", outlook->processes,
                     outlook->processes == 1 ? "" : "es", significant(100 * outlook->noise, 2),
                     outlook->detectable ? found_sentence(*outlook->detectable) : "no change can be found",
                     same_phrase(*outlook));
}

std::string note_of(const ComparisonRow& row) {
  switch (row.reason) {
    case Reason::kIdentical:
      return is_measured(row) ? "identical code, not judged" : "identical code, not timed";
    case Reason::kSeeds:
      return "different seeds, not judged";
    case Reason::kMachine:
      return "two machines, not judged";
    case Reason::kUnfit:
      return not_judged(judge::kBlindReason);
    case Reason::kDisturbed:
      return not_judged(judge::kMachineReason);
    case Reason::kWarmingUp:
      return "still warming up: its repetitions kept becoming faster or slower";
    case Reason::kNoInterval:
      return "too few processes for an interval";
    case Reason::kTooYoung:
      return fmt::format("too few processes to tell a change from chance in a table of {}", row.table);
    case Reason::kBlind:
      return row.detectable ? fmt::format("only a change of {} or more is found in {} cases",
                                          detectable_text(*row.detectable), kPowerText)
                            : "no change of any size can be found";
    case Reason::kNone:
      break;
  }
  if (!row.hidden_by_layout) return "";
  return fmt::format("the layout of code alone could explain it: layouts of one build {}differ by {} %",
                     row.layout->measured ? "" : "are assumed to ", significant(100 * row.layout->sigma, 2));
}

std::vector<std::string> warnings_of(const Comparison& comparison) {
  std::vector<std::string> sentences;
  for (const judge::Warning& warning : comparison.warnings) sentences.push_back(std::visit(WarningText{}, warning));
  return sentences;
}

std::vector<std::string> unfit_sentences(const Comparison& comparison) {
  std::vector<std::string> sentences;
  for (const judge::Fitness& fitness : comparison.fitness)
    for (std::string& sentence : unfit_sentences(fitness))
      sentences.push_back(fmt::format("{}{}", side_of(comparison, fitness), sentence));
  return sentences;
}

std::vector<std::string> disturbed_sentences(const Comparison& comparison) {
  std::vector<std::string> sentences;
  for (const judge::Fitness& fitness : comparison.fitness)
    if (const std::string sentence = disturbed_sentence(fitness); !sentence.empty())
      sentences.push_back(fmt::format("{}{}", side_of(comparison, fitness), sentence));
  return sentences;
}

std::string source_phrase(const judge::ShiftSource& source) {
  switch (source.kind) {
    case judge::ShiftSource::kIdentical:
      return fmt::format("measured on {} benchmarks whose executables are identical", source.identical);
    case judge::ShiftSource::kTable:
      return fmt::format("measured on the table: its middle moved by {:+.2f} %", 100 * source.middle);
    case judge::ShiftSource::kAssumed:
      return "assumed: too few benchmarks to measure it";
    default:
      return "";
  }
}

std::vector<std::string> names_of(const std::vector<judge::OneSided>& benchmarks) {
  std::vector<std::string> names;
  for (const judge::OneSided& one : benchmarks) names.push_back(name_of(one));
  return names;
}

}  // namespace lab::report
