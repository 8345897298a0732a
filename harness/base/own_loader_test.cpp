#include "harness/base/own_loader.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/scratch_folder.h"

namespace lab {
namespace {

TEST(OwnLoader, is_a_file_of_this_machine) {
  EXPECT_TRUE(std::filesystem::exists(own_loader())) << own_loader();
}

TEST(PinnedCommand, is_the_program_alone_with_the_machines_loader) {
  EXPECT_EQ(pinned_command("/store/bin/tool", "/store/lib", "/lib64/ld-linux-x86-64.so.2"),
            (std::vector<std::string>{"/store/bin/tool"}));
}

TEST(PinnedCommand, starts_through_another_loader_with_the_c_library_beside_it_first) {
  EXPECT_EQ(pinned_command("/store/bin/tool", "/store/lib", "/store/libc/ld-linux-x86-64.so.2"),
            (std::vector<std::string>{"/store/libc/ld-linux-x86-64.so.2", "--inhibit-cache", "--library-path",
                                      "/store/libc:/store/lib", "/store/bin/tool"}));
}

/// What a launcher of a bundle sets, for the time of a test.
class Bundled {
 public:
  Bundled(const std::string& loader, const std::string& root) {
    ::setenv(kLoaderVariable, loader.c_str(), 1);
    ::setenv("LAB_ROOT", root.c_str(), 1);
  }
  ~Bundled() {
    ::unsetenv(kLoaderVariable);
    ::unsetenv("LAB_ROOT");
  }
  Bundled(const Bundled&) = delete;
  Bundled& operator=(const Bundled&) = delete;
};

TEST(ByBundledLoader, is_for_programs_of_the_bundle_alone) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(by_bundled_loader({"/b/build/x", "1"}, "/l"), (Words{"/b/build/x", "1"}));
  const Bundled bundled("/b/lib/c/ld.so", "/b");
  EXPECT_EQ(by_bundled_loader({"/b/build/x", "1"}, "/l"),
            (Words{"/b/lib/c/ld.so", "--inhibit-cache", "--library-path", "/b/lib/c:/l", "/b/build/x", "1"}));
  EXPECT_EQ(by_bundled_loader({"/b/lib/y"}, ""),
            (Words{"/b/lib/c/ld.so", "--inhibit-cache", "--library-path", "/b/lib/c", "/b/lib/y"}));
  for (const Words& other : {Words{"git"}, Words{"/usr/bin/git"}, Words{"/b/lab"}, Words{"/b/build/../../c"},
                             Words{"/b/lib/c/ld.so", "/b/build/x"}, Words{}})
    EXPECT_EQ(by_bundled_loader(other, "/l"), other);
  EXPECT_EQ(own_loader(), "/b/lib/c/ld.so");
}

TEST(ByBundledLoader, starts_a_program_whose_name_is_its_own) {
  const ScratchFolder bundle;
  const std::filesystem::path machines = own_loader();
  std::error_code missing;
  const std::filesystem::path loader = std::filesystem::canonical(machines, missing);
  if (missing) GTEST_SKIP() << "needs a machine with a C library";
  std::filesystem::create_directories(bundle.path() / "build");
  const std::filesystem::path program = bundle.path() / "build/cat";
  std::filesystem::copy_file("/bin/cat", program);
  const Bundled bundled(loader.string(), bundle.path().string());
  ChildSpec spec;
  spec.command = {program.string(), "/proc/self/cmdline"};
  spec.timeout_seconds = 20;
  const ChildOutcome outcome = run_child(spec);
  ASSERT_EQ(outcome.code, 0) << outcome.error_tail;
  EXPECT_TRUE(outcome.output.starts_with(loader.string() + std::string("\0--inhibit-cache", 17))) << outcome.output;
  EXPECT_TRUE(outcome.output.ends_with(program.string() + std::string("\0/proc/self/cmdline\0", 20))) << outcome.output;
}

TEST(OwnExecutable, is_this_test) {
  EXPECT_EQ(own_executable().filename(), "base_test");
}

}  // namespace
}  // namespace lab
