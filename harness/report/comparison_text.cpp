#include "harness/report/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <iterator>

#include "harness/base/fit.h"
#include "harness/report/comparison_sentences.h"
#include "harness/report/fitness_text.h"
#include "harness/report/json_text.h"
#include "harness/report/junit.h"
#include "harness/results/commit.h"

namespace lab::report {

namespace {

namespace json = boost::json;

std::string percent(double ratio) {
  // A time near zero would give hundreds of digits.
  if (ratio > 1e4) return fmt::format("x {:.2g}", ratio);
  return fmt::format("{:+.2f} %", 100 * (ratio - 1));
}

std::string interval_text(const judge::ComparisonRow& row) {
  return row.interval ? fmt::format("{} .. {}", percent(row.interval->low), percent(row.interval->high)) : "-";
}

std::string change_of(const judge::ComparisonRow& row) {
  return judge::is_measured(row) ? percent(row.ratio) : "-";
}

std::string p_text(const judge::ComparisonRow& row) {
  if (!row.p) return "-";
  return *row.p < 0.0001 ? "< 0.0001" : fmt::format("{:.4f}", *row.p);
}

std::string processes_text(const judge::ComparisonRow& row) {
  if (row.base_processes == row.head_processes) return fmt::format("{}", row.head_processes);
  return fmt::format("{} and {}", row.base_processes, row.head_processes);
}

/// A row's remark: which change it would have shown, how to decide it, or why it was not measured.
std::string remark(const judge::ComparisonRow& row) {
  const bool found = row.verdict == judge::Verdict::kRegressed || row.verdict == judge::Verdict::kImproved;
  std::vector<std::string> parts;
  if (const std::string note = note_of(row); !note.empty()) parts.push_back(note);
  if (row.reason == judge::Reason::kNone && row.detectable && !found) parts.push_back(found_sentence(*row.detectable));
  if (row.needed && row.verdict == judge::Verdict::kUnknown)
    parts.push_back(fmt::format("{} processes per arm would decide it", *row.needed));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// " (changes of 1.2 % to 4 % are found in 4 of 5 cases)" of these rows; "" if unknown.
std::string detectable_phrase(const std::vector<const judge::ComparisonRow*>& rows) {
  std::vector<double> all;
  for (const judge::ComparisonRow* row : rows)
    if (row->detectable) all.push_back(*row->detectable);
  if (all.empty()) return "";
  const auto [least, most] = std::ranges::minmax(all);
  const std::string low = detectable_text(least), high = detectable_text(most);
  return fmt::format(" (changes of {}{} are found in {} cases)", low == high ? "" : low + " to ", high, kPowerText);
}

std::string side_text(const judge::ComparisonSide& side) {
  std::vector<std::string> known;
  if (!side.commit.empty()) known.push_back(results::short_commit(side.commit));
  if (!side.state.empty()) known.push_back(side.state);
  if (!side.machine.empty()) known.push_back("machine " + side.machine);
  if (!side.started.empty()) known.push_back(side.started);
  return known.empty() ? side.name : fmt::format("{} ({})", side.name, fmt::join(known, ", "));
}

/// The sessions' control sentences, what other work disturbed, and why a session is unfit unless the first sentence
/// already says so. Equal sentences of two sessions appear once.
std::vector<std::string> session_sentences(const judge::Comparison& comparison) {
  std::vector<std::string> sentences;
  for (const judge::Fitness& one : comparison.fitness)
    if (one.control.fit) sentences.push_back(control_sentence(one.control));
  std::ranges::move(disturbed_sentences(comparison), std::back_inserter(sentences));
  if (comparison.judged) std::ranges::move(unfit_sentences(comparison), std::back_inserter(sentences));
  sentences.erase(std::unique(sentences.begin(), sentences.end()), sentences.end());
  return sentences;
}

/// The method in one line.
std::string terms(const judge::Comparison& comparison) {
  const std::string limits = fmt::format("alpha {:g} over the table, threshold {:g} %, intervals {:g} %",
                                         comparison.alpha, 100 * comparison.threshold, 100 * (1 - comparison.alpha));
  if (comparison.interleaved) return limits + "; both arms interleaved in one session";
  if (comparison.session_shift == 0) return limits;
  return fmt::format("{}; two sessions, not interleaved: intervals widened by {:.2f} % ({})", limits,
                     100 * comparison.session_shift, source_phrase(comparison.shift_source));
}

std::string change_text(const judge::ExactChange& change) {
  const auto value = [](const std::string& text) { return text.empty() ? std::string_view("nothing") : text; };
  return fmt::format("{} {}: {} -> {}{}", change.benchmark, change.metric, value(change.base), value(change.head),
                     change.worse ? " (worse)" : "");
}

bool is_same(const judge::ComparisonRow& row) {
  return row.verdict == judge::Verdict::kSame;
}

bool is_identical(const judge::ComparisonRow& row) {
  return row.reason == judge::Reason::kIdentical;
}

/// Whether a row is the same or of identical code, so not worth showing.
bool is_quiet(const judge::ComparisonRow& row) {
  return is_same(row) || is_identical(row);
}

/// The rows to show: without `all`, the first kShown unknown rows and no quiet row.
std::vector<const judge::ComparisonRow*> shown(const judge::Comparison& comparison, bool all) {
  std::vector<const judge::ComparisonRow*> rows;
  std::size_t unknown = 0;
  for (const judge::ComparisonRow& row : comparison.rows) {
    if (!all && is_quiet(row)) continue;
    if (all || row.verdict != judge::Verdict::kUnknown || ++unknown <= kShown) rows.push_back(&row);
  }
  return rows;
}

std::vector<const judge::ComparisonRow*> rows_where(const judge::Comparison& comparison,
                                                    bool (*is_one)(const judge::ComparisonRow&)) {
  std::vector<const judge::ComparisonRow*> rows;
  for (const judge::ComparisonRow& row : comparison.rows)
    if (is_one(row)) rows.push_back(&row);
  return rows;
}

/// "76 more unknown", "" where all are shown.
std::string more_unknown(const judge::Comparison& comparison) {
  const auto unknown = static_cast<std::size_t>(std::count_if(
      comparison.rows.begin(), comparison.rows.end(),
      [](const judge::ComparisonRow& row) { return row.verdict == judge::Verdict::kUnknown && !is_identical(row); }));
  return unknown > kShown ? fmt::format("{} more unknown", unknown - kShown) : "";
}

std::string paint(std::string text, judge::Verdict verdict, bool colour) {
  constexpr std::array<std::string_view, 4> kColours{"31", "32", "33", "2"};  // red, green, yellow, faint
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", kColours[static_cast<std::size_t>(verdict)], text) : text;
}

json::object side_json(const judge::ComparisonSide& side) {
  return {{"name", side.name},
          {"machine", side.machine},
          {"commit", side.commit},
          {"state", side.state},
          {"started", side.started}};
}

json::object row_json(const judge::ComparisonRow& row) {
  return {{"benchmark", row.benchmark},
          {"ratio", judge::is_measured(row) ? json::value(row.ratio) : json::value(nullptr)},
          {"low", end_or_null(row.interval, &stats::Interval::low)},
          {"high", end_or_null(row.interval, &stats::Interval::high)},
          {"p", json::value_from(row.p)},
          {"verdict", to_string(row.verdict)},
          {"reason", text_or_null(to_string(row.reason))},
          {"base", row.base_value},
          {"head", row.head_value},
          {"unit", row.unit},
          {"base_processes", row.base_processes},
          {"head_processes", row.head_processes},
          {"identical", row.identical},
          {"seen", json::value_from(row.detectable)},
          {"processes_needed", json::value_from(row.needed)},
          {"layout", row.layout ? json::value(row.layout->sigma) : json::value(nullptr)},
          {"layout_measured", row.layout ? json::value(row.layout->measured) : json::value(nullptr)},
          {"layout_share", row.layout ? json::value(row.layout->share) : json::value(nullptr)},
          {"hidden_by_layout", row.hidden_by_layout},
          {"note", note_of(row)}};
}

json::object control_json(const judge::Control& control) {
  json::array rows;
  for (const judge::ControlRow& row : control.rows) {
    rows.push_back(json::object{{"benchmark", row.benchmark},
                                {"processes", row.processes},
                                {"ratio", row.ratio},
                                {"p", row.p},
                                {"adjusted", row.adjusted},
                                {"low", end_or_null(row.interval, &stats::Interval::low)},
                                {"high", end_or_null(row.interval, &stats::Interval::high)},
                                {"seen", json::value_from(row.detectable_change)}});
  }
  return {{"fit", control.fit},
          {"reason", text_or_null(control.reason)},
          {"blind", json::array(control.blind.begin(), control.blind.end())},
          {"sentence", control_sentence(control)},
          {"seen", json::value_from(control.detectable_change)},
          {"false_alarms", control.false_alarms},
          {"rate", control.rate},
          {"rate_low", control.rate_interval.low},
          {"rate_high", control.rate_interval.high},
          {"rows", std::move(rows)}};
}

/// Escapes text for a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '`' || c == '<') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string markdown_rows(const std::vector<const judge::ComparisonRow*>& rows) {
  std::string text =
      "| verdict | benchmark | change | interval | p | processes | |\n|---|---|---:|---|---:|---:|---|\n";
  for (const judge::ComparisonRow* row : rows)
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n",
                        row->verdict == judge::Verdict::kRegressed ? "**regressed**" : to_string(row->verdict),
                        cell(row->benchmark), change_of(*row), interval_text(*row), p_text(*row), processes_text(*row),
                        cell(remark(*row)));
  return text;
}

/// One table; if the terminal is too narrow, each row's remark goes below the row.
std::string rows_text(const std::vector<const judge::ComparisonRow*>& rows, const TextOptions& options) {
  const std::vector<Column> columns{{"verdict"}, {"change", true},    {"interval", true},
                                    {"p", true}, {"processes", true}, {"benchmark", false, true},
                                    {""}};
  std::vector<std::vector<std::string>> with_remarks, remarks_below;
  for (const judge::ComparisonRow* row : rows) {
    std::vector<std::string> cells{paint(std::string(to_string(row->verdict)), row->verdict, options.colour),
                                   change_of(*row),
                                   interval_text(*row),
                                   p_text(*row),
                                   processes_text(*row),
                                   row->benchmark};
    remarks_below.push_back(cells);
    if (const std::string text = remark(*row); !text.empty()) remarks_below.push_back({"  " + text});
    cells.push_back(remark(*row));
    with_remarks.push_back(std::move(cells));
  }
  const std::string table = table_text(columns, with_remarks, 0);
  const std::vector<std::string> lines = wrapped(table, 0);
  const bool fits = options.width == 0 || std::all_of(lines.begin(), lines.end(), [&](const std::string& line) {
                      return text_width(line) <= options.width;
                    });
  return fits ? table : table_text({columns.begin(), columns.end() - 1}, remarks_below, options.width);
}

/// The reason to skip a test case: for a row that was not judged, its sentence before any number.
std::string skipped_text(const judge::ComparisonRow& row, const std::string& numbers) {
  if (!row.p) return judge::is_measured(row) ? fmt::format("{}: {}", note_of(row), change_of(row)) : note_of(row);
  const std::string line = remark(row);
  return row.reason != judge::Reason::kNone ? fmt::format("{}: {}", line, numbers)
                                            : fmt::format("unknown: {}{}{}", numbers, line.empty() ? "" : "; ", line);
}

}  // namespace

std::string to_text(const judge::Comparison& comparison, const TextOptions& options) {
  std::string text;
  const auto add_line = [&](const std::string& line, std::size_t indent = 2) {
    text += wrapped_after(line, options.width, indent) + "\n";
  };
  add_line(sentence(comparison));
  add_line("base  " + side_text(comparison.base), 6);
  add_line("head  " + side_text(comparison.head), 6);
  if (!comparison.exact_only) add_line(terms(comparison));
  if (const std::string line = outlook_sentence(comparison); !line.empty()) add_line(line);
  for (const std::string& line : session_sentences(comparison)) add_line(line);
  for (const std::string& warning : warnings_of(comparison)) add_line("note: " + warning);
  const std::vector<const judge::ComparisonRow*> rows = shown(comparison, options.all);
  if (!rows.empty()) text += "\n" + rows_text(rows, options);
  if (!options.all) {
    if (const std::string unknown = more_unknown(comparison); !unknown.empty())
      add_line(fmt::format("and {}; --all lists them", unknown));
    const std::vector<const judge::ComparisonRow*> same = rows_where(comparison, is_same);
    const std::size_t identical = rows_where(comparison, is_identical).size();
    if (rows.empty() && same.size() + identical > 0) text += "\n";
    if (!same.empty())
      add_line(fmt::format("same: {}{}; --all lists them", counted(same.size(), "benchmark"), detectable_phrase(same)));
    if (identical > 0)
      add_line(fmt::format("identical code, not judged: {}; --all lists them", counted(identical, "benchmark")));
  }
  if (!comparison.exact.empty()) text += "\nexact metrics, where any change is a finding\n";
  const std::size_t most = options.all ? comparison.exact.size() : std::min(comparison.exact.size(), kShown);
  for (std::size_t i = 0; i < most; ++i) add_line("  " + change_text(comparison.exact[i]), 4);
  if (most < comparison.exact.size())
    add_line(fmt::format("  and {} more; --all lists them", comparison.exact.size() - most));
  for (const auto& [title, benchmarks] :
       {std::pair("only in base", &comparison.only_base), std::pair("only in head", &comparison.only_head)})
    if (!benchmarks->empty()) add_line(fmt::format("{}: {}", title, fmt::join(names_of(*benchmarks), ", ")));
  return text;
}

std::string to_markdown(const judge::Comparison& comparison) {
  std::string text = fmt::format("**{}**\n\n", sentence(comparison));
  const std::vector<const judge::ComparisonRow*> rows = shown(comparison, false);
  if (!rows.empty()) text += markdown_rows(rows) + "\n";
  if (const std::string more = more_unknown(comparison); !more.empty()) text += fmt::format("and {}\n\n", more);
  if (!comparison.exact.empty()) {
    text += "| exact metric of | metric | base | head | |\n|---|---|---:|---:|---|\n";
    for (std::size_t i = 0; i < std::min(comparison.exact.size(), kShown); ++i) {
      const judge::ExactChange& change = comparison.exact[i];
      text += fmt::format("| {} | {} | {} | {} | {} |\n", cell(change.benchmark), cell(change.metric),
                          cell(change.base), cell(change.head), change.worse ? "**worse**" : "");
    }
    if (comparison.exact.size() > kShown) text += fmt::format("\nand {} more\n", comparison.exact.size() - kShown);
    text += "\n";
  }
  for (const auto& [what, quiet] : {std::pair("the same", rows_where(comparison, is_same)),
                                    std::pair("of identical code, not judged", rows_where(comparison, is_identical))})
    if (!quiet.empty())
      text += fmt::format("<details><summary>{} {}</summary>\n\n{}\n</details>\n\n", counted(quiet.size(), "benchmark"),
                          what, markdown_rows(quiet));
  for (const std::vector<judge::OneSided>* list : {&comparison.only_base, &comparison.only_head})
    if (!list->empty())
      text += fmt::format("Only in {}: {}\n\n", list == &comparison.only_base ? "base" : "head",
                          cell(fmt::format("{}", fmt::join(names_of(*list), ", "))));
  for (const std::string& warning : warnings_of(comparison)) text += fmt::format("- {}\n", cell(warning));
  text += fmt::format("- base {}\n- head {}\n", cell(side_text(comparison.base)), cell(side_text(comparison.head)));
  if (!comparison.exact_only) text += fmt::format("- {}\n", cell(terms(comparison)));
  if (const std::string line = outlook_sentence(comparison); !line.empty()) text += fmt::format("- {}\n", cell(line));
  for (const std::string& line : session_sentences(comparison)) text += fmt::format("- {}\n", cell(line));
  return text;
}

std::string to_json(const judge::Comparison& comparison) {
  json::array rows, exact, controls;
  for (const judge::ComparisonRow& row : comparison.rows) rows.push_back(row_json(row));
  for (const judge::ExactChange& change : comparison.exact)
    exact.push_back(json::object{{"benchmark", change.benchmark},
                                 {"metric", change.metric},
                                 {"base", change.base},
                                 {"head", change.head},
                                 {"worse", change.worse}});
  for (const judge::Fitness& one : comparison.fitness) controls.push_back(control_json(one.control));
  const std::string_view unfit = judge::unfit_reason(comparison);
  const json::object object{{"rows", std::move(rows)},
                            {"exact", std::move(exact)},
                            {"sentence", sentence(comparison)},
                            {"outlook", outlook_sentence(comparison)},
                            {"alpha", comparison.alpha},
                            {"threshold", comparison.threshold},
                            {"interleaved", comparison.interleaved},
                            {"session_shift", comparison.session_shift},
                            {"shift_source", source_phrase(comparison.shift_source)},
                            {"tested", comparison.tested},
                            {"noise", json::value_from(comparison.noise)},
                            {"fit", unfit.empty()},
                            {"unfit_reason", text_or_null(unfit)},
                            {"unfit", json::value_from(unfit_sentences(comparison))},
                            {"disturbed", json::value_from(disturbed_sentences(comparison))},
                            {"controls", std::move(controls)},
                            {"base", side_json(comparison.base)},
                            {"head", side_json(comparison.head)},
                            {"only_base", json::value_from(names_of(comparison.only_base))},
                            {"only_head", json::value_from(names_of(comparison.only_head))},
                            {"warnings", json::value_from(warnings_of(comparison))}};
  return json::serialize(object) + "\n";
}

std::string to_junit(const judge::Comparison& comparison) {
  JunitSuite suite{"compare", {{"summary", sentence(comparison)}}, {}};
  for (const auto& [name, side] : {std::pair("base", &comparison.base), std::pair("head", &comparison.head)}) {
    suite.properties.emplace_back(fmt::format("{}.name", name), side->name);
    suite.properties.emplace_back(fmt::format("{}.machine", name), side->machine);
    suite.properties.emplace_back(fmt::format("{}.commit", name), side->commit);
  }
  suite.properties.emplace_back("terms", terms(comparison));
  for (const judge::ComparisonRow& row : comparison.rows) {
    const std::string numbers = fmt::format("{} ({}), p {}", change_of(row), interval_text(row), p_text(row));
    JunitCase& one = suite.cases.emplace_back(JunitCase{"compare", row.benchmark, JunitCase::kPassed, ""});
    if (row.verdict == judge::Verdict::kRegressed)
      one.outcome = JunitCase::kFailed, one.message = fmt::format("regressed by {}", numbers);
    else if (row.verdict == judge::Verdict::kUnknown)
      one.outcome = JunitCase::kSkipped, one.message = skipped_text(row, numbers);
    else
      one.message = fmt::format("{}: {}", to_string(row.verdict), numbers);
  }
  for (const judge::ExactChange& change : comparison.exact)
    suite.cases.push_back({"exact", fmt::format("{} {}", change.benchmark, change.metric),
                           change.worse ? JunitCase::kFailed : JunitCase::kPassed, change_text(change)});
  return junit_xml(suite);
}

}  // namespace lab::report
