/// Steps that stand out from their neighbourhood: found by it alone, in however many levels, waves or drifts the rest
/// of the series is. Levels over a whole series (segmentation.h) find smaller steps, but what they do not explain makes
/// all of them unsure.
///
/// At each place the medians of 3 points on both sides are compared, and those of 5. A step counts by two things, both
/// as evidence: twice a log-likelihood.
/// - How far apart the medians are: the square of that distance, in the unit of the same distance at the places around,
///   of which 70 % are taken for normal noise. So autocorrelated noise, whose medians move, needs a larger step.
/// - How rarely the points on one side, up to 20 of them, all lie beyond those on the other, whatever the distribution
///   (rarity.h). So neither outliers nor levels that alternate from point to point are steps.
/// Neither alone is enough: 5 units and 10 nats are, or 4.2 and 14. The constants were chosen on public histories of
/// benchmarks (asv, github-action-benchmark, rubybench; harness/docs/decisions.md) and on noises of the kinds that
/// `simulate hindsight` reports, with other seeds; on histories of other repositories they were proven.
/// What is found no longer counts as noise, so that many steps do not hide each other, and no side reaches beyond it.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lab::stats {

/// The first point of every level but the first, ascending, at least 3 apart. `more`: evidence that both must have
/// beyond what one series needs. The values are finite.
std::vector<std::size_t> sharp_steps(std::span<const double> values, double more = 0);

}  // namespace lab::stats
