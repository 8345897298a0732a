/// The priors that the fits of one step (culprit_fit.h) and of several (culprit_steps_fit.h) share.
#pragma once

#include <array>
#include <numbers>

namespace lab::stats {

/// A component of the prior of the effect's size, in sigma.
struct EffectPrior {
  double tau;
  double probability;
};

/// Offsets of builds, in sigma of a measurement.
struct OffsetPrior {
  double lambda;
  double probability;
};

inline constexpr double kNoiseShape = 0.5;
inline constexpr double kNoiseScale = 5e-4;
/// Scales of the drift: sigma per square root of a measurement; all equally likely.
inline constexpr std::array<double, 3> kDrifts{0.01, 0.1, 0.4};
inline constexpr std::array<OffsetPrior, 5> kOffsets{{{0, 0.7}, {0.4, 0.075}, {1, 0.075}, {2.5, 0.075}, {10, 0.075}}};
/// Relative offsets: several times as much is rare.
inline constexpr double kUsualOffset = 0.03;
/// Effects of hundreds of sigma are rare but real: the size of an executable has no noise and may double.
inline constexpr std::array<EffectPrior, 4> kEffects{{{1, 0.49}, {4, 0.49}, {64, 0.01}, {1024, 0.01}}};
inline constexpr double kDisturbed = 1, kInlier = 9;
inline constexpr double kLeastRange = std::numbers::ln2;
inline constexpr double kLeast = 1e-9;  ///< of a precision, so that the matrix stays invertible

}  // namespace lab::stats
