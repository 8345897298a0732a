#include "variants/render_config/family/registration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "harness/bench/checksum.h"
#include "harness/bench/variant.h"
#include "variants/render_config/engine/without_device.h"
#include "variants/render_config/family/fuzz.h"
#include "variants/render_config/family/render_config.h"
#include "variants/render_config/family/workloads.h"

namespace lab::render_config {

namespace {

constexpr std::uint32_t kWidth = 97, kHeight = 61;  // not multiples of anything

/// The digest of a frame's commands and of the first views, or what went wrong in `problem`.
std::uint64_t commands_of(FrameMaker& maker, CodedFrame which, Scene& scene, CommandCounts& counts, std::size_t& views,
                          std::string& problem) {
  NumberedObjects handles;
  if (const auto read = maker.read(which); !read) problem = read.error().what;
  if (!problem.empty()) return 0;
  const auto frame = maker.make(handles, kWidth, kHeight);
  if (!frame) {
    problem = frame.error().what;
    return 0;
  }
  (*frame)->record({CommandDigest::begin(), VK_NULL_HANDLE, NumberedObjects::binding(), scene});
  counts = CommandDigest::counts();
  bench::Checksum all;
  all.word(CommandDigest::value());
  // What the frame uses: a configuration may have more views.
  for (const CascadeSpec& view : (*frame)->views().first(std::min(views, (*frame)->views().size())))
    for (const float value : {static_cast<float>(view.cascade), static_cast<float>(view.of), view.reach, view.split,
                              view.sphere ? 1.0f : 0.0f, static_cast<float>(view.pixels)})
      all.word(std::bit_cast<std::uint32_t>(value));
  views = (*frame)->views().size();
  return all.value();
}

std::string other_commands(const Renderer& renderer, CodedFrame which) {
  const std::unique_ptr<FrameMaker> coded = coded_maker(), maker = renderer.make_maker();
  for (const std::size_t objects : {16u, 200u})
    for (const double seconds : {0.0, 7.5}) {
      Scene scene(objects + 1, objects);
      scene.set_time(seconds, double{kWidth} / kHeight);
      std::string problem;
      CommandCounts wanted, found;
      std::size_t views = kMostViews;  // then those of the frame in C++
      const std::uint64_t expected = commands_of(*coded, which, scene, wanted, views, problem);
      const std::uint64_t digest = commands_of(*maker, which, scene, found, views, problem);
      if (!problem.empty()) return problem;
      if (digest != expected)
        return fmt::format(
            "{} objects after {} s: {} passes, {} draws and the digest {:016x} expected, {}, {} and "
            "{:016x} found",
            objects, seconds, wanted.passes, wanted.draws, expected, found.passes, found.draws, digest);
    }
  return "";
}

}  // namespace

bench::Variant& make_variant(const char* name, const bench::Card& card, const Renderer& renderer) {
  bench::Variant variant{bench::variant_card(LAB_FAMILY, name, card)};
  variant.traits["reloads"] = renderer.reloads ? "while it runs" : "no";
  variant.workloads = make_workloads(renderer);
  constexpr std::array<std::pair<CodedFrame, const char*>, 3> kChecks{
      {{CodedFrame::kForward, "a forward frame has the same commands as in C++"},
       {CodedFrame::kDeferred, "a deferred frame has the same commands as in C++"},
       {CodedFrame::kGreyscale, "a frame with the greyscale effect has the same commands as in C++"}}};
  for (const auto& [which, check] : kChecks)
    variant.conformance.push_back({check, [renderer, which = which] { return other_commands(renderer, which); }});
  variant.fuzz = fuzz;
  return bench::keep(std::move(variant));
}

}  // namespace lab::render_config
