// That moving the scene and recording a plan allocate nothing, counted by this executable's own operator new. A
// sanitizer has its own, and there this test is left out.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "variants/render_config/engine/plan.h"
#include "variants/render_config/engine/testing/shipped_plan.h"
#include "variants/render_config/engine/without_device.h"

namespace {

std::atomic<std::size_t> allocations = 0;

}  // namespace

// Not inlined: the compiler would see that malloc's block is given to operator delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  void* const block = std::malloc(bytes == 0 ? 1 : bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
  std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}

namespace lab::render_config {
namespace {

TEST(Allocations, none_while_a_scene_moves) {
  const std::size_t at_first = allocations;
  Scene scene(5, 4000);
  const std::size_t before = allocations;
  EXPECT_GT(before, at_first);
  for (int i = 0; i < 5; ++i) scene.set_time(i * 7.5, 16.0 / 9);
  EXPECT_EQ(allocations, before);
}

TEST(Allocations, none_while_a_plan_is_recorded) {
  Scene scene(5, 200);
  scene.set_time(1, 16.0 / 9);
  NumberedObjects objects;
  const vulkan::DeviceFunctions silent = silent_commands();
  const Binding binding = NumberedObjects::binding();
  for (const char* const file : {"greyscale/settings.json", "ambient_obscurance/settings.json"}) {
    const auto plan = shipped_plan(file, objects, 320, 180);
    ASSERT_TRUE(plan) << plan.error().what;
    const std::size_t before = allocations;
    for (FrameNumber number = 0; number < 3; ++number)
      (*plan)->record({silent, VK_NULL_HANDLE, binding, scene, number});
    EXPECT_EQ(allocations, before);
  }
}

}  // namespace
}  // namespace lab::render_config
#endif
