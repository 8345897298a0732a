/// Ambient obscurance of one frame after the other: what the family's variants are.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/bench/variant.h"
#include "variants/ambient_obscurance/family/frames.h"
#include "variants/ambient_obscurance/family/pattern.h"
#include "variants/ambient_obscurance/family/settings.h"

namespace lab::ambient_obscurance {

/// Renders the frames of a sequence in their order. `sequence` and `patterns` outlive it.
class Renderer {
 public:
  virtual ~Renderer() = default;
  /// Forgets history.
  virtual void begin() = 0;
  /// The next frame, timed in the phases that the renderer declares.
  virtual void render(bench::PhaseClock& clock) = 0;
  /// By pixel: 1 where nothing hides the sky. Of the last frame.
  virtual std::vector<float> result() = 0;
  /// By pixel: what history weighed. Of the last frame; for a Work that weighs.
  virtual std::vector<float> weight() = 0;
  /// Further metrics.
  virtual void add_counters(std::map<std::string, double>&) const {}
};

struct Work {
  const Sequence& sequence;
  const std::vector<Pattern>& patterns;
  const Settings& settings;
  const bench::Case& inputs;
  bool weighs = false;  ///< keep what history weighed, which takes time
};

/// What a variant gives.
struct Maker {
  std::function<std::unique_ptr<Renderer>(const Work&)> make;
  std::vector<std::string> phases = {};
  bool parallel = false;
  bool on_device = false;        ///< has threads and clocks of its own
  bool exhibits = false;         ///< shows its images: one variant's are enough
  std::string unsupported = {};  ///< why it cannot run here
  std::vector<bench::Metric> metrics = {};
  /// Whether a metric that needs hundreds of frames is asked for; none: each is.
  std::function<bool(std::string_view)> wants = {};
};

/// The same, of a variant that shows its images.
inline Maker with_exhibits(Maker maker) {
  maker.exhibits = true;
  return maker;
}

bench::Variant& make_variant(const char* name, const bench::Card& card, const Maker& maker);

}  // namespace lab::ambient_obscurance
