#include "harness/measure/conformance_gate.h"

#include <fmt/format.h>

#include <mutex>
#include <set>

#include "harness/base/fit.h"
#include "harness/base/parallel.h"

namespace lab::measure {

void ConformanceGate::check(const SessionArms& arms, const std::vector<Benchmark>& references, double most_seconds) {
  const double start = environment_.now();
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < arms.size(); ++i) candidates.push_back({arms[i].benchmark, arms[i].arm});
  for (const Benchmark& reference : references) candidates.push_back({&reference, std::string(results::kHead)});
  std::vector<Candidate> unknown;
  std::set<std::string> identities;
  for (const Candidate& one : candidates)
    if (!recall(one) && identities.insert(identity(one)).second) unknown.push_back(one);
  check(unknown);
  std::set<std::pair<std::string, std::string>> reported;  // variant and arm
  for (const Candidate& one : candidates) {
    if (!found_.contains(identity(one))) return;  // interrupted
    // The control is the same executable as head, and ends with it.
    if (one.arm != results::kControl && reported.emplace(variant_of(one.benchmark->name), one.arm).second) report(one);
  }
  if (const double seconds = environment_.now() - start; most_seconds > 0 && seconds > most_seconds)
    log_.add_unusual(
        fmt::format("conformance of {} took {:.0f} s, more than a tenth of the budget: the next session checks only "
                    "those that have changed",
                    counted(unknown.size(), "executable"), seconds));
}

bool ConformanceGate::fails(const Benchmark& benchmark, std::string_view arm) const {
  const auto found = found_.find(identity({&benchmark, std::string(arm)}));
  return found != found_.end() && !found->second.failures.empty();
}

/// The hash of the executable's content; "" if the arm does not record it.
std::string ConformanceGate::hash_of(const Candidate& one) const {
  return results::executable_of(results::find_arm(log_.result(), one.arm), one.benchmark->name);
}

/// Identifies a variant's executable; equal in two arms if the content is equal.
std::string ConformanceGate::identity(const Candidate& one) const {
  const std::string hash = hash_of(one);
  return variant_of(one.benchmark->name) + " " + (hash.empty() ? one.benchmark->executable.string() : hash);
}

/// Whether the executable conformed in an earlier session.
bool ConformanceGate::recall(const Candidate& one) {
  const std::string hash = hash_of(one);
  if (hash.empty() || !environment_.known_to_conform || !environment_.known_to_conform(hash)) return false;
  found_.emplace(identity(one), ConformanceResult{});
  return true;
}

/// Starts no further check once one was interrupted.
void ConformanceGate::check(const std::vector<Candidate>& unknown) {
  if (processes_.interrupted() || log_.problem()) return;
  std::vector<std::optional<ConformanceResult>> found(unknown.size());
  std::mutex alone;
  std::size_t started = 0;
  const auto check_one = [&](std::size_t i) {
    {
      const std::lock_guard lock(alone);
      if (processes_.interrupted()) return;
      events_.on_conformance({variant_of(unknown[i].benchmark->name), unknown[i].arm, started++, unknown.size()});
    }
    found[i] = processes_.check(*unknown[i].benchmark);
  };
  in_parallel(unknown.size(), check_one, environment_.checks_at_once);
  for (std::size_t i = 0; i < unknown.size(); ++i)
    if (found[i]) keep(unknown[i], std::move(*found[i]));
}

void ConformanceGate::keep(const Candidate& one, ConformanceResult&& found) {
  const std::string hash = hash_of(one);
  // With a remark, it is checked in every session, so that each says so.
  const bool well = found.failures.empty() && found.remarks.empty();
  if (well && !hash.empty() && environment_.on_conforms) environment_.on_conforms(hash);
  found_.emplace(identity(one), std::move(found));
}

void ConformanceGate::report(const Candidate& one) {
  const ConformanceResult& found = found_.at(identity(one));
  const std::string variant = variant_of(one.benchmark->name);
  for (const std::string& failure : found.failures)
    log_.add(
        results::Failure{variant, 0, 0, std::string(results::kNotConforming), failure, found.output_tail, one.arm});
  for (const std::string& remark : found.remarks)
    log_.add_unusual(fmt::format("{} breaks a promise on which no workload depends{}: {}",
                                 results::subject(variant, one.arm),
                                 found.failures.empty() ? ", so its numbers count" : "", remark));
}

}  // namespace lab::measure
