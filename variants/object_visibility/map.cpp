#include <algorithm>
#include <memory>
#include <unordered_map>

#include "variants/object_visibility/family/registration.h"

namespace {

using namespace lab::object_visibility;

/// A look-up for each pixel that is not background, as the article's script does it.
class MapCounter final : public Counter {
 public:
  bool count(std::span<std::uint32_t> counts) override {
    visibility_.clear();
    for (const std::uint32_t id : image().ids)
      if (id != kBackground) ++visibility_[id];
    std::ranges::fill(counts, 0);
    bool known = true;
    for (const auto& [id, pixels] : visibility_) {
      if (id < counts.size())
        counts[id] = pixels;
      else
        known = false;
    }
    return known;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> visibility_;
};

}  // namespace

const lab::bench::Variant& lab::bench::this_variant() {
  return make_variant(LAB_VARIANT,
                      {.idea = "A map from ids to pixels: each pixel that is not background looks its id up.",
                       .cost = "A hash, a division and a walk in the map for each pixel.",
                       .source = "io7m, Consistent Environments In Stable Diffusion (2024), whose map is Python's dict",
                       .weakness = "Neighbours are nearly always the same object, and it looks each of them up."},
                      [](const Setup&) -> std::unique_ptr<Counter> { return std::make_unique<MapCounter>(); },
                      {.as_the_article = true});
}
