#include "harness/base/zstd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "harness/base/random.h"

namespace lab {
namespace {

/// Words that repeat, as in a result.
std::string text(std::size_t size) {
  Random random(7);
  std::string content;
  while (content.size() < size) content += "\"real_time\": " + std::to_string(random.below(1000)) + ",\n";
  content.resize(size);
  return content;
}

/// The stream's frame, written in pieces of `piece` bytes.
std::string streamed(const std::string& content, std::size_t piece, ZstdSettings settings = {}) {
  std::string frame;
  ZstdWriter writer(
      [&frame](std::string_view bytes) -> Expected<void> {
        frame += bytes;
        return {};
      },
      settings);
  for (std::size_t at = 0; at < content.size(); at += piece)
    EXPECT_TRUE(writer.write(std::string_view(content).substr(at, piece)));
  EXPECT_TRUE(writer.finish());
  return frame;
}

TEST(Zstd, gives_back_what_was_compressed_whole_and_streamed_and_in_several_frames) {
  for (const std::size_t size : {0u, 1u, 100'000u, 600'000u}) {
    const std::string content = text(size);
    for (const ZstdSettings settings : {ZstdSettings{}, ZstdSettings{.level = 3, .window_log = 27},
                                        ZstdSettings{.level = 19}, ZstdSettings{.workers = 2}}) {
      EXPECT_EQ(*zstd_decompress(zstd_compress(content, settings), size), content);
      EXPECT_EQ(*zstd_decompress(streamed(content, 1000, settings), size), content);
    }
    EXPECT_EQ(*zstd_decompress(zstd_compress(content) + zstd_compress(content), 2 * size), content + content);
    EXPECT_EQ(zstd_compress(content), zstd_compress(content));
  }
  EXPECT_LT(zstd_compress(text(100'000)).size(), 30'000u);
}

TEST(Zstd, bytes_do_not_depend_on_the_number_of_workers_or_the_pieces) {
  const std::string content = text(5'000'000);
  EXPECT_EQ(streamed(content, 1000, {.workers = 1}), streamed(content, 777'777, {.workers = 3}));
}

TEST(Zstd, a_long_window_finds_what_repeats_far_away) {
  std::string content(20'000'000, '\0');
  Random random(3);
  for (char& byte : content) byte = static_cast<char>(random.below(256));
  content += content;
  EXPECT_GT(zstd_compress(content, {.level = 1}).size(), 39'000'000u);
  EXPECT_LT(zstd_compress(content, {.level = 1, .window_log = 27}).size(), 21'000'000u);
}

TEST(Zstd, truncated_data_are_an_error_wherever_they_end) {
  const std::string content = text(2000);
  const std::string frame = zstd_compress(content);
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const Expected<std::string> found = zstd_decompress(frame.substr(0, size), content.size());
    ASSERT_FALSE(found) << size;
    EXPECT_EQ(found.error().what, "the Zstandard data end too early: expected the rest of a frame, found the end");
    EXPECT_EQ(found.error().status, ExitStatus::kUsage);
  }
  EXPECT_FALSE(zstd_decompress(frame + frame.substr(0, 9), 4000));
}

TEST(Zstd, no_byte_changes_without_notice) {
  const std::string content = text(500);
  const std::string frame = zstd_compress(content);
  for (std::size_t at = 0; at < frame.size(); ++at) {
    std::string other = frame;
    other[at] = static_cast<char>(other[at] ^ 0x10);
    const Expected<std::string> found = zstd_decompress(other, 1 << 20);
    EXPECT_EQ(found ? *found : content, content) << at;  // a bit of the header may mean nothing
  }
  EXPECT_EQ(zstd_decompress("{\"schema\": 2}", 100).error().what, "expected a frame of Zstandard, found other data");
}

TEST(Zstd, content_beyond_the_bound_is_an_error_and_takes_no_memory) {
  const std::string bomb = zstd_compress(std::string(50'000'000, 'x'));
  ASSERT_LT(bomb.size(), 5000u);
  EXPECT_EQ(zstd_decompress(bomb, 1000).error().what,
            "the Zstandard data hold more than 1000 bytes; expected at most that");
  EXPECT_FALSE(zstd_decompress(bomb, 49'999'999));
  EXPECT_TRUE(zstd_decompress(bomb, 50'000'000));
}

TEST(Zstd, errors_of_sink_and_source_end_the_stream) {
  ZstdWriter writer([](std::string_view) -> Expected<void> { return Error{"full", ""}; });
  Expected<void> written = writer.write(text(10'000'000));
  if (written) written = writer.finish();
  EXPECT_EQ(written.error().what, "full");
  ZstdReader reader([](std::span<char>) -> Expected<std::size_t> { return Error{"gone", ""}; });
  char place[8];
  EXPECT_EQ(reader.read(place).error().what, "gone");
}

TEST(ZstdReader, fills_each_place_whole_from_a_source_that_gives_little) {
  const std::string content = text(300'000);
  ZstdReader reader([left = zstd_compress(content)](std::span<char> place) mutable -> Expected<std::size_t> {
    const std::size_t size = left.copy(place.data(), std::min<std::size_t>(place.size(), 7));
    left.erase(0, size);
    return size;
  });
  std::string found;
  char place[1000];
  for (;;) {
    const Expected<std::size_t> got = reader.read(place);
    ASSERT_TRUE(got);
    found.append(place, *got);
    if (*got < sizeof place) break;
  }
  EXPECT_EQ(found, content);
  EXPECT_EQ(*reader.read(place), 0u);
}

}  // namespace
}  // namespace lab
