#include "harness/measure/known_conformance.h"

#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::measure {

namespace {

const ConformanceHost kHost{"6.1.0", "glibc 2.36", "ab12"};
const std::set<std::string> kHashes{"aa", "bb"};

}  // namespace

TEST(KnownConformance, is_kept_for_the_same_kernel_and_c_library) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "conformance.json";
  ASSERT_TRUE(write_known_conformance(file, kHost, kHashes));
  EXPECT_EQ(read_known_conformance(file, kHost), kHashes);
  for (const ConformanceHost& other : {ConformanceHost{"6.1.1", "glibc 2.36", "ab12"},
                                       {"6.1.0", "glibc 2.37", "ab12"},
                                       {"6.1.0", "glibc 2.36", "cd34"}})
    EXPECT_EQ(read_known_conformance(file, other), std::set<std::string>{}) << other.kernel;
  EXPECT_EQ(*read_file(file),
            "{\"host\":{\"kernel\":\"6.1.0\",\"libc\":\"glibc 2.36\",\"libc_build\":\"ab12\"},"
            "\"conform\":[\"aa\",\"bb\"]}\n");
}

TEST(KnownConformance, of_a_missing_or_damaged_file_is_nothing) {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "conformance.json";
  EXPECT_EQ(read_known_conformance(file, kHost), std::set<std::string>{});
  for (const char* text : {"", "{", "[]", R"({"host":{"kernel":"6.1.0"}})", R"({"conform":["aa"]})"}) {
    folder.write("conformance.json", text);
    EXPECT_EQ(read_known_conformance(file, kHost), std::set<std::string>{}) << text;
  }
}

}  // namespace lab::measure
