#include "harness/judge/detector_memory.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <iterator>

namespace lab::judge {

namespace {

/// All numbers of a state, in one order for writing and reading.
template <typename F>
void numbers(F& f, stats::DetectorState& state) {
  f(state.points);
  for (stats::DetectorState::Level* level : {&state.level, &state.alarmed}) {
    f(level->start);
    f(level->carried.from);
    f(level->carried.count);
    f(level->carried.middle);
    f(level->carried.scale);
    f(level->correlation);
  }
  f(state.looked_back);
  f.list(state.baselines, [&](stats::DetectorState::Baseline& one) {
    f(one.end);
    f(one.made_at);
  });
  f.list(state.found, [&](stats::ChangePoint& one) {
    f(one.index);
    f(one.detected_at);
    f(one.before);
    f(one.after);
    f(one.confidence);
    std::vector<stats::ChangePoint::Ratio> ratio;
    if (one.ratio) ratio.push_back(*one.ratio);
    f.list(ratio, [&](stats::ChangePoint::Ratio& its) {
      f(its.value);
      f(its.low);
      f(its.high);
    });
    if (!ratio.empty()) one.ratio = ratio.front();
  });
}

struct Writer {
  std::string text;

  void operator()(auto value) { fmt::format_to(std::back_inserter(text), "{} ", value); }
  void list(auto& all, const auto& each) {
    (*this)(all.size());
    for (auto& one : all) each(one);
  }
};

struct Reader {
  std::string_view text;
  bool failed = false;

  template <typename T>
  void operator()(T& value) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    failed = failed || problem != std::errc() || end == text.data() + text.size() || *end != ' ';
    if (!failed) text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  }
  void list(auto& all, const auto& each) {
    std::size_t count = 0;
    (*this)(count);
    for (; count > 0 && !failed; --count) each(all.emplace_back());
  }
};

/// A hash of all that made a state, and of its text. With another one, all is judged again.
std::string hash_of(std::span<const double> values, std::span<const stats::WatchedFrom> contexts,
                    std::string_view state) {
  std::string bytes(state);
  const auto add = [&bytes](double number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); };
  for (const double value : values) add(value);
  for (const stats::WatchedFrom& one : contexts) {
    if (one.index >= values.size()) break;
    add(static_cast<double>(one.index));
    add(static_cast<double>(one.context.series));
    if (!one.context.shared) continue;
    const stats::SharedNoise& shared = *one.context.shared;
    for (const double number : {shared.autocorrelation, shared.sigma, shared.worth}) add(number);
    for (const double distance : shared.shape) add(distance);
  }
  return fmt::format("{:x} ", std::hash<std::string_view>{}(bytes));
}

}  // namespace

stats::ChangePointDetector remembered(std::span<const double> values, std::span<const stats::WatchedFrom> contexts,
                                      std::string_view memory) {
  const std::size_t hash_end = memory.find(' ') + 1;
  const std::string_view text = memory.substr(hash_end);
  const std::optional<stats::DetectorState> state = parse_state(text);
  if (!state || state->points > values.size() ||
      memory.substr(0, hash_end) != hash_of(values.first(state->points), contexts, text))
    return stats::ChangePointDetector();
  return {values, contexts, *state};
}

std::vector<stats::ChangePoint> find_change_points(std::span<const double> values,
                                                   std::span<const stats::WatchedFrom> contexts, std::string& memory) {
  stats::ChangePointDetector detector = remembered(values, contexts, memory);
  stats::watch(detector, values, contexts);
  memory.clear();
  if (values.size() >= stats::ChangePointDetector::kEnough) {
    const std::string text = state_text(detector.state());
    memory = hash_of(values, contexts, text) + text;
  }
  return detector.change_points();
}

std::string state_text(const stats::DetectorState& state) {
  Writer writer;
  stats::DetectorState copy = state;
  numbers(writer, copy);
  return writer.text;
}

std::optional<stats::DetectorState> parse_state(std::string_view text) {
  Reader reader{text};
  stats::DetectorState state;
  numbers(reader, state);
  if (reader.failed || !reader.text.empty()) return std::nullopt;
  return state;
}

}  // namespace lab::judge
