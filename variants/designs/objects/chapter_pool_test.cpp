#include "variants/designs/objects/chapter_pool.h"

#include <gtest/gtest.h>

namespace lab::designs {
namespace {

constexpr std::size_t kParticles = 100;

TEST(ChapterPools, reuse_particles_whose_lifetime_has_ended) {
  ChapterScanPool scan(kParticles);
  ChapterListPool list(kParticles);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < kParticles; ++i) {
      EXPECT_TRUE(scan.create({.frames_left = 2}));
      EXPECT_TRUE(list.create({.frames_left = 2}));
    }
    for (int frame = 0; frame < 2; ++frame) {
      EXPECT_EQ(scan.in_use(), kParticles);
      EXPECT_EQ(list.in_use(), kParticles);
      scan.animate();
      list.animate();
    }
    EXPECT_EQ(scan.available(), kParticles);
    EXPECT_EQ(list.available(), kParticles);
  }
}

// An erratum: such a particle is never in use, so animate() never returns true for it, and nothing returns its slot.
TEST(ChapterListPool, loses_the_slot_of_a_particle_with_a_lifetime_of_0_for_good) {
  ChapterListPool list(kParticles);
  for (std::size_t i = 0; i < kParticles; ++i) EXPECT_TRUE(list.create({.frames_left = 0}));
  for (int frame = 0; frame < 1000; ++frame) list.animate();
  EXPECT_EQ(list.in_use(), 0u);
  EXPECT_EQ(list.lost(), kParticles);
  EXPECT_FALSE(list.create({.frames_left = 1})) << "the printed code asserts here: the pool is empty and full at once";
}

TEST(ChapterScanPool, loses_nothing_by_a_lifetime_of_0) {
  ChapterScanPool scan(kParticles);
  for (std::size_t i = 0; i < 10 * kParticles; ++i) EXPECT_TRUE(scan.create({.frames_left = 0}));
  EXPECT_EQ(scan.available(), kParticles);
}

// An erratum: the first form ignores a creation in a full pool, the second asserts, and the text names no change.
TEST(ChapterPools, have_no_particle_when_full) {
  ChapterScanPool scan(kParticles);
  ChapterListPool list(kParticles);
  for (std::size_t i = 0; i < kParticles; ++i) {
    EXPECT_TRUE(scan.create({.frames_left = 1}));
    EXPECT_TRUE(list.create({.frames_left = 1}));
  }
  EXPECT_FALSE(scan.create({.frames_left = 1}));
  EXPECT_FALSE(list.create({.frames_left = 1}));
  EXPECT_EQ(scan.in_use(), kParticles);
}

TEST(ChapterPools, look_at_all_particles_to_create_one_and_at_one_with_a_free_list) {
  ChapterScanPool scan(kParticles);
  ChapterListPool list(kParticles);
  for (std::size_t i = 0; i < kParticles; ++i) {
    scan.create({.frames_left = 2});
    list.create({.frames_left = 2});
    EXPECT_EQ(scan.most_looked_at(), i + 1);
    EXPECT_EQ(list.most_looked_at(), 1u);
  }
}

}  // namespace
}  // namespace lab::designs
