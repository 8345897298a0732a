#include "harness/cli/version.h"

#include <gtest/gtest.h>

#include "harness/base/child.h"
#include "harness/base/needs_test.h"
#include "harness/base/scratch_folder.h"

namespace lab::cli {

TEST(Version, prints_the_commit_of_the_checkout_and_none_of_the_build) {
  const ScratchFolder folder;
  SKIP_WITHOUT_PROGRAM("git");
  ChildSpec git;
  git.command = {"sh", "-ec",
                 "cd \"$1\"; git init -q; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one", "sh",
                 folder.path().string()};
  git.environment = {"GIT_CONFIG_GLOBAL=/dev/null"};
  const ChildOutcome outcome = run_child(git);
  ASSERT_EQ(outcome.code, 0) << outcome.error_tail;
  const std::string text = version_text(folder.path(), folder.path());
  EXPECT_NE(text.find("\ncheckout at commit "), std::string::npos) << text;
  EXPECT_EQ(text.find("\ncommit "), std::string::npos) << text;
}

}  // namespace lab::cli
