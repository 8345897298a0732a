#include "variants/object_pool/family/chapter_story.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/bench/exhibits.h"
#include "harness/bench/variant.h"
#include "variants/designs/objects/chapter_pool.h"
#include "variants/designs/objects/marks.h"
#include "variants/object_pool/family/subject.h"

namespace lab::object_pool {

namespace {

constexpr const char* kChapter = "chapter";
constexpr std::size_t kParticles = 100;  // as printed
constexpr std::size_t kManyParticles = 10'000;
constexpr int kFramesOfStory = 1000, kLifetime = 20;

struct Story {
  std::vector<bench::Event> frames;
  std::map<std::string, double> figures;
};

/// The most particles that one creation looks at while a pool is filled.
template <typename Pool>
double most_looked_at(std::size_t particles) {
  Pool pool(particles);
  for (std::size_t i = 0; i < particles; ++i) pool.create({.frames_left = kLifetime});
  return static_cast<double>(pool.most_looked_at());
}

/// Three particles are created in each frame; one of them has a lifetime of 0.
template <typename Pool>
Story story_of() {
  Pool pool(kParticles);
  Story story;
  std::int64_t refused = 0;
  for (int frame = 0; frame < kFramesOfStory; ++frame) {
    for (const int lifetime : {kLifetime, 0, kLifetime}) refused += !pool.create({.frames_left = lifetime});
    pool.animate();
    const auto in_use = static_cast<std::int64_t>(pool.in_use()),
               available = static_cast<std::int64_t>(pool.available());
    story.frames.push_back({"frame",
                            0,
                            frame,
                            0,
                            {{"in use", in_use},
                             {"available", available},
                             {"lost", static_cast<std::int64_t>(kParticles) - in_use - available},
                             {"not created", refused}}});
  }
  // Nothing is created any more, so that every particle that can die does.
  for (int frame = 0; frame < kLifetime; ++frame) pool.animate();
  story.figures["particles"] = static_cast<double>(kParticles);
  story.figures["in_use_in_the_end"] = static_cast<double>(pool.in_use());
  story.figures["lost_in_the_end"] = static_cast<double>(kParticles - pool.in_use() - pool.available());
  story.figures["creations_without_a_slot"] = static_cast<double>(refused);
  story.figures["most_looked_at"] = most_looked_at<Pool>(kParticles);
  story.figures["many_particles"] = static_cast<double>(kManyParticles);
  story.figures["most_looked_at_of_many"] = most_looked_at<Pool>(kManyParticles);
  return story;
}

bench::Variant& with_story(bench::Variant& variant, Story (*story_of_form)(), std::map<std::string, double> more) {
  const auto frame = std::ranges::find(variant.workloads, "frame", &bench::Workload::name);
  if (frame == variant.workloads.end()) return variant;
  frame->exhibits.push_back({kChapter, "The chapter's pool of 100 particles, of which each third has a lifetime of 0",
                             bench::ExhibitKind::kEvents});
  frame->exhibit = [story_of_form, more = std::move(more)](const bench::Case&, bench::ExhibitFiles& files) {
    Story story = story_of_form();
    story.figures.insert(more.begin(), more.end());
    files.events(kChapter, story.frames, story.figures);
  };
  return variant;
}

}  // namespace

bench::Variant& with_first_form(bench::Variant& variant) {
  const designs::Slots<Probe> slots(kParticles);
  return with_story(variant, story_of<designs::ChapterScanPool>,
                    {{"bytes_of_bools", static_cast<double>(designs::BoolMarks<Probe>(slots).bytes())},
                     {"bytes_of_bits", static_cast<double>(designs::BitMarks<Probe>(slots).bytes())}});
}

bench::Variant& with_second_form(bench::Variant& variant) {
  return with_story(variant, story_of<designs::ChapterListPool>, {});
}

}  // namespace lab::object_pool
