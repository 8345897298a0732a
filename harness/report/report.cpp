#include "harness/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/fit.h"
#include "harness/base/parallel.h"
#include "harness/judge/fitness.h"
#include "harness/report/atlas_census.h"
#include "harness/report/bisects.h"
#include "harness/report/charts.h"
#include "harness/report/choice.h"
#include "harness/report/claims.h"
#include "harness/report/comparison.h"
#include "harness/report/comparison_sentences.h"
#include "harness/report/errata.h"
#include "harness/report/families.h"
#include "harness/report/fitness_text.h"
#include "harness/report/format.h"
#include "harness/report/html.h"
#include "harness/report/markdown.h"
#include "harness/report/overview.h"
#include "harness/report/provenance.h"
#include "harness/report/sessions.h"
#include "harness/report/svg.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

using judge::JudgedClaim;
using results::DriverColumn;
using results::Result;

std::string progress_phrase(const BlockProgress& progress, const Result* result) {
  if (progress.blocks == 0) return "The session is running. This page is updated after each block.";
  // Verdicts read after every block would be wrong more often than their stated error rate.
  const bool has_base = result != nullptr && results::find_arm(*result, results::kBase) != nullptr;
  const std::string done =
      progress.planned == 0
          ? counted(static_cast<std::size_t>(progress.blocks), "block")
          : fmt::format("{} of {}", progress.blocks, counted(static_cast<std::size_t>(progress.planned), "block"));
  return fmt::format("The session is running: {} so far. This page is updated after each block.{}", done,
                     has_base ? " The comparison with its base follows at the end." : "");
}

std::string machine_phrase(const results::Machine& machine) {
  return machine.name.empty() ? machine.cpu_model : fmt::format("{} ({})", machine.name, machine.cpu_model);
}

bool has_numbers(const Result& result, const std::string& family) {
  return std::any_of(result.processes.begin(), result.processes.end(), [&](const results::Process& process) {
    return process.arm == results::kHead && results::benchmark_parts(process.benchmark).family == family;
  });
}

/// The articles about families with numbers that have claims to judge.
std::vector<JudgedArticle> judge_articles(const std::vector<results::Article>& articles, const Result& result,
                                          const judge::Fitness& fitness) {
  std::vector<JudgedArticle> judged;
  for (const results::Article& article : articles)
    if (!article.family.empty() && has_numbers(result, article.family))
      if (std::vector<JudgedClaim> claims = judge::judge_claims(article, result, fitness.of(article.family));
          !claims.empty())
        judged.push_back({&article, std::move(claims)});
  return judged;
}

/// "; 3 more have no numbers": the claims that nothing in this session speaks for or against. "" without any.
std::string without_numbers_phrase(const std::vector<JudgedArticle>& articles) {
  std::size_t count = 0;
  for (const JudgedArticle& one : articles)
    count += static_cast<std::size_t>(std::ranges::count_if(one.claims, [](const JudgedClaim& claim) {
      return claim.verdict != judge::ClaimVerdict::kNotJudged && !claim.has_numbers;
    }));
  return count == 0 ? "" : fmt::format("; {} more {} no numbers", count, count == 1 ? "has" : "have");
}

/// The claims that are judged.
std::vector<JudgedClaim> judged_claims(const std::vector<JudgedArticle>& articles) {
  std::vector<JudgedClaim> all;
  for (const JudgedArticle& one : articles) std::ranges::copy_if(one.claims, std::back_inserter(all), is_judged);
  return all;
}

/// "8 published claims", or "14 verdicts on 8 published claims": a claim may have one for each of its cases.
std::string claims_phrase(const std::vector<JudgedClaim>& claims) {
  std::set<const results::Claim*> different;
  for (const JudgedClaim& claim : claims) different.insert(claim.claim);
  const std::string phrase = counted(different.size(), "published claim");
  return different.size() == claims.size() ? phrase : fmt::format("{} verdicts on {}", claims.size(), phrase);
}

/// "2 variants failed their conformance check; 1 benchmark failed": a benchmark counts once, however often it failed.
std::string failures_phrase(const Result& result) {
  std::set<std::string> variants, benchmarks;
  for (const results::Failure& failure : result.failures)
    (failure.kind == results::kNotConforming ? variants : benchmarks)
        .insert(results::subject(failure.benchmark, failure.arm));
  std::vector<std::string> phrases;
  if (!variants.empty())
    phrases.push_back(fmt::format("{} failed {} conformance check", counted(variants.size(), "variant"),
                                  variants.size() == 1 ? "its" : "their"));
  if (!benchmarks.empty()) phrases.push_back(fmt::format("{} failed", counted(benchmarks.size(), "benchmark")));
  return fmt::format("{}", fmt::join(phrases, "; "));
}

/// "8 published claims about command buckets: 5 reproduced and 3 weaker; 2 more have no numbers.": those that are
/// judged, and those that need another session.
std::string verdicts_phrase(const std::vector<JudgedArticle>& articles, const Background& background) {
  std::vector<std::string> subjects;
  for (const JudgedArticle& one : articles)
    if (const std::string subject = results::describe(background.families, one.article->family).subject;
        std::ranges::any_of(one.claims, is_judged) &&
        std::find(subjects.begin(), subjects.end(), subject) == subjects.end())
      subjects.push_back(subject);
  const std::vector<JudgedClaim> claims = judged_claims(articles);
  if (claims.empty()) return "No published claim is judged.";
  return fmt::format("{} about {}: {}{}.", claims_phrase(claims), enumerated(subjects), verdict_counts(claims),
                     without_numbers_phrase(articles));
}

/// The finding if no claim can be judged: that of the first family with numbers.
std::string first_finding(const Result& result, const Background& background) {
  for (const std::string& family : families_of(result))
    if (const std::string found = family_finding(family, results::describe(background.families, family), result);
        !found.empty())
      return fmt::format("{}, {}.", family, found);
  return "No benchmark of a published claim has a number yet.";
}

/// Why the session is unfit for verdicts, as the start of the lead; "" if it is fit.
std::string unfit_phrase(const judge::Fitness& fitness) {
  const std::vector<std::string> causes = unfit_causes(fitness);
  return causes.empty() ? "" : fmt::format("Unfit for verdicts: {}. No time is judged. ", causes.front());
}

/// The lead: unfitness, verdicts, failures, then drivers.
std::string lead(const ReportInput& input, const std::vector<JudgedArticle>& judged, const Background& background,
                 const judge::Fitness& fitness) {
  if (input.comparison != nullptr) return sentence(*input.comparison);
  if (input.result == nullptr) return fmt::format("No benchmark has run yet. {}", drivers_phrase(input.atlas));
  std::string text = unfit_phrase(fitness);
  if (!judged.empty())
    text += verdicts_phrase(judged, background);
  else if (fitness.fit)
    text += first_finding(*input.result, background);
  else
    text += "No published claim is judged.";
  if (!input.result->failures.empty()) text += fmt::format(" {}.", failures_phrase(*input.result));
  return text + " " + drivers_phrase(input.atlas);
}

/// "" if every exhibit of the result has its file; a latency distribution needs none.
std::string missing_files_sentence(const ReportInput& input) {
  if (input.result == nullptr) return "";
  const auto missing =
      static_cast<std::size_t>(std::ranges::count_if(input.result->exhibits, [&](const results::Exhibit& exhibit) {
        return exhibit.info.kind != results::ExhibitKind::kLatency && !input.exhibits.contains(exhibit.file);
      }));
  return missing == 0 ? ""
                      : fmt::format(
                            "The files of {} are not beside the result, so their pictures and plots are left "
                            "out.",
                            counted(missing, "exhibit"));
}

std::vector<std::string> unusual_sentences(const ReportInput& input, const judge::Fitness& fitness, bool running) {
  std::vector<std::string> sentences;
  if (input.result != nullptr) sentences = unusual(*input.result, running);
  // A result has the first once its session is over.
  std::vector<std::string> judged = unfit_sentences(fitness);
  judged.insert(judged.begin(), disturbed_sentence(fitness));
  for (const std::string& found : judged)
    if (const std::string sentence = capitalized(found);
        !sentence.empty() && std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(sentence);
  if (input.result != nullptr && input.result->session.medians_only)
    sentences.push_back(
        "The samples of this session were removed to save space: its medians, intervals and counters are what they "
        "were.");
  if (const std::string sentence = missing_files_sentence(input); !sentence.empty() && !running)
    sentences.push_back(sentence);
  for (const DriverColumn& column : input.atlas)
    if (!column.kept && !column.validation.empty())
      sentences.push_back(
          fmt::format("{}: the validation layers reported: {}.", column.name, fmt::join(column.validation, "; ")));
  return sentences;
}

Section unusual_section(const ReportInput& input, const judge::Fitness& fitness, bool running) {
  Section section{"unusual", "Unusual"};
  List list{unusual_sentences(input, fitness, running)};
  if (list.items.empty()) section.add(Paragraph{"Nothing."});
  section.add(std::move(list));
  return section;
}

/// Whether its benchmark, or every benchmark of its variant, has no numbers because of the failure.
bool cost_all_numbers(const results::Failure& failure, const Result& result) {
  return std::none_of(result.processes.begin(), result.processes.end(), [&](const results::Process& process) {
    return process.arm == failure.arm &&
           (process.benchmark == failure.benchmark || process.benchmark.starts_with(failure.benchmark + "/"));
  });
}

/// The problems that make findings less reliable. The page shows them, and the sections with details, first.
std::vector<Alert> alerts_of(const Result& result, const judge::Fitness& fitness) {
  std::vector<Alert> alerts;
  if (fitness.disturbed && fitness.disturbed->leaves_no_level())
    alerts.push_back({disturbed_sentence(fitness), "unusual"});
  if (!fitness.fit)
    for (std::string& sentence : unfit_sentences(fitness)) alerts.push_back({std::move(sentence), "control"});
  std::vector<std::string> lost;
  for (const results::Failure& failure : result.failures)
    if (cost_all_numbers(failure, result))
      if (const std::string name = results::subject(failure.benchmark, failure.arm);
          std::find(lost.begin(), lost.end(), name) == lost.end())
        lost.push_back(name);
  if (!lost.empty())
    alerts.push_back(
        {fmt::format("No numbers for {}: {} failed.", fmt::join(lost, ", "), lost.size() == 1 ? "it" : "they"),
         "failures"});
  return alerts;
}

/// The sections about the session's reliability.
std::vector<Section> session_sections(const ReportInput& input, const judge::Fitness& fitness, bool running) {
  std::vector<Section> sections;
  add(sections, control_section(fitness.control));
  add(sections, unusual_section(input, fitness, running));
  if (input.result != nullptr) add(sections, failures_section(*input.result));
  return sections;
}

/// Families with judged claims come first, after the verdicts.
std::vector<std::string> families_in_order(const Result& result, const std::vector<JudgedArticle>& judged) {
  std::vector<std::string> families = families_of(result);
  std::stable_partition(families.begin(), families.end(), [&](const std::string& family) {
    return std::ranges::any_of(judged, [&](const JudgedArticle& one) { return one.article->family == family; });
  });
  return families;
}

/// The verdicts of each article about the family. A title names the article if there are several.
std::vector<Section> claims_sections(const std::string& family, const std::vector<JudgedArticle>& judged,
                                     const Background& background, const Result& result,
                                     const judge::Fitness& fitness) {
  std::vector<Section> sections;
  const auto of_family =
      std::ranges::count_if(judged, [&](const JudgedArticle& one) { return one.article->family == family; });
  for (const auto& [article, claims] : judged) {
    if (article->family != family) continue;
    std::string title = "Claims about " + results::describe(background.families, family).subject;
    if (of_family > 1) title += fmt::format(": {} ({})", article->source.author, article->source.year);
    sections.push_back(claims_section(claims, *article, title, result, fitness));
  }
  return sections;
}

/// The name of a family's page: its own, unless another page has that.
std::string page_of_family(const std::string& family) {
  constexpr std::string_view kTaken[] = {kFirstPage, "comparison", "history", "drivers", "session"};
  return std::ranges::find(kTaken, family) == std::end(kTaken) ? identifier(family) : "family-of-" + family;
}

/// One sentence that opens what a reader should know about the session. No elements if it has nothing unusual.
Section trust_section(const ReportInput& input, const judge::Fitness& fitness, bool running) {
  std::vector<std::string> sentences = unusual_sentences(input, fitness, running);
  const std::set<std::string, std::less<>>& blind = fitness.control.blind;
  const std::string spoilt = !fitness.fit ? ""
                             : blind.empty()
                                 ? "; none spoils the verdicts"
                                 : fmt::format("; no time of {} is judged", enumerated({blind.begin(), blind.end()}));
  Section section{"trust", fmt::format("{} about this session {}{}", counted(sentences.size(), "thing"),
                                       sentences.size() == 1 ? "is unusual" : "are unusual", spoilt)};
  section.folded = true;
  section.add(List{std::move(sentences)});
  if (!section.elements.empty()) section.add(Paragraph{"", Emphasis::kPlain, {{"All about this session", "session"}}});
  return section;
}

std::vector<AnsweredFamily> answered_families(const ReportInput& input, const std::vector<JudgedArticle>& judged,
                                              const Background& background, const judge::Fitness& of_session) {
  std::vector<AnsweredFamily> families;
  families.reserve(families_of(*input.result).size());  // their questions refer to them
  for (const std::string& family : families_in_order(*input.result, judged)) {
    const judge::Fitness fitness = of_session.of(family);
    AnsweredFamily one{family, page_of_family(family), results::describe(background.families, family), {}, {}};
    one.answers = choice_answers(family, one.described, *input.result, fitness);
    if (one.answers.empty() && fitness.fit) one.finding = family_finding(family, one.described, *input.result);
    families.push_back(std::move(one));
    AnsweredFamily& added = families.back();
    added.questions = answered_questions(family, added.described, *input.result, fitness);
  }
  return families;
}

Page family_page(const AnsweredFamily& family, const ReportInput& input, const std::vector<JudgedArticle>& judged,
                 const Background& background, const judge::Fitness& of_session) {
  const judge::Fitness fitness = of_session.of(family.name);
  Page page{family.page, family.described.title};
  add(page.sections, answer_section(family));
  add(page.sections, questions_section(family.name, family.questions, fitness));
  add(page.sections, choice_section(family.name, family.described, *input.result, fitness));
  for (Section& section :
       family_sections(family.name, family.described, *input.result, input.exhibits, fitness, background.articles))
    add(page.sections, std::move(section));
  for (Section& section : claims_sections(family.name, judged, background, *input.result, fitness))
    add(page.sections, std::move(section));
  add(page.sections, variants_section(family.name, *input.result));
  add(page.sections, figures_section(family.name, family.described, *input.result, fitness));
  add(page.sections, method_section(family.name, *input.result));
  add(page.sections,
      errata_section(family.name, background.articles, input.result, input.atlas, fitness, input.memory));
  return page;
}

/// A line for each article whose claims can be judged.
std::vector<ArticleLine> article_lines(const ReportInput& input, const std::vector<JudgedArticle>& judged,
                                       const Background& background, bool disturbed) {
  std::vector<ArticleLine> lines;
  for (const JudgedArticle& one : judged)
    lines.push_back(line_of(one, results::describe(background.families, one.article->family).title, *input.result));
  if (!input.atlas.empty())
    for (const results::Article& article : background.articles)
      if (is_about_drivers(article)) lines.push_back(line_of(article, input.atlas, input.memory, disturbed));
  return lines;
}

/// The pages, in order; one without sections is left out.
void add_pages(Document& document, const ReportInput& input, const std::vector<JudgedArticle>& judged,
               const Background& background, const judge::Fitness& fitness) {
  const Result* result = input.result;
  const bool running = !document.progress.empty();
  const bool disturbed = result != nullptr && judge::level_fitness(*result).reason == judge::kMachineReason;
  const std::vector<AnsweredFamily> families =
      result == nullptr ? std::vector<AnsweredFamily>{} : answered_families(input, judged, background, fitness);

  Page& first = document.pages.front();
  if (result != nullptr) add(first.sections, headline_section(families, *result, fitness));
  add(first.sections, articles_section(article_lines(input, judged, background, disturbed)));
  add(first.sections, answers_section(families));
  add(first.sections, asked_section(families));
  add(first.sections, drivers_section(input.atlas));
  add(first.sections, trust_section(input, fitness, running));

  const auto add_page = [&](std::string name, std::string title, std::vector<Section> sections) {
    Page page{std::move(name), std::move(title)};
    for (Section& section : sections) add(page.sections, std::move(section));
    if (!page.sections.empty()) document.pages.push_back(std::move(page));
  };
  if (input.comparison != nullptr) add_page("comparison", "Comparison", {comparison_section(*input.comparison)});
  add_page("history", "History", {history_section(input.histories), bisects_section(input.bisects)});
  for (const AnsweredFamily& family : families)
    document.pages.push_back(family_page(family, input, judged, background, fitness));
  add_page("drivers", "Vulkan drivers",
           {vulkan_section(input.atlas, background.articles, input.memory, disturbed),
            errata_section("", background.articles, result, input.atlas, fitness, input.memory)});
  std::vector<Section> session = session_sections(input, fitness, running);
  if (result != nullptr) {
    session.push_back(unsupported_section(*result));
    session.push_back(provenance_section(*result, input.picture));
  }
  add_page("session", "This session", std::move(session));
}

}  // namespace

Expected<Background> load_background(const std::filesystem::path& root) {
  Expected<std::vector<results::Article>> articles = results::load_articles(root);
  if (!articles) return articles.error();
  Expected<results::Families> families = results::load_families(root);
  if (!families) return families.error();
  return Background{std::move(*articles), std::move(*families)};
}

Document report_document(const ReportInput& input, const Background& background,
                         const std::optional<BlockProgress>& progress) {
  Document document;
  const Result* result = input.result;
  std::vector<JudgedArticle> judged;
  document.title = "Memory allocation and render submission";
  if (result != nullptr && !result->machine.cpu_model.empty())
    document.title += " on " + machine_phrase(result->machine);
  judge::Fitness fitness;
  if (result != nullptr) {
    fitness = input.picture != nullptr ? input.picture->fitness : judge::judge_fitness(*result);
    judged = judge_articles(background.articles, *result, fitness);
    document.facts = head_facts(*result);
    document.alerts = alerts_of(*result, fitness);
    if (input.picture != nullptr) add_picture(*input.picture, document);
  }
  document.lead = lead(input, judged, background, fitness);
  if (const std::string changed = history_sentence(input.histories); !changed.empty())
    document.lead = fmt::format("{} {}", document.lead, changed);
  if (progress) document.progress = progress_phrase(*progress, result);
  add_pages(document, input, judged, background, fitness);
  return document;
}

namespace {

/// A chart's drawings.
struct Drawn {
  std::string in_page, alone;
};

Expected<Drawn> draw(SvgRenderer& renderer, const Chart& chart) {
  Expected<std::string> in_page = renderer.render(chart.name, drawing_specification(chart, DrawingTarget::kPage));
  if (!in_page) return in_page.error();
  Expected<std::string> alone = renderer.render(chart.name, drawing_specification(chart, DrawingTarget::kFile));
  if (!alone) return alone.error();
  return Drawn{std::move(*in_page), std::move(*alone)};
}

/// Draws all charts, on all CPUs. Each thread has a renderer of its own, which is worth loading for so many charts.
std::vector<Expected<Drawn>> draw(const std::vector<const Chart*>& charts) {
  constexpr std::size_t kChartsOfThread = 8;
  std::vector<Expected<Drawn>> drawn(charts.size(), Expected<Drawn>(Error{"drawing charts: not begun", ""}));
  const std::size_t threads = std::min(all_cpus(), (charts.size() + kChartsOfThread - 1) / kChartsOfThread);
  std::atomic<std::size_t> next = 0;
  in_parallel(
      threads,
      [&](std::size_t) {
        const Expected<std::unique_ptr<SvgRenderer>> renderer = SvgRenderer::create();
        for (std::size_t i = next++; i < charts.size(); i = next++)
          drawn[i] = renderer ? draw(**renderer, *charts[i]) : Expected<Drawn>(renderer.error());
      },
      threads);
  return drawn;
}

}  // namespace

Expected<ReportFiles> write_report(const ReportInput& input, const ReportOptions& options) {
  const Expected<Background> background = load_background(options.root);
  if (!background) return background.error();
  const Document document = report_document(input, *background, options.progress);
  ReportFiles files{.index = options.out / "index.html", .summary = {}, .charts = {}};
  const auto write_pages = [&](const std::map<std::string, std::string>& drawings) -> Expected<void> {
    if (options.single_file) return write_file(files.index, to_single_html(document, drawings));
    for (const auto& [name, content] : shared_files())
      if (Expected<void> written = write_file(options.out / name, content); !written) return written;
    for (const Page& page : document.pages)
      if (Expected<void> written = write_file(options.out / (page.name + ".html"), to_html(document, page, drawings));
          !written)
        return written;
    return {};
  };
  if (options.progress) {
    if (Expected<void> written = write_pages({}); !written) return written.error();
    return files;
  }

  std::map<std::string, std::string> drawings;
  std::optional<Error> undrawn;
  const std::vector<const Chart*> charts = charts_of(document);
  const std::vector<Expected<Drawn>> drawn = draw(charts);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    if (!drawn[i]) {
      if (!undrawn) undrawn = drawn[i].error();
      continue;
    }
    drawings[charts[i]->name] = drawn[i]->in_page;
    files.charts.push_back(options.out / (charts[i]->name + ".svg"));
    if (Expected<void> written = write_file(files.charts.back(), drawn[i]->alone); !written) return written.error();
  }
  for (const Picture* picture : pictures_of(document))
    if (Expected<void> written = write_file(options.out / (picture->name + ".png"), picture->png); !written)
      return written.error();
  for (const Matrix* matrix : matrices_of(document))
    if (Expected<void> written = write_file(options.out / (matrix->name + ".csv"), matrix->csv); !written)
      return written.error();
  files.summary = options.out / "summary.md";
  if (Expected<void> written = write_file(files.summary, to_markdown(document)); !written) return written.error();
  if (Expected<void> written = write_pages(drawings); !written) return written.error();
  if (undrawn) return *undrawn;
  return files;
}

}  // namespace lab::report
