#include "harness/bundle/host.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "harness/base/scratch_folder.h"

namespace lab::bundle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBanner = "GNU C Library (Debian GLIBC 2.31-13) stable release version 2.31.\nCopyright";

TEST(HostLibc, IsOfThisMachine) {
  EXPECT_GE(host_libc().version, (std::array<int, 2>{2, 17})) << host_libc().name;
}

TEST(HostLibc, IsThatOfTheLoadersFolder) {
  const ScratchFolder root;
  root.write("lib/x86_64-linux-gnu/ld-2.31.so", "");
  root.write("lib/x86_64-linux-gnu/libc.so.6", std::string("GNU C Library of another kind\n\0", 31) + kBanner);
  fs::create_directories(root.path() / "lib64");
  fs::create_symlink("/lib/x86_64-linux-gnu/ld-2.31.so", root.path() / "lib64/ld-linux-x86-64.so.2");
  EXPECT_EQ(host_libc(root.path()).name, "glibc 2.31");
  EXPECT_EQ(host_libc(root.path()).version, (std::array<int, 2>{2, 31}));
  root.write("lib/x86_64-linux-gnu/libc.so.6", "something else");
  EXPECT_EQ(host_libc(root.path()).name, "a glibc of unknown version");
  EXPECT_EQ(host_libc(root.path()).version, (std::array<int, 2>{}));
}

TEST(HostLibc, IsMuslOrNone) {
  const ScratchFolder root;
  EXPECT_EQ(host_libc(root.path()).name, "none");
  root.write("lib/ld-musl-x86_64.so.1", "");
  EXPECT_EQ(host_libc(root.path()).name, "musl");
}

TEST(VersionOf, ComparesAsNumbers) {
  EXPECT_LT(version_of("2.9"), version_of("2.36"));
  EXPECT_EQ(version_of("none"), (std::array<int, 2>{}));
}

TEST(WorkDir, IsInTheUsersDataOrWhereAnyoneMayWrite) {
  const ScratchFolder home;
  const auto set = [](const char* name, const char* value) {
    if (value == nullptr)
      ::unsetenv(name);
    else
      ::setenv(name, value, 1);
  };
  set("XDG_DATA_HOME", nullptr);
  set("HOME", home.path().c_str());
  EXPECT_EQ(work_dir("/opt/a b"), home.path() / ".local/share/allocation-laboratory/opt-a b");
  set("XDG_DATA_HOME", (home.path() / "data").c_str());
  EXPECT_EQ(work_dir("/opt/a b"), home.path() / "data/allocation-laboratory/opt-a b");
  if (::geteuid() == 0) GTEST_SKIP() << "others may read and write what root may not: root may write anywhere";
  set("XDG_DATA_HOME", "/proc/none");
  EXPECT_NE(work_dir("/opt/lab").string().find("allocation-laboratory-"), std::string::npos);
}

}  // namespace
}  // namespace lab::bundle
