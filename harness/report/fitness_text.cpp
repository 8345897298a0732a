#include "harness/report/fitness_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/base/fit.h"
#include "harness/report/format.h"
#include "harness/stats/interval.h"
#include "harness/stats/power.h"

namespace lab::report {

namespace {

/// "other processes used 1.64 CPUs and the host withheld 3 % of a CPU in 9 of 10 blocks, 90 % of the time; 10 % of a
/// CPU together is the limit"
std::string load_phrase(const judge::DisturbedBlocks& blocks) {
  const std::string where = fmt::format("in {} of {} block{}, {:.0f} % of the time", blocks.count, blocks.all,
                                        blocks.all == 1 ? "" : "s", 100 * blocks.share_of_time);
  if (const std::optional<double> cpus = blocks.too_few_cpus)
    return fmt::format(
        "the load on this machine is not known, because the kernel counted more CPU time than its {:.0f} CPU{} can "
        "give {}",
        *cpus, *cpus == 1 ? "" : "s", where);
  constexpr double kLeastShown = 0.01;
  std::vector<std::string> who;
  if (blocks.foreign >= kLeastShown * blocks.seconds)
    who.push_back(fmt::format("other processes used {}", cpus_text(blocks.foreign / blocks.seconds)));
  if (blocks.stolen >= kLeastShown * blocks.seconds)
    who.push_back(fmt::format("the host withheld {}", cpus_text(blocks.stolen / blocks.seconds)));
  return fmt::format("{} {}; {}{} is the limit", fmt::join(who, " and "), where, cpus_text(judge::kDisturbedShare),
                     who.size() > 1 ? " together" : "");
}

/// What is judged of the benchmarks with processes in these blocks.
std::string judged_phrase(const judge::DisturbedBlocks& blocks) {
  const std::string level = blocks.without_level == 0 ? "" : "; such times are compared with no other session's";
  if (blocks.all_judged == 0) return blocks.count == 1 ? "this block is set aside" : "these blocks are set aside";
  if (blocks.all_judged == blocks.affected)
    return "too few others are left, so the times of all blocks are judged" + level;
  return fmt::format("these blocks are set aside, but for {} of {} with too few others{}", blocks.all_judged,
                     counted(blocks.affected, "benchmark"), level);
}

/// Why a control is unfit.
std::string control_cause(const judge::Control& control) {
  if (control.reason == judge::kMachineReason) {
    const judge::ControlRow& worst = judge::most_biased(control);
    return fmt::format("the A/A control differs by {:+.2f} % in {}, although both arms are one build (p {} after Holm)",
                       100 * (worst.ratio - 1), worst.benchmark,
                       worst.adjusted < 1e-4 ? "below 0.0001" : fmt::format("{:.2g}", worst.adjusted));
  }
  if (control.detectable_change)
    return fmt::format(
        "the A/A control's smallest detectable change is {}, required is {}: measure longer, or on a quieter machine",
        detectable_text(*control.detectable_change), detectable_text(judge::kMaxDetectableChange));
  const auto few = std::ranges::find_if(control.rows, [](const auto& row) { return !row.detectable_change; });
  return fmt::format("the A/A control has too few processes of {} ({}) to detect a change of any size: measure longer",
                     few->benchmark, few->processes);
}

}  // namespace

std::string detectable_text(double share) {
  const double percent = 100 * share;
  if (!(percent > 0)) return "0 %";
  // A tolerance of a thousandth of the second digit, so that 10.0000001 % does not become 11 %.
  const double digit = std::pow(10, std::floor(std::log10(percent)) - 1);
  const double rounded = digit * std::ceil(percent / digit - 1e-3);
  return rounded < 1e4 ? fmt::format("{:.6g} %", rounded) : fmt::format("{:.2g} %", rounded);
}

std::string found_sentence(double detectable) {
  static_assert(stats::kPower == 0.8);
  return fmt::format("a change of {} is found in {} cases", detectable_text(detectable), kPowerText);
}

std::string control_sentence(const judge::Control& control) {
  if (control.rows.empty()) return "no A/A control: no benchmark ran as head and as control in one block";
  if (!control.fit) return "unfit: " + control_cause(control);
  return fmt::format("A/A control: {} of {} pairs of one build differ at p < {:.2f}; smallest detectable change: {}",
                     control.false_alarms, control.rows.size(), 1 - stats::kCoverage,
                     detectable_text(*control.detectable_change));
}

std::vector<std::string> unfit_causes(const judge::Fitness& fitness) {
  std::vector<std::string> causes;
  if (fitness.lacks_levels) causes.push_back(load_phrase(*fitness.disturbed));
  if (!fitness.control.fit) causes.push_back(control_cause(fitness.control));
  return causes;
}

std::vector<std::string> unfit_sentences(const judge::Fitness& fitness) {
  std::vector<std::string> sentences = unfit_causes(fitness);
  for (std::string& sentence : sentences) sentence.insert(0, "unfit: ");
  if (const std::string blind = blind_sentence(fitness); !blind.empty()) sentences.push_back(blind);
  return sentences;
}

std::string blind_sentence(const judge::Fitness& fitness) {
  if (!fitness.fit || fitness.control.blind.empty()) return "";
  std::vector<std::string> families;
  for (const std::string& family : fitness.control.blind) {
    std::optional<double> least;  // that a row of the family could have detected
    for (const judge::ControlRow& row : fitness.control.rows)
      if (results::benchmark_parts(row.benchmark).family == family && row.detectable_change)
        least = std::min(least.value_or(*row.detectable_change), *row.detectable_change);
    families.push_back(family + (least ? fmt::format(" ({})", detectable_text(*least)) : ""));
  }
  const bool some = std::ranges::any_of(families, [](const std::string& one) { return one.ends_with(')'); });
  return fmt::format(
      "unfit in {}: the A/A control there could not have detected a change of {}{}: measure longer, or on a quieter "
      "machine",
      enumerated(families), detectable_text(judge::kMaxDetectableChange),
      some ? " (in brackets: the smallest that it could)" : "");
}

std::string disturbed_sentence(const judge::Fitness& fitness) {
  if (!fitness.disturbed) return "";
  return fmt::format("{}; {}", load_phrase(*fitness.disturbed), judged_phrase(*fitness.disturbed));
}

std::string not_judged(const judge::Fitness& fitness) {
  return not_judged(fitness.reason);
}

std::string not_judged(std::string_view unfit_reason) {
  if (unfit_reason.empty()) return "";
  return unfit_reason == judge::kBlindReason ? "unfit, not judged" : "disturbed, not judged";
}

std::string marked(std::string text, const judge::Fitness& fitness) {
  if (!fitness.fit) text += ", " + not_judged(fitness);
  return text;
}

}  // namespace lab::report
