#include "harness/bench/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "harness/base/error.h"
#include "harness/base/files.h"

namespace lab::bench {

namespace {

void append(std::string& out, const void* data, std::size_t bytes) {
  out.append(static_cast<const char*>(data), bytes);
}

/// Takes `bytes` from the front of `text`; false if it is shorter.
bool take(std::string_view& text, void* data, std::size_t bytes) {
  if (text.size() < bytes) return false;
  if (bytes > 0) std::memcpy(data, text.data(), bytes);  // an empty answer has no address
  text.remove_prefix(bytes);
  return true;
}

/// Takes one answer; false if `text` is too short.
bool take(std::string_view& text, std::vector<float>& answer) {
  std::uint64_t size = 0;
  if (!take(text, &size, sizeof size) || size > text.size() / sizeof(float)) return false;
  answer.resize(size);
  return take(text, answer.data(), size * sizeof(float));
}

}  // namespace

std::vector<Case> cases_of(const WorkloadInfo& workload, const Case& inputs) {
  if (!workload.axis) return {inputs};
  std::vector<Case> cases(workload.axis->points.size(), inputs);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].point = workload.axis->points[i].at;
  return cases;
}

Expected<Answers> answers_of(const Workload& workload, Case inputs) {
  Answers answers;
  for (const Case& one : cases_of(workload, inputs)) {
    const std::unique_ptr<Task> task = workload.prepare(one);
    PhaseClock clock(workload.phases.size());
    task->repeat(clock);
    answers.push_back(task->answer());
    if (answers.back().empty()) return Error{fmt::format("{} has a tolerance, but no answer", workload.name), ""};
  }
  return answers;
}

Expected<void> write_answers(const std::filesystem::path& path, const Answers& answers) {
  std::string content;
  for (const std::vector<float>& answer : answers) {
    const std::uint64_t size = answer.size();
    append(content, &size, sizeof size);
    append(content, answer.data(), answer.size() * sizeof(float));
  }
  return write_file(path, content);
}

Expected<Answers> read_answers(const std::filesystem::path& path) {
  const Expected<std::string> content = read_file(path);
  if (!content) return content.error();
  Answers answers;
  for (std::string_view rest = *content; !rest.empty();)
    if (!take(rest, answers.emplace_back()))
      return Error{fmt::format("'{}' is not a file of answers", path.string()), ""};
  return answers;
}

Expected<double> distance_between(Distance distance, std::span<const float> answer, std::span<const float> reference) {
  if (answer.size() != reference.size())
    return Error{fmt::format("expected an answer of {} values, found {}", reference.size(), answer.size()), ""};
  double most = 0, squares = 0;
  for (std::size_t i = 0; i < answer.size(); ++i) {
    const double difference = std::abs(double{answer[i]} - double{reference[i]});
    if (!std::isfinite(difference)) return Error{fmt::format("value {} of the answer is not finite", i), ""};
    most = std::max(most, difference);
    squares += difference * difference;
  }
  if (distance == Distance::kMaximum || answer.empty()) return most;
  return std::sqrt(squares / static_cast<double>(answer.size()));
}

}  // namespace lab::bench
