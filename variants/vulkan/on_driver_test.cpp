// What needs a driver.
#include "variants/vulkan/testing/on_driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "add_words.comp.h"
#include "harness/vulkan/objects.h"
#include "variants/vulkan/commands.h"
#include "variants/vulkan/resources.h"
#include "variants/vulkan/staging.h"
#include "variants/vulkan/timestamps.h"

namespace lab::vulkan {

namespace {

std::vector<std::byte> pattern(std::size_t bytes) {
  std::vector<std::byte> contents(bytes);
  for (std::size_t i = 0; i < bytes; ++i) contents[i] = static_cast<std::byte>(i * 37 + (i >> 8));
  return contents;
}

}  // namespace

TEST_F(OnDriver, an_image_of_each_format_keeps_its_texels) {
  if (!is_there()) return run_there();
  Resources resources(device());
  for (const VkFormat format :
       {VK_FORMAT_R8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R32_UINT, VK_FORMAT_R16G16B16A16_SFLOAT}) {
    const auto image = resources.image(
        33, 17, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, format);
    ASSERT_TRUE(image) << image.error().what;
    const std::vector<std::byte> contents = pattern(33u * 17u * texel_bytes(format));
    const auto staging = Staging::create(device(), contents.size());
    ASSERT_TRUE(staging) << staging.error().what;
    std::ranges::copy(contents, staging->bytes().begin());
    ASSERT_TRUE(staging->to(image->image));
    std::ranges::fill(staging->bytes(), std::byte{0});
    ASSERT_TRUE(staging->from(image->image));
    EXPECT_TRUE(std::ranges::equal(contents, staging->bytes().first(contents.size()))) << format;
  }
}

TEST_F(OnDriver, resources_share_allocations_and_a_large_one_has_its_own) {
  if (!is_there()) return run_there();
  Resources resources(device(), 1 << 20);
  constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  std::vector<PlacedBuffer> buffers;
  for (int i = 0; i < 10; ++i) {
    auto buffer = resources.buffer(5000, kUsage);
    ASSERT_TRUE(buffer) << buffer.error().what;
    buffers.push_back(std::move(*buffer));
  }
  EXPECT_EQ(resources.allocated().allocations(), 1u);
  const auto large = resources.buffer(3 << 20, kUsage);
  ASSERT_TRUE(large) << large.error().what;
  EXPECT_EQ(resources.allocated().allocations(), 2u);
  // What is freed is used again.
  buffers.clear();
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(resources.buffer(5000, kUsage));
  EXPECT_EQ(resources.allocated().calls(), 2u);
}

TEST_F(OnDriver, a_shader_reads_what_the_host_wrote_and_the_clock_runs_meanwhile) {
  if (!is_there()) return run_there();
  constexpr std::uint32_t kWords = 1000, kAdded = 17;
  Resources resources(device());
  std::vector<std::uint32_t> words(kWords);
  std::iota(words.begin(), words.end(), 5u);
  const auto from = resources.buffer(std::as_bytes(std::span(words)), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const auto mapped = resources.host_buffer(kWords * sizeof(std::uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  const auto to = resources.buffer(kWords * sizeof(std::uint32_t),
                                   VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT);
  ASSERT_TRUE(from && mapped && to);
  std::memcpy(mapped->mapped, words.data(), mapped->buffer.length);
  ASSERT_TRUE(mapped->memory->flush());

  constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  constexpr VkDescriptorType kTypes[] = {kBuffer, kBuffer, kBuffer};
  const auto descriptors = create_descriptors(device(), kTypes, VK_SHADER_STAGE_COMPUTE_BIT);
  ASSERT_TRUE(descriptors) << descriptors.error().what;
  std::uint32_t binding = 0;
  for (const PlacedBuffer* const buffer : {&*from, &*mapped, &*to})
    descriptors->write(device(), binding++, kBuffer, buffer->handle());
  const auto layout = create_pipeline_layout(device(), std::array{descriptors->layout.handle()},
                                             VK_SHADER_STAGE_COMPUTE_BIT, sizeof kAdded);
  ASSERT_TRUE(layout) << layout.error().what;
  const auto pipeline = create_pipeline(device(), layout->handle(), kAddWordsComp);
  ASSERT_TRUE(pipeline) << pipeline.error().what;

  const auto commands = Commands::create(device(), VK_COMMAND_BUFFER_LEVEL_PRIMARY);
  const auto timestamps = Timestamps::create(device());
  ASSERT_TRUE(commands && timestamps);
  const DeviceFunctions& vk = device().vk();
  for (int repetition = 0; repetition < 2; ++repetition) {
    ASSERT_TRUE(commands->reset());
    ASSERT_TRUE(commands->begin());
    timestamps->begin(commands->handle());
    vk.vkCmdBindPipeline(commands->handle(), VK_PIPELINE_BIND_POINT_COMPUTE, pipeline->handle());
    vk.vkCmdBindDescriptorSets(commands->handle(), VK_PIPELINE_BIND_POINT_COMPUTE, layout->handle(), 0, 1,
                               &descriptors->set, 0, nullptr);
    vk.vkCmdPushConstants(commands->handle(), layout->handle(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof kAdded, &kAdded);
    vk.vkCmdDispatch(commands->handle(), (kWords + 63) / 64, 1, 1);
    timestamps->end(commands->handle());
    ASSERT_TRUE(commands->end());
    ASSERT_TRUE(device().submit(commands->handle()));
  }
  const auto ns = timestamps->ns();
  ASSERT_TRUE(ns) << ns.error().what;
  EXPECT_EQ(ns->has_value(), device().timestamp_bits() > 0);
  EXPECT_GT(ns->value_or(1), 0);

  const auto staging = Staging::create(device(), to->buffer.length);
  ASSERT_TRUE(staging) << staging.error().what;
  ASSERT_TRUE(staging->from(to->buffer));
  std::vector<std::uint32_t> sums(kWords);
  std::memcpy(sums.data(), staging->bytes().data(), to->buffer.length);
  for (std::uint32_t i = 0; i < kWords; ++i) ASSERT_EQ(sums[i], 2 * words[i] + kAdded) << i;
}

TEST(TimestampNs, counts_across_the_end_of_a_short_clock) {
  EXPECT_EQ(timestamp_ns(100, 350, 64, 1), 250);
  EXPECT_EQ(timestamp_ns(100, 350, 36, 52), 13'000);
  EXPECT_EQ(timestamp_ns(0xfffffff0, 0x10, 32, 2), 64);
}

TEST(Formats, have_the_bytes_of_a_texel_and_an_aspect) {
  EXPECT_EQ(texel_bytes(VK_FORMAT_R8_UNORM), 1u);
  EXPECT_EQ(texel_bytes(VK_FORMAT_D16_UNORM), 2u);
  EXPECT_EQ(texel_bytes(VK_FORMAT_R8G8B8A8_UNORM), 4u);
  EXPECT_EQ(texel_bytes(VK_FORMAT_R16G16B16A16_SFLOAT), 8u);
  EXPECT_EQ(aspect_of(VK_FORMAT_D32_SFLOAT), static_cast<VkImageAspectFlags>(VK_IMAGE_ASPECT_DEPTH_BIT));
  EXPECT_EQ(aspect_of(VK_FORMAT_R32_UINT), static_cast<VkImageAspectFlags>(VK_IMAGE_ASPECT_COLOR_BIT));
}

}  // namespace lab::vulkan
