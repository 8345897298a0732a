#include "harness/measure/session_log.h"

namespace lab::measure {

void SessionLog::add(results::Process process) {
  if (write(results::journal_line(process))) result_.processes.push_back(std::move(process));
}

void SessionLog::add(results::ReferenceChecksum answer) {
  if (write(results::journal_line(answer))) result_.answers.push_back(std::move(answer));
}

void SessionLog::add(const results::Disturbance& disturbance) {
  if (write(results::journal_line(disturbance))) result_.session.disturbances.push_back(disturbance);
}

void SessionLog::add(results::Failure failure) {
  report(failure);
  result_.failures.push_back(std::move(failure));
}

void SessionLog::report(const results::Failure& failure) {
  write(results::journal_line(failure));
  events_.on_failure(failure);
}

bool SessionLog::write(const std::string& line) {
  const Expected<void> kept = environment_.journal(line);
  if (!kept && !problem_) problem_ = kept.error();
  bytes_ += line.size() + 1;
  return kept.has_value();
}

}  // namespace lab::measure
