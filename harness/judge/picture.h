/// One machine, one picture: its sessions of one commit, put together into one result that all of judge and report
/// read.
///
/// Which sessions count follows from their heads, loads and controls, and never from a time:
///   - Every session of the commit counts with its times if it is fit (fitness.h). Its sources have no changes.
///   - A session of another commit, or of changed sources, counts for the benchmarks of which the content of the
///     executable, the kernel, the C library, the seed and the workload's version are the same.
///   - An unfit session gives what has no noise: counters, formulas, pictures. No times.
///   - A workload whose times are no level in one session (JudgedBlocks::is_level) and are in another: the former gives
///     no times of it.
///   - A benchmark with a wrong answer in one session has no numbers from any.
///
/// Nothing is pooled. Each process has the number of its session, blocks of two sessions have two numbers, and
/// estimates are made in each session and then put together with the variance between sessions (stats/sessions.h). A
/// ratio is of the blocks of one session. Exhibits of one workload come from one session, because they are compared
/// with each other.
///
/// A picture of one session is that session: every figure is as without a picture.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/fitness.h"
#include "harness/results/result.h"

namespace lab::judge {

/// Sessions of other commits are added only up to so many: a machine that measures every night has hundreds.
inline constexpr std::size_t kMostSessions = 8;

/// What belongs to a picture and why.
enum class Kinship {
  kCommit,      ///< the same commit, without changes
  kExecutable,  ///< another commit or changed sources: some executables are the same
  kNone
};

/// One session and what it gave.
struct PictureSession {
  std::string id;
  std::string started;  ///< UTC, RFC 3339
  results::Source source;
  Kinship kinship = Kinship::kCommit;
  bool fit = true;
  std::string reason;               ///< kMachineReason or kBlindReason if unfit
  std::vector<std::string> unlike;  ///< why it gives less or nothing: "another seed"
  std::size_t benchmarks = 0;       ///< that it gives with their noise
  std::size_t exact = 0;            ///< that it gives without
  std::size_t exhibits = 0;
  std::vector<std::string> alone;      ///< workloads that no other session gives: "family/workload"
  std::vector<std::string> disturbed;  ///< workloads whose times another session has undisturbed
  std::vector<std::string> blind;      ///< families in which its control is blind, and another session's is not
  std::size_t failures = 0;

  bool gives() const { return benchmarks + exact + exhibits > 0; }
};

struct Picture {
  /// The newest fit session of the commit, or the latest one if none is fit, with what the others add. Its facts,
  /// machine, arms and session are those of that session alone.
  results::Result result;
  Fitness fitness;                       ///< of that session; blind only where every session is
  std::vector<PictureSession> sessions;  ///< the latest first; that one alone if nothing was added
  std::size_t main = 0;                  ///< which of them `result` began with

  bool several() const { return sessions.size() > 1; }
};

/// How a session belongs to the picture of `latest`, from their heads (results::load_result_head).
Kinship kinship_of(const results::Result& latest, const results::Result& other);

/// Those of `heads`, the latest first, that belong to the picture of the first: all of its commit, others up to
/// kMostSessions. Ascending, beginning with 0.
std::vector<std::size_t> chosen_sessions(std::span<const results::Result> heads);

/// Puts sessions together. The first is the latest; the others belong to its picture.
Picture put_together(std::vector<results::Result> sessions);

}  // namespace lab::judge
