#include "harness/judge/detector_memory.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>
#include <iterator>

#include "harness/base/error.h"
#include "harness/base/hash.h"
#include "harness/base/json_fields.h"

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

template <typename F>
void numbers(F& f, stats::SharedNoise& noise) {
  f(noise.autocorrelation);
  f(noise.sigma);
  f(noise.worth);
  f.list(noise.shape, [&](double& distance) { f(distance); });
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

template <typename T>
std::string text_of(T value) {
  Writer writer;
  numbers(writer, value);
  return writer.text;
}

template <typename T>
std::optional<T> parsed(std::string_view text) {
  Reader reader{text};
  T value;
  numbers(reader, value);
  if (reader.failed || !reader.text.empty()) return std::nullopt;
  return value;
}

void add_bytes(std::string& bytes, double number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// A hash of all that made a state, and of its text. With another one, all is judged again.
std::string hash_of(std::span<const double> values, std::span<const stats::WatchedFrom> contexts,
                    std::string_view state) {
  std::string bytes(state);
  const auto add = [&bytes](double number) { add_bytes(bytes, number); };
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
  return text_of(state);
}

std::optional<stats::DetectorState> parse_state(std::string_view text) {
  return parsed<stats::DetectorState>(text);
}

std::optional<stats::SharedNoise> shared_noise(const std::vector<std::span<const double>>& medians, std::size_t fewest,
                                               const Memories& known, Memories& left) {
  constexpr std::string_view kNone = "none";
  std::string bytes;
  for (const std::span<const double> of_series : medians) {
    add_bytes(bytes, static_cast<double>(of_series.size()));
    for (const double median : of_series) add_bytes(bytes, median);
  }
  const std::string key = content_name(bytes);
  if (const auto found = known.find(key); found != known.end()) {
    const std::optional<stats::SharedNoise> noise = parsed<stats::SharedNoise>(found->second);
    if (noise || found->second == kNone) {
      left.insert(*found);
      return noise;
    }
  }
  std::vector<std::vector<double>> logs;
  for (const std::span<const double> of_series : medians) {
    std::vector<double>& values = logs.emplace_back();
    for (const double median : of_series) values.push_back(std::log(median));
  }
  const std::optional<stats::SharedNoise> noise = stats::shared_noise(logs, fewest);
  left[key] = noise ? text_of(*noise) : kNone;
  return noise;
}

std::string memories_text(const Memories& memories) {
  return json::serialize(to_json(memories));
}

Memories parse_memories(std::string_view text) {
  const Expected<json::value> value = parse_json(text, "memories");
  Expected<Memories> memories = value ? from_json<Memories>(*value) : Memories{};
  return memories ? std::move(*memories) : Memories{};
}

}  // namespace lab::judge
