#include "harness/report/questions.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/fit.h"
#include "harness/judge/claim.h"
#include "harness/judge/summary.h"
#include "harness/report/choice.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/standing.h"
#include "harness/report/sweeps.h"

namespace lab::report {

namespace {

using results::Question;
using results::Result;
using results::WorkloadInfo;

/// A variant with its time on a workload.
struct Timed {
  const results::VariantCard* variant = nullptr;
  stats::Estimate time;
};

/// The lowest median first.
std::vector<Timed> timed(const WorkloadInfo& workload, const Result& result) {
  std::vector<Timed> all;
  for (const results::VariantCard& variant : result.variants) {
    if (variant.family != workload.family) continue;
    const std::string benchmark = results::benchmark_name(workload.family, variant.name, workload.name);
    if (const std::vector<stats::Datum> times = judge::process_times(result, benchmark); !times.empty())
      all.push_back({&variant, judge::estimate(times)});
  }
  std::ranges::stable_sort(all, {}, [](const Timed& one) { return one.time.median; });
  return all;
}

std::string metric_title(const WorkloadInfo& workload, const std::string& name) {
  const std::optional<results::Metric> metric = results::find_metric(workload, name);
  return uncapitalized(metric && !metric->title.empty() ? metric->title : results::default_column(name).title);
}

/// "; error by that of 24 samples: 0.92"
std::string metrics_of(const Question& question, const WorkloadInfo& workload, const std::string& benchmark,
                       const Result& result) {
  std::string text;
  for (const std::string& metric : question.metrics)
    if (const std::vector<stats::Datum> values = judge::metric_values(result, benchmark, metric); !values.empty()) {
      const double value = judge::median_of(values);
      const std::optional<results::Metric> found = results::find_metric(workload, metric);
      const std::optional<std::string> after = found ? after_ns(found->unit) : std::nullopt;
      text += fmt::format("; {}: {}", metric_title(workload, metric), after ? duration(value) + *after : number(value));
    }
  return text;
}

/// "call of vkCreateBuffer" of "a call of vkCreateBuffer"
std::string without_article(const std::string& what) {
  for (const std::string_view article : {"a ", "an ", "the "})
    if (what.starts_with(article)) return what.substr(article.size());
  return what;
}

/// "mimalloc takes 41.2 ns (40.1 to 42.0) per block, 0.80 of c_library's time, but its interval overlaps that of
/// tcmalloc"
std::string fastest(const Question& question, const results::Family& described, const WorkloadInfo& workload,
                    const Result& result) {
  std::vector<Timed> all = timed(workload, result);
  std::vector<std::string> apart;  // whose times lack something
  std::erase_if(all, [&](const Timed& one) {
    const std::string lacks = lacked_by(described, *one.variant);
    if (!lacks.empty())
      apart.push_back(fmt::format("{}, whose {} contains no {}", one.variant->name, duration(one.time.median),
                                  without_article(lacks)));
    return !lacks.empty();
  });
  if (all.empty()) return "";
  const Timed& best = all.front();
  std::string text =
      fmt::format("{} takes {} per {}", best.variant->name, duration_with_interval(best.time), workload.operation);
  if (workload.axis) text += fmt::format(", the geometric mean over {}", workload.axis->name);
  const results::VariantCard* reference = results::find_reference(result, workload.family);
  std::optional<judge::MeasuredRatio> ratio;
  if (reference != nullptr && reference != best.variant)
    ratio = judge::measured_ratio(workload.family, best.variant->name, reference->name, "", workload.name, result);
  if (ratio) text += fmt::format(", {} of {}'s time", with_interval(*ratio), reference->name);
  std::vector<Contender> contenders;
  for (const Timed& one : all)
    contenders.push_back({one.variant->name, one.time, one.variant == reference && tells_apart(ratio)});
  if (const std::string doubt = doubt_of(contenders); !doubt.empty()) text += ", but " + doubt;
  if (workload.axis)
    if (const std::string turns = turning_points(workload, described, result, best.variant->name); !turns.empty())
      text += "; " + turns;
  text += metrics_of(question, workload, results::benchmark_name(workload.family, best.variant->name, workload.name),
                     result);
  if (std::string weakness = best.variant->weakness; !weakness.empty()) {
    if (weakness.ends_with('.')) weakness.pop_back();  // the answer's own ends it
    text += fmt::format(". {}: {}", best.variant->name, uncapitalized(weakness));
  }
  if (!apart.empty()) text += fmt::format(". Not compared: {}", enumerated(apart));
  return text;
}

/// "pages_compacted takes 1.02 (1.01 to 1.03) of the time of pages; bytes for each live particle: 0.71 times that of
/// pages"
std::string compared(const Question& question, const WorkloadInfo& workload, const Result& result) {
  const auto ratio_of = [&](const std::string& metric) {
    return judge::measured_ratio(workload.family, question.between[1], question.between[0], metric, workload.name,
                                 result);
  };
  const std::optional<judge::MeasuredRatio> time = ratio_of("");
  if (!time) return "";
  std::string text = fmt::format("{} takes {} of the time of {}{}", question.between[1], with_interval(*time),
                                 question.between[0], tells_apart(time) ? "" : ", which shows no difference");
  for (const std::string& metric : question.metrics)
    if (const std::optional<judge::MeasuredRatio> ratio = ratio_of(metric))
      text += fmt::format("; {}: {} times that of {}", metric_title(workload, metric),
                          ratio->exact ? number(ratio->median) : with_interval(*ratio), question.between[0]);
  return text;
}

}  // namespace

std::vector<AnsweredQuestion> answered_questions(const std::string& family, const results::Family& described,
                                                 const Result& result, const judge::Fitness& fitness) {
  std::vector<AnsweredQuestion> all;
  for (std::size_t i = 0; i < described.questions.size(); ++i) {
    const Question& question = described.questions[i];
    AnsweredQuestion answered{
        &question, fmt::format("question-{}-{}", family, identifier(question.workloads.front())), {}, {}, {}, {}};
    if (!question.between.empty()) answered.id += "-" + identifier(question.between[1]);
    for (const std::string& name : question.workloads) {
      const auto workload = std::ranges::find_if(
          result.workloads, [&](const WorkloadInfo& one) { return one.family == family && one.name == name; });
      std::string answer;
      if (workload != result.workloads.end() && answered.limit.empty())
        answered.limit = cores_sentence(*workload, result);
      if (workload != result.workloads.end())
        answer = question.between.empty() ? fastest(question, described, *workload, result)
                                          : compared(question, *workload, result);
      if (answer.empty())
        answered.waiting.push_back(name);
      else if (fitness.fit)
        answered.answers.push_back(fmt::format("{} ({}): {}.", name, uncapitalized(workload->title), answer));
    }
    if (!answered.waiting.empty()) {
      answered.command = "python3 make.py run";
      for (const std::string& name : answered.waiting)
        for (const std::string& variant : question.between.empty() ? std::vector<std::string>{"*"} : question.between)
          answered.command += fmt::format(" --filter '{}'", results::benchmark_name(family, variant, name));
    }
    all.push_back(std::move(answered));
  }
  return all;
}

Section questions_section(const std::string& family, const std::vector<AnsweredQuestion>& questions,
                          const judge::Fitness& fitness) {
  Section section{"questions-" + family, "What users ask"};
  for (const AnsweredQuestion& one : questions) {
    Section part{one.id, one.question->question};
    if (!fitness.fit && one.answers.empty()) part.add(Paragraph{capitalized(not_judged(fitness)) + "."});
    if (!one.limit.empty()) part.add(Paragraph{one.limit});
    part.add(List{one.answers});
    if (!one.question->note.empty()) part.add(Paragraph{one.question->note});
    if (!one.waiting.empty()) {
      part.add(Paragraph{fmt::format("Not measured here: {}. To measure:", enumerated(one.waiting))});
      part.add(Preformatted{one.command});
    }
    add(section.sections, std::move(part));
  }
  return section;
}

}  // namespace lab::report
