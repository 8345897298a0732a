/// Estimates of one quantity from several sessions, put together.
///
/// Sessions differ by more than the noise between the processes of one: memory lies elsewhere, the machine is warmer,
/// the kernel is older. Each session says how exact it is in itself, and only several of them say how much sessions
/// differ. So processes are never pooled over sessions: each session gives one estimate.
///
/// The model, in logarithms where all values are positive: estimate = common value + effect of the session + noise of
/// the session, the last two normal. The standard deviation between sessions keeps its whole posterior distribution,
/// because few sessions say little about it: its prior is half-Cauchy (Gelman, Bayesian Analysis 1 (2006) 515-534) with
/// the scale kUsualDifference, as in layout_effect.h. The interval is that of the common value over this distribution.
/// It is never narrower than that of sessions without differences, and a session that deviates makes it wider.
///
/// Hartung and Knapp's interval assumes nothing about the differences (Statistics in Medicine 20 (2001) 3875-3889). Its
/// t is 12.7 with two sessions, so that a second session would undo nearly every verdict: with truncation (Rover, Knapp
/// and Friede, BMC Medical Research Methodology 15 (2015) 99) and the same reader below, two sessions would have
/// intervals 8.5 times as wide as one, three 1.8 times. This one is 3.1 and 1.5 times as wide, four as wide, eight half
/// as wide, and it has its coverage wherever sessions differ by at most four standard errors.
///
/// A reader may measure one more session until a claim is reproduced, and may be wrong each time. So several sessions
/// have intervals a little wider than one study would (kSpent). `simulate picture` counts the readers that succeed with
/// a false claim.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "harness/stats/interval.h"

namespace lab::stats {

/// The scale of the prior, in standard errors of one session: sessions usually differ by less than twice of what one
/// session cannot tell anyway.
inline constexpr double kUsualDifference = 2;

/// The share of 1 - coverage that the interval of several sessions leaves outside. Both were chosen by `simulate
/// picture
/// --seed 7`: with 1 and 0.6, up to 5.8 % of readers succeeded with a false claim, and sessions that differ by four
/// standard errors had 89 % of coverage.
inline constexpr double kSpent = 0.4;

/// The data of each session, in their order.
std::map<int, std::vector<Datum>> by_session(std::span<const Datum> data);

/// The estimates of several sessions as one. That of a single session is itself. Sessions with too few values for an
/// interval count only if no session has one; then the median is that of the medians. `sessions` must not be empty, and
/// their intervals have this coverage.
Estimate combined(std::span<const Estimate> sessions, double coverage = kCoverage);

/// Median and interval of the values: in one session as estimate_median, in several as `combined`. Must not be empty.
Estimate estimate_sessions(std::span<const Datum> data, double coverage = kCoverage);

}  // namespace lab::stats
