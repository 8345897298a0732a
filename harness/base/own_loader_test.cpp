#include "harness/base/own_loader.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace lab
