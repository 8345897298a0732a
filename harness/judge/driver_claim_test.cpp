#include "harness/judge/driver_claim.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/judge/article_sample_test.h"

namespace lab::judge {

namespace {

const results::Article& vulkan() {
  return sample::article("vulkan_memory");
}

std::string check(const results::DriverCheck& driver_check, const results::DriverColumn& column) {
  const CheckOutcome outcome = check_claim(driver_check, column, vulkan().sweep);
  return fmt::format("{} | {} | {}", outcome.stated, outcome.found,
                     outcome.holds ? (*outcome.holds ? "holds" : "does not") : "not measured");
}

}  // namespace

TEST(DriverClaim, are_checked_on_a_column) {
  const results::DriverColumn rows = sample::atlas()[0], tiles = sample::atlas()[1];
  EXPECT_EQ(check({.kind = "image alignments", .bytes = {4096, 65536}}, tiles),
            "4,096 and 65,536 | 4,096 and 65,536 | holds");
  EXPECT_EQ(check({.kind = "image alignments", .bytes = {4096}}, tiles), "4,096 | 4,096 and 65,536 | does not");
  EXPECT_EQ(check({.kind = "smallest image alignment", .bytes = {64}}, rows), "64 | 64 | holds");
  EXPECT_EQ(check({.kind = "smallest image storage", .bytes = {4096}}, tiles), "4,096 | 4,096 | holds");
  // 1x1 takes 64 bytes there, but the article's sweep begins at 2x2.
  EXPECT_EQ(check({.kind = "smallest image storage", .bytes = {128}}, rows), "128 | 128 | holds");
  EXPECT_EQ(check({.kind = "image storage", .bytes = {20504, 16384, 8192}, .image = {128, 16}}, rows),
            "20,504 or 16,384 or 8,192 | 8,192 | holds");
  EXPECT_EQ(check({.kind = "image alignment", .bytes = {4096}, .image = {128, 128}}, tiles),
            "4,096 | 65,536 | does not");
  EXPECT_EQ(check({.kind = "same image storage", .images = {results::ImageSize{2, 4096}, results::ImageSize{4, 4096}}},
                  tiles),
            "equal | 524,288 and 524,288 | holds");
  EXPECT_EQ(check({.kind = "least image storage"}, tiles),
            "more than its texels | 4,096 for 2x2, 16 of texels | holds");
  EXPECT_EQ(check({.kind = "few image alignments", .most = 3, .low = 256, .high = 65536}, rows),
            "up to 3, from 256 to 65,536 | 64 | does not");
  EXPECT_EQ(check({.kind = "one buffer alignment"}, rows), "one | 16 | holds");
  EXPECT_EQ(check({.kind = "small buffer storage", .bytes = {16}, .below = 16}, tiles), "16 | 16 | holds");
  EXPECT_EQ(check({.kind = "small buffer storage", .bytes = {16}, .below = 16}, rows),
            "16 | 1 and 2 and 4 and 8 and 10 | does not");
  EXPECT_EQ(check({.kind = "buffer extra", .most = 8, .above = 32}, tiles),
            "up to 8 more | up to 12 more, at 100 | does not");
  EXPECT_EQ(check({.kind = "buffer extra", .most = 0, .above = 1000}, rows), "nothing more | nothing more | holds");
}

TEST(DriverClaim, of_the_published_file_can_all_be_checked) {
  const results::DriverColumn column = sample::atlas()[1];
  ASSERT_FALSE(vulkan().claims.empty());
  for (const results::Claim& claim : vulkan().claims) {
    const results::DriverCheck& driver_check = std::get<results::DriverClaim>(claim.kind).check;
    const CheckOutcome checked = check_claim(driver_check, column, vulkan().sweep);
    EXPECT_TRUE(checked.holds.has_value()) << claim.text;
    EXPECT_NE(checked.stated, "") << claim.text;
    EXPECT_FALSE(check_claim(driver_check, results::DriverColumn{}, vulkan().sweep).holds.has_value()) << claim.text;
  }
}

}  // namespace lab::judge
