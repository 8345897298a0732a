#include "harness/bundle/manifest.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"

namespace lab::bundle {
namespace {

Manifest example() {
  Manifest manifest{kSchema, "abc", "clean", {{"boost", "123"}}, "x86-64-v2", "2.36", "lib/c/ld.so", {}};
  manifest.files.push_back({"a/b", 3, content_hash("abc"), true, "", "name"});
  manifest.files.push_back({"a/c", 0, "", false, "b", ""});
  return manifest;
}

TEST(Manifest, IsReadAsItWasWritten) {
  const std::string text = to_text(example());
  const Expected<Manifest> read = parse_manifest(text, "it");
  ASSERT_TRUE(read.has_value()) << read.error().what;
  EXPECT_EQ(to_text(*read), text);
  EXPECT_EQ(read->commit, "abc");
  EXPECT_EQ(read->files[0].name, "name");
  EXPECT_EQ(read->files[1].link, "b");
}

TEST(Manifest, RefusesPathsThatLeaveTheFolder) {
  for (const auto& [path, link] : {std::pair("../a", ""), std::pair("/a", ""), std::pair("a/../../b", ""),
                                   std::pair("", ""), std::pair("a/b", "../../c"), std::pair("a", "/etc/passwd")}) {
    Manifest manifest = example();
    manifest.files[1] = {path, 0, "", false, link, ""};
    const Expected<Manifest> read = parse_manifest(to_text(manifest), "it");
    ASSERT_FALSE(read.has_value()) << path << " " << link;
    EXPECT_EQ(read.error().status, ExitStatus::kUsage);
    EXPECT_NE(read.error().what.find("it: expected paths inside the bundle, found '"), std::string::npos)
        << read.error().what;
  }
}

TEST(Manifest, RefusesAnotherSchemaAndOtherText) {
  Manifest manifest = example();
  manifest.schema = 2;
  const Expected<Manifest> newer = parse_manifest(to_text(manifest), "it");
  ASSERT_FALSE(newer.has_value());
  EXPECT_EQ(newer.error().what, "it: expected schema 1, found 2");
  EXPECT_FALSE(parse_manifest("{", "it").has_value());
  EXPECT_FALSE(parse_manifest("[]", "it").has_value());
}

TEST(BundleAt, IsNoneInACheckoutAndWhereItCannotBeRead) {
  const ScratchFolder scratch;
  EXPECT_EQ(bundle_at(scratch.path()), nullptr);
  const ScratchFolder damaged, whole;
  damaged.write("bundle.json", "{");
  whole.write("bundle.json", to_text(example()));
  EXPECT_EQ(bundle_at(damaged.path()), nullptr);
  const Manifest* const found = bundle_at(whole.path());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->pins.at("boost"), "123");
}

TEST(ContentHash, IsThatOfXxh3) {
  // As `xxhsum -H2` prints it.
  EXPECT_EQ(content_hash(""), "99aa06d3014798d86001c324468d497f");
}

}  // namespace
}  // namespace lab::bundle
