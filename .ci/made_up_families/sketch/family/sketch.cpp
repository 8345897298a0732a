#include "variants/sketch/family/sketch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "harness/bench/exhibits.h"
#include "harness/bench/variant.h"

namespace lab::sketch {

namespace {

constexpr std::size_t kSide = 256;

std::size_t inked(const Paper& paper) {
  return static_cast<std::size_t>(
      std::count_if(paper.grey.begin(), paper.grey.end(), [](float g) { return g < 0.5f; }));
}

class DiscTask : public bench::Task {
 public:
  DiscTask(DrawDisc draw, std::size_t side) : draw_(draw), paper_(side) {}

  std::uint64_t repeat(bench::PhaseClock& clock) override {
    clock.time(0, [&] { std::fill(paper_.grey.begin(), paper_.grey.end(), 1.0f); });
    clock.time(1, [&] { draw_(paper_); });
    return inked(paper_);
  }
  std::vector<float> answer() const override { return paper_.grey; }
  std::map<std::string, double> counters() const override {
    return {{"paper_bytes", static_cast<double>(paper_.grey.size() * sizeof(float))},
            {"sharpness", static_cast<double>(inked(paper_)) / static_cast<double>(paper_.grey.size())}};
  }

 private:
  DrawDisc draw_;
  Paper paper_;
};

bench::Picture picture_of(const Paper& paper) {
  const auto side = static_cast<unsigned>(paper.side);
  bench::Picture picture{side, side, 1, {}};
  for (const float grey : paper.grey) picture.pixels.push_back(static_cast<std::uint8_t>(std::lround(grey * 255)));
  return picture;
}

void show(DrawDisc draw, bench::ExhibitFiles& files) {
  using Clock = std::chrono::steady_clock;
  Paper paper(kSide);
  std::vector<std::uint32_t> times;
  std::vector<bench::Event> events;
  bench::Series ink{"discs", "inked pixels", {}, {{"ink", {}}}};
  const Clock::time_point start = Clock::now();
  for (int disc = 0; disc < 2000; ++disc) {
    const Clock::time_point before = Clock::now();
    draw(paper);
    const std::chrono::nanoseconds took = Clock::now() - before;
    times.push_back(static_cast<std::uint32_t>(took.count()));
    if (disc >= 20) continue;
    events.push_back({"disc", 0, (before - start).count(), took.count()});
    ink.x.push_back(disc + 1);
    ink.lines[0].y.push_back(static_cast<double>(inked(paper)));
  }
  files.latency("stroke", times);
  files.series("ink", ink);
  files.image("picture", picture_of(paper));
  files.events("strokes", events);
}

bench::Workload disc(DrawDisc draw) {
  bench::Workload workload;
  workload.name = "disc";
  workload.title = "a disc of 256 x 256 pixels";
  workload.phases = {"clear", "draw"};
  workload.operations = 1;
  workload.operation = "disc";
  workload.metrics = {{"paper_bytes", "Paper", "bytes", bench::MetricKind::kExact, bench::Better::kNeither},
                      {"sharpness", "Share of inked pixels", "", bench::MetricKind::kQuality, bench::Better::kMore}};
  workload.tolerance = bench::Tolerance{bench::Distance::kRootMeanSquare, 0.2, "grey levels"};
  workload.prepare = [draw](const bench::Case&) { return std::make_unique<DiscTask>(draw, kSide); };
  workload.exhibits = {{"stroke", "Time of a disc", bench::ExhibitKind::kLatency},
                       {"ink", "Ink used", bench::ExhibitKind::kSeries},
                       {"picture", "The disc", bench::ExhibitKind::kImage},
                       {"strokes", "When each disc was drawn", bench::ExhibitKind::kEvents}};
  workload.exhibit = [draw](const bench::Case&, bench::ExhibitFiles& files) { show(draw, files); };
  return workload;
}

/// Discs of growing size, in nanoseconds per pixel.
bench::Workload sizes(DrawDisc draw) {
  bench::Workload workload;
  workload.name = "sizes";
  workload.title = "discs of 16 x 16 to 256 x 256 pixels";
  workload.phases = {"clear", "draw"};
  workload.operations = 1;  // each point has its own
  workload.operation = "pixel";
  workload.tolerance = bench::Tolerance{bench::Distance::kRootMeanSquare, 0.5, "grey levels"};
  workload.axis = bench::Axis{"side", "pixels", {}};
  for (std::uint64_t side = 16; side <= kSide; side *= 4)
    workload.axis->points.push_back({static_cast<double>(side), side * side});
  workload.prepare = [draw](const bench::Case& inputs) {
    return std::make_unique<DiscTask>(draw, static_cast<std::size_t>(inputs.point));
  };
  return workload;
}

std::string misplaced_ink(DrawDisc draw) {
  Paper paper(16);
  draw(paper);
  if (paper.grey[16 * 8 + 8] > 0.5f) return "the middle is white";
  return paper.grey[0] < 0.5f ? "the corner is inked" : "";
}

}  // namespace

bench::Variant& make_variant(const char* name, const bench::Card& card, DrawDisc draw) {
  return bench::keep({bench::variant_card(LAB_FAMILY, name, card),
                      {disc(draw), sizes(draw)},
                      {{"the middle is inked, the corner is not", [draw] { return misplaced_ink(draw); }}}});
}

}  // namespace lab::sketch
