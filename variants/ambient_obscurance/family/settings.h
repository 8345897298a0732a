/// What a frame of ambient obscurance is made with: how many samples, where they lie, and what history is worth.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lab::ambient_obscurance {

/// Where the samples of a frame lie, beyond the spiral that all frames share: a turn of it and a shift of its radii,
/// which vary over frames, over pixels, or both.
enum class Placement : std::uint8_t {
  kFixed,          ///< every frame and pixel alike
  kRandom,         ///< a random turn for each frame
  kHalton,         ///< the article's: the first 8 terms of the Halton sequence of base 3
  kHaltonBayer,    ///< the article's: and the radii of a pixel are shifted by a 4x4 Bayer matrix
  kNineEven,       ///< 9 even turns, and the Bayer matrix
  kGoldenRatio,    ///< turns by the golden ratio, and the Bayer matrix
  kR2,             ///< turn and radii by the R2 sequence (Roberts 2018), the same for all pixels
  kGradientNoise,  ///< turn by interleaved gradient noise (Jimenez 2014) and radii by the Bayer matrix
};
inline constexpr std::array<std::string_view, 8> kPlacements{"fixed",     "random",       "halton", "halton_bayer",
                                                             "nine_even", "golden_ratio", "r2",     "gradient_noise"};

inline constexpr std::array<std::string_view, 8> kPlacementTitles{"nothing but the spiral",
                                                                  "random turns",
                                                                  "8 turns of the Halton sequence",
                                                                  "8 turns of the Halton sequence and a Bayer matrix",
                                                                  "9 even turns and a Bayer matrix",
                                                                  "turns by the golden ratio and a Bayer matrix",
                                                                  "the R2 sequence",
                                                                  "interleaved gradient noise and a Bayer matrix"};

/// What to do with samples that touch something that moves.
enum class Dangerous : std::uint8_t {
  kOff,
  kPrinted,  ///< the article's code: what is smoothed ends as soon as no sample touches the mover
  kMeant,    ///< the article's text: what is smoothed outlasts the mover
  kCurrent,  ///< nothing is smoothed: the samples of this frame alone
};

/// The terms of the similarity of a pixel with its history, each of which may be left out.
struct Terms {
  bool disocclusion = true, velocity = true;
  Dangerous dangerous = Dangerous::kMeant;
};

/// The article names these and gives no values but kSmoothing. Chosen on the three scenes.
inline constexpr float kDepthMinimum = 0.1f;   ///< added to the ratio of depths to the fourth power
inline constexpr float kVelocityScale = 0.1f;  ///< for pixels a frame
inline constexpr float kMovingScale = 8;       ///< for the share of a pixel's samples that touch a mover
inline constexpr float kLowVelocity = 0.92f;   ///< the most that history weighs
inline constexpr float kHighVelocity = 0.6f;   ///< of a fast pixel
inline constexpr float kMovingMinimum = 0;     ///< of a pixel all of whose samples touch a mover
inline constexpr float kSmoothing = 0.9f;

/// The estimator's (McGuire, Mara, Luebke: Scalable Ambient Obscurance, 2012).
inline constexpr float kRadius = 0.7f;  ///< metres
inline constexpr float kBias = 0.01f;   ///< metres above a surface that do not count
inline constexpr float kIntensity = 0.4f;
inline constexpr float kMostRadius = 512;  ///< of the sampled disc, pixels: near surfaces sample less of it
inline constexpr float kEpsilon = 0.01f;   ///< square metres

inline constexpr std::uint32_t kMostSamples = 64;

struct Settings {
  std::uint32_t samples = 6;  ///< 1 to kMostSamples
  Placement placement = Placement::kHaltonBayer;
  bool reprojected = true;
  Terms terms = {};
  /// The final combination as the code prints it, which caps what history weighs at kLowVelocity * (kLowVelocity -
  /// kHighVelocity), or as the text means it.
  bool printed_combination = false;
  /// Coarser levels of the depth have the moving bit too. Without it, a sample that reads them finds nothing that
  /// moves.
  bool forwards_movers = true;

  /// Whether anything asks which samples touch a mover. If not, the depth has no moving bit.
  bool counts_movers() const { return reprojected && terms.dangerous != Dangerous::kOff; }
};

}  // namespace lab::ambient_obscurance
