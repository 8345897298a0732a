/// What a session has found so far: in its result, and line by line in the journal, so that a crash loses nothing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "harness/measure/session.h"

namespace lab::measure {

class SessionLog {
 public:
  /// All must outlive it.
  SessionLog(const SessionEnvironment& environment, SessionEvents& events, results::Result& result)
      : environment_(environment), events_(events), result_(result) {}

  void add(results::Process process);
  void add(results::ReferenceChecksum answer);
  void add(const results::Disturbance& disturbance);
  void add(results::Failure failure);
  /// A failure that somebody else has added to the result.
  void report(const results::Failure& failure);
  void add_unusual(std::string sentence) { result_.session.unusual.push_back(std::move(sentence)); }

  results::Result& result() { return result_; }
  /// Of the result, about.
  std::size_t bytes() const { return bytes_; }
  /// Why the journal could not be written; none: it could.
  const std::optional<Error>& problem() const { return problem_; }

 private:
  bool write(const std::string& line);

  const SessionEnvironment& environment_;
  SessionEvents& events_;
  results::Result& result_;
  std::size_t bytes_ = std::size_t{2} << 20;  ///< more than a result takes without its processes
  std::optional<Error> problem_;
};

}  // namespace lab::measure
