#include "variants/particle_buffer/family/exhibits.h"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "harness/bench/exhibits.h"
#include "variants/particle_buffer/family/simulation.h"

namespace lab::particle_buffer {

namespace {

/// A frame in the time of events.
constexpr std::int64_t kFrameNs = 1'000'000;
constexpr unsigned kFrameWidth = 4, kPageHeight = 4;

/// What a page looks like in a frame.
enum PageState : std::uint8_t { kAbsent, kMostlyLive, kMostlyDead };
constexpr std::array kStateNames{"", "half or more live", "less than half live"};

/// The frames of a run, for all exhibits.
struct Film {
  std::vector<double> frames, emitted, live, slots, bytes_per_live;
  std::vector<std::vector<Span>> pages;
  std::uint64_t compactions = 0, pages_allocated = 0, pages_recycled = 0;

  Film(const Scenario& scenario, const MakeBuffer& make, std::uint64_t seed) {
    const std::unique_ptr<Buffer> buffer = make(setup_of(scenario));
    Simulation simulation(scenario, seed, *buffer);
    bench::PhaseClock clock(kFramePhases.size());
    while (!simulation.ended()) {
      simulation.step(clock);
      const Usage usage = buffer->usage();
      frames.push_back(simulation.frame());
      emitted.push_back(static_cast<double>(simulation.emitted()));
      live.push_back(static_cast<double>(buffer->live()));
      slots.push_back(static_cast<double>(usage.slots));
      bytes_per_live.push_back(buffer->live() == 0 ? 0 : static_cast<double>(usage.bytes) / live.back());
      pages.push_back(buffer->spans());
    }
    const Usage usage = buffer->usage();
    compactions = usage.compactions;
    pages_allocated = usage.pages_allocated;
    pages_recycled = usage.pages_recycled;
  }
};

/// Each page is a bar, one above the other, and each column of bars a frame: the part of the bar that is live, and the
/// part that is dead.
bench::Picture picture_of(const Film& film) {
  constexpr std::array<std::uint8_t, 3> kPaper{255, 255, 255}, kLive{46, 125, 80}, kDead{214, 96, 77};
  // A bar's slots along its height; a monolithic buffer is one bar, as high as its slots.
  std::size_t most_slots = 1, page = 1;
  for (const std::vector<Span>& spans : film.pages) {
    std::size_t slots = 0;
    for (const Span& span : spans) slots += span.slots;
    most_slots = std::max(most_slots, slots);
    if (!spans.empty()) page = spans.front().slots;
  }
  const std::size_t rows =
      std::min<std::size_t>(240, std::max<std::size_t>(60, most_slots / std::max<std::size_t>(1, page) * kPageHeight));
  bench::Picture picture;
  picture.width = static_cast<unsigned>(film.pages.size()) * kFrameWidth;
  picture.height = static_cast<unsigned>(rows);
  picture.pixels.assign(std::size_t{picture.width} * rows * 3, 255);
  const auto paint = [&](std::size_t frame, std::size_t from, std::size_t to,
                         const std::array<std::uint8_t, 3>& color) {
    for (std::size_t row = from; row < std::min(to, rows); ++row)
      for (unsigned x = 0; x + 1 < kFrameWidth; ++x)
        std::copy(color.begin(), color.end(),
                  picture.pixels.begin() +
                      static_cast<std::ptrdiff_t>(((rows - 1 - row) * picture.width + frame * kFrameWidth + x) * 3));
  };
  for (std::size_t frame = 0; frame < film.pages.size(); ++frame) {
    std::size_t below = 0;
    for (const Span& span : film.pages[frame]) {
      const auto row = [&](std::size_t slots) { return slots * rows / most_slots; };
      const std::size_t from = row(below), middle = row(below + span.live), to = row(below + span.slots);
      paint(frame, from, middle, kLive);
      paint(frame, middle, to, kDead);
      if (film.pages[frame].size() > 1 && to > from + 2) paint(frame, to - 1, to, kPaper);
      below += span.slots;
    }
  }
  return picture;
}

PageState state_of(const Span& span) {
  return span.live * 2 >= span.slots ? kMostlyLive : kMostlyDead;
}

/// A bar for each place in the list of pages, as long as the page there stays in a state.
std::vector<bench::Event> events_of(const Film& film) {
  std::vector<bench::Event> events;
  std::size_t most = 0;
  for (const std::vector<Span>& spans : film.pages) most = std::max(most, spans.size());
  for (std::size_t page = 0; page < most; ++page) {
    PageState state = kAbsent;
    std::size_t begin = 0;
    for (std::size_t frame = 0; frame <= film.pages.size(); ++frame) {
      const bool there = frame < film.pages.size() && page < film.pages[frame].size();
      const PageState now = there ? state_of(film.pages[frame][page]) : kAbsent;
      if (now == state) continue;
      if (state != kAbsent) {
        const Span& span = film.pages[begin][page];
        events.push_back({kStateNames[state],
                          static_cast<unsigned>(page),
                          static_cast<std::int64_t>(begin) * kFrameNs,
                          static_cast<std::int64_t>(frame - begin) * kFrameNs,
                          {{"slots", static_cast<std::int64_t>(span.slots)},
                           {"live", static_cast<std::int64_t>(span.live)},
                           {"dead", static_cast<std::int64_t>(span.slots - span.live)},
                           {"emitted", static_cast<std::int64_t>(film.emitted[begin])},
                           {"allocated", static_cast<std::int64_t>(film.slots[begin])}}});
      }
      state = now;
      begin = frame;
    }
  }
  std::ranges::stable_sort(events, {}, &bench::Event::begin);
  return events;
}

void show_film(const Scenario& scenario, const MakeBuffer& make, std::uint64_t seed, bench::ExhibitFiles& files) {
  const Film film(scenario, make, seed);
  files.series("bytes", {"frame", "bytes for each live particle", film.frames, {{"bytes", film.bytes_per_live}}});
  files.image("pages", picture_of(film));
  files.events("page_events", events_of(film),
               {{"emitted", film.emitted.back()},
                {"most allocated", std::ranges::max(film.slots)},
                {"most live", std::ranges::max(film.live)},
                {"compactions", static_cast<double>(film.compactions)},
                {"pages allocated", static_cast<double>(film.pages_allocated)},
                {"pages recycled", static_cast<double>(film.pages_recycled)}},
               {"page", "frames", static_cast<double>(kFrameNs) / 1000});
}

void count_particles(const Scenario& scenario, const MakeBuffer& make, std::uint64_t seed, bench::ExhibitFiles& files) {
  const Film film(scenario, make, seed);
  files.series("particles", {"frame",
                             "particles",
                             film.frames,
                             {{"emitted so far", film.emitted}, {"allocated", film.slots}, {"live", film.live}}});
}

void time_frames(const Scenario& scenario, const MakeBuffer& make, std::uint64_t seed, bench::ExhibitFiles& files) {
  const std::unique_ptr<Buffer> buffer = make(setup_of(scenario));
  Simulation simulation(scenario, seed, *buffer);
  std::vector<std::uint32_t> times;
  while (!simulation.ended()) {
    bench::PhaseClock clock(kFramePhases.size());
    simulation.step(clock);
    double sum = 0;
    for (const double phase : clock.nanoseconds()) sum += phase;
    times.push_back(static_cast<std::uint32_t>(sum));
  }
  files.latency("frame", times);
}

/// Adds exhibits to those that the workload has.
bench::Workload with(bench::Workload workload, const std::vector<bench::ExhibitInfo>& exhibits,
                     const std::function<void(const bench::Case&, bench::ExhibitFiles&)>& show) {
  workload.exhibits.insert(workload.exhibits.end(), exhibits.begin(), exhibits.end());
  workload.exhibit = [others = std::move(workload.exhibit), show](const bench::Case& inputs,
                                                                  bench::ExhibitFiles& files) {
    if (others) others(inputs, files);
    show(inputs, files);
  };
  return workload;
}

}  // namespace

bench::Workload with_film(bench::Workload workload, const Scenario& scenario, const MakeBuffer& make) {
  using enum bench::ExhibitKind;
  return with(std::move(workload),
              {{"bytes", "Bytes for each live particle", kSeries},
               {"pages", "Pages as bars over the frames: live particles green, dead ones red", kImage},
               {"page_events", "Pages over the frames: each row is a page", kEvents}},
              [scenario, make](const bench::Case& inputs, bench::ExhibitFiles& files) {
                show_film(scenario, make, inputs.seed, files);
              });
}

bench::Workload with_counts(bench::Workload workload, const Scenario& scenario, const MakeBuffer& make) {
  return with(std::move(workload),
              {{"particles", "Particles emitted, allocated and live", bench::ExhibitKind::kSeries}},
              [scenario, make](const bench::Case& inputs, bench::ExhibitFiles& files) {
                count_particles(scenario, make, inputs.seed, files);
              });
}

bench::Workload with_frame_times(bench::Workload workload, const Scenario& scenario, const MakeBuffer& make) {
  return with(std::move(workload), {{"frame", "Time of a frame", bench::ExhibitKind::kLatency}},
              [scenario, make](const bench::Case& inputs, bench::ExhibitFiles& files) {
                time_frames(scenario, make, inputs.seed, files);
              });
}

}  // namespace lab::particle_buffer
