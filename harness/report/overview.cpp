#include "harness/report/overview.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/fit.h"
#include "harness/judge/driver_verdict.h"
#include "harness/report/atlas_census.h"
#include "harness/report/format.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

using judge::ClaimVerdict;
using judge::DriverVerdict;
using judge::JudgedClaim;

/// "Which allocator for my case? Frees single blocks, by pointer alone"
std::string question_of(const AnsweredFamily& family, const ChoiceAnswer& answer) {
  return fmt::format("{} {}", family.described.choice->title, answer.group);
}

/// "buddy: 23.1 ns per pair, 5.4 times as fast as c_library. Its price: ..."
std::string sentence_of(const ChoiceAnswer& answer) {
  std::string text = fmt::format("{}: {}", answer.variant, answer.time);
  if (!answer.against.empty()) text += ", " + answer.against;
  if (!answer.doubt.empty()) text += fmt::format("; {}", answer.doubt);
  text += ".";
  std::vector<std::string> price;
  if (!answer.memory.empty()) price.push_back(answer.memory);
  if (!answer.worst.empty()) price.push_back(fmt::format("at worst {}", answer.worst));
  if (!price.empty()) text += fmt::format(" Price: {}.", enumerated(price));
  if (!answer.cannot.empty()) text += " " + answer.cannot;
  return text;
}

/// The chart of that name in the family's section of the choice.
std::optional<Chart> chart_of(const AnsweredFamily& family, const ChoiceAnswer& answer, const results::Result& result,
                              const judge::Fitness& fitness) {
  const Section section = choice_section(family.name, family.described, result, fitness);
  for (const Element& element : section.elements)
    if (const Charts* charts = std::get_if<Charts>(&element))
      for (const Chart& chart : charts->charts)
        if (chart.name == answer.figure) return chart;
  return std::nullopt;
}

std::string_view title_of(RefutedClaim::Kind kind) {
  constexpr std::string_view kTitles[] = {"Not confirmed by measurement",
                                          "Other numbers, counted or calculated: sizes, bits, arithmetic",
                                          "Not what the drivers here answer"};
  return kTitles[static_cast<std::size_t>(kind)];
}

Table refuted_table(const std::vector<ArticleLine>& lines) {
  std::vector<std::pair<const ArticleLine*, const RefutedClaim*>> refuted;
  for (const ArticleLine& line : lines)
    for (const RefutedClaim& claim : line.refuted) refuted.emplace_back(&line, &claim);
  std::ranges::stable_sort(refuted, {}, [](const auto& one) { return one.second->kind; });
  Table table{"refuted",
              "Published claims that do not hold here",
              {{"Verdict", kVerdict}, {"Claim", kText}, {"Article", kText}, {"Why", kText}}};
  for (const auto& [line, claim] : refuted) {
    if (table.groups.empty() || table.groups.back().title != title_of(claim->kind))
      table.groups.push_back({table.rows.size(), std::string(title_of(claim->kind))});
    const results::ArticleSource& source = line->article->source;
    table.rows.push_back({{claim->verdict, Emphasis::kBad},
                          claim->claim,
                          fmt::format("{} ({})", source.author, source.year),
                          claim->why});
    table.rows.back()[1].link = "claims-" + line->article->name;
    table.benchmarks.push_back(claim->benchmarks);
  }
  return table;
}

}  // namespace

Section headline_section(const std::vector<AnsweredFamily>& families, const results::Result& result,
                         const judge::Fitness& fitness) {
  Section section{"headline", ""};
  const AnsweredFamily* family = nullptr;
  const ChoiceAnswer* most = nullptr;
  for (const AnsweredFamily& one : families)
    for (const ChoiceAnswer& answer : one.answers)
      if (!answer.figure.empty() && (most == nullptr || answer.gain > most->gain)) {
        family = &one;
        most = &answer;
      }
  if (most == nullptr) return section;
  section.title = question_of(*family, *most);
  section.add(Paragraph{sentence_of(*most), Emphasis::kPlain, {{"The other cases", family->page}}});
  if (std::optional<Chart> chart = chart_of(*family, *most, result, fitness.of(family->name))) {
    chart->name = "headline";
    chart->title = "Time and memory: left and low is better";
    for (auto& [key, value] : chart->values)
      if (key == "height") value = 300;  // the first screen has the whole plot
    section.add(Charts{{std::move(*chart)}});
  }
  return section;
}

Section answer_section(const AnsweredFamily& family) {
  Section section{"answer-" + family.name, "The answer"};
  if (family.answers.empty() && !family.finding.empty()) section.add(Paragraph{family.finding + "."});
  List list;
  for (const ChoiceAnswer& answer : family.answers)
    list.items.push_back(fmt::format("{}: {}", answer.group, sentence_of(answer)));
  section.add(std::move(list));
  if (!family.answers.empty() && !family.described.choice->caution.empty())
    section.add(Paragraph{family.described.choice->caution});
  return section;
}

Section answers_section(const std::vector<AnsweredFamily>& families) {
  Section section{"answers", "Which one for my case?"};
  Table table{"answers",
              "The lowest median of each case, and its price",
              {{"Case", kText},
               {"Answer", kName},
               {"Time (95 % interval)", kText},
               {"Gain", kText},
               {"At worst", kShort},
               {"Memory", kShort},
               {"What it cannot do", kText}}};
  List others;
  for (const AnsweredFamily& family : families) {
    if (family.answers.empty()) {
      if (!family.finding.empty())
        others.items.push_back(fmt::format("{}: {}.", family.described.title, family.finding));
      continue;
    }
    table.groups.push_back({table.rows.size(), family.described.title});
    if (const std::string& caution = family.described.choice->caution; !caution.empty())
      others.items.push_back(fmt::format("{}: {}", family.described.title, uncapitalized(caution)));
    for (const ChoiceAnswer& answer : family.answers) {
      TableCell group = answer.group;
      group.link = family.page;
      table.benchmarks.push_back({answer.benchmark});
      table.rows.push_back({std::move(group), answer.variant, answer.time,
                            answer.doubt.empty() ? answer.against
                                                 : fmt::format("{}{}{}", answer.against,
                                                               answer.against.empty() ? "" : "; ", answer.doubt),
                            answer.worst, answer.memory, answer.cannot});
    }
  }
  table.drop_empty_columns();
  section.add(std::move(table));
  section.add(std::move(others));
  return section;
}

namespace {

/// All of two variants, because one workload says when and another when not; else the first, and how many more there
/// are. After what limits them, and with the note, which may, too.
std::string short_answer(const AnsweredQuestion& asked) {
  if (asked.answers.empty()) return "Not answered here.";
  std::string text = asked.answers.front();
  const std::size_t others = asked.answers.size() - 1;
  if (!asked.question->between.empty())
    text = fmt::format("{}", fmt::join(asked.answers, " "));
  else if (others > 0)
    text += fmt::format(" Its page has {}.", counted(others, "more workload", "more workloads"));
  if (!asked.limit.empty()) text = asked.limit + " " + text;
  if (!asked.question->note.empty()) text += " " + asked.question->note;
  return text;
}

}  // namespace

Section asked_section(const std::vector<AnsweredFamily>& families) {
  Section section{"asked", "What users ask"};
  Table table{"asked",
              "Questions and answers; each question leads to its family's page",
              {{"Question", kText}, {"Answer", kText}}};
  for (const AnsweredFamily& family : families)
    for (const AnsweredQuestion& one : family.questions) {
      TableCell question = fmt::format("{}: {}", family.described.title, one.question->question);
      question.link = one.id;
      table.rows.push_back({std::move(question), short_answer(one)});
    }
  section.add(std::move(table));
  return section;
}

Section drivers_section(std::span<const results::DriverColumn> atlas) {
  Section section{"asked-drivers", "How much memory does an image or a buffer need?"};
  if (atlas.empty())
    section.add(
        Paragraph{"No Vulkan driver of this machine has been probed: python3 make.py probe asks every driver."});
  else
    section.add(Paragraph{
        columns_phrase(atlas) + ".",
        Emphasis::kPlain,
        {{"Search for a size, a format, a driver or a chip", "vulkan-matrix"}, {"All about the drivers", "drivers"}}});
  return section;
}

RefutedClaim::Kind kind_of(const JudgedClaim& claim) {
  const auto is_exact = [](const std::vector<judge::ExactValue>& values) {
    return std::ranges::none_of(
        values, [](const judge::ExactValue& one) { return one.source == judge::ExactValue::Source::kNoisy; });
  };
  const auto* const number = std::get_if<judge::JudgedExact>(&claim.evidence);
  const auto* const formula = std::get_if<judge::JudgedFormula>(&claim.evidence);
  const auto* const order = std::get_if<judge::JudgedOrder>(&claim.evidence);
  const bool counted = (number != nullptr && is_exact(number->values)) ||
                       (formula != nullptr && is_exact(formula->values)) || (order != nullptr && !order->time);
  return counted ? RefutedClaim::Kind::kCounted : RefutedClaim::Kind::kMeasured;
}

ArticleLine line_of(const JudgedArticle& judged, const std::string& about, const results::Result& result) {
  ArticleLine line{.article = judged.article, .about = about};
  for (const JudgedClaim& claim : judged.claims) switch (claim.verdict) {
      case ClaimVerdict::kReproduced:
        ++line.holds;
        break;
      case ClaimVerdict::kWeaker:
        ++line.weaker;
        break;
      case ClaimVerdict::kRefuted:
        line.refuted.push_back({kind_of(claim), std::string(judge::to_string(claim.verdict)), wording(claim),
                                reason(claim, result), claim.benchmarks});
        break;
      case ClaimVerdict::kUndecided:
      case ClaimVerdict::kNotJudged:
        ++(claim.has_numbers ? line.undecided : line.unmeasured);
        break;
    }
  return line;
}

ArticleLine line_of(const results::Article& article, std::span<const results::DriverColumn> atlas,
                    std::span<const results::MemoryFindings> memory, bool disturbed) {
  ArticleLine line{.article = &article, .about = "Vulkan drivers"};
  for (const judge::JudgedDriverClaim& claim : judge::judge_driver_claims(article, atlas, memory, disturbed).surveyed)
    switch (claim.verdict) {
      case DriverVerdict::kHolds:
      case DriverVerdict::kGeneralises:
        ++line.holds;
        break;
      case DriverVerdict::kDiffers:
      case DriverVerdict::kInPart:
        ++line.weaker;
        break;
      case DriverVerdict::kDoesNotHold:
      case DriverVerdict::kDoesNotGeneralise:
        line.refuted.push_back({RefutedClaim::Kind::kOfDrivers, std::string(judge::to_string(claim.verdict)),
                                fmt::format("{} ({})", claim.claim->text, platform_of(claim, article)),
                                found_on(claim) + "."});
        break;
      case DriverVerdict::kNotSeen:
      case DriverVerdict::kOpen:
        ++line.undecided;
        break;
    }
  return line;
}

Section articles_section(const std::vector<ArticleLine>& lines) {
  Section section{"articles", "Which published claims are still true?"};
  Table table{
      "articles",
      "The claims of each article that have a verdict here. Still true: reproduced, or it holds; in part: weaker, "
      "or drivers differ; not true: refuted, or it does not hold",
      {{"Article", kText},
       {"About", kShort},
       {"Still true", kShort},
       {"In part", kNumber},
       {"Not true", kNumber},
       {"Undecided", kNumber},
       {"Not measured", kNumber},
       {"Read", kShort}}};
  for (const ArticleLine& line : lines) {
    const results::ArticleSource& source = line.article->source;
    TableCell title = fmt::format("{} ({}): {}", source.author, source.year, source.title);
    title.link = "claims-" + line.article->name;
    const std::size_t all = line.holds + line.weaker + line.refuted.size();
    TableCell read = source.address.empty() ? "" : "the article";
    read.link = source.address;
    const auto count = [](std::size_t number) { return number == 0 ? "" : fmt::format("{}", number); };
    table.rows.push_back({std::move(title), line.about,
                          all == 0 ? "none judged" : fmt::format("{} of {}", line.holds, all), count(line.weaker),
                          count(line.refuted.size()), count(line.undecided), count(line.unmeasured), std::move(read)});
  }
  table.drop_empty_columns();
  section.add(std::move(table));
  section.add(refuted_table(lines));
  return section;
}

}  // namespace lab::report
