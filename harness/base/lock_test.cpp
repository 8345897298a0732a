#include "harness/base/lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab {

namespace {

/// flock belongs to an open file, so one process can hold and ask for the same lock.
class Lock : public testing::Test {
 protected:
  bool is_free(LockKind kind = LockKind::kTryExclusive) const { return lock_file(path_, kind)->get() >= 0; }

  ScratchFolder scratch_;
  std::filesystem::path path_ = scratch_.path() / "folder" / "lock";
};

}  // namespace

TEST_F(Lock, is_held_until_its_file_is_closed) {
  Expected<File> held = lock_file(path_, LockKind::kTryExclusive);
  ASSERT_TRUE(held) << held.error().what;
  EXPECT_GE(held->get(), 0);
  EXPECT_FALSE(is_free());
  held->close();
  EXPECT_TRUE(is_free());
}

TEST_F(Lock, that_is_shared_excludes_only_exclusive_ones) {
  const Expected<File> one = lock_file(path_, LockKind::kShared);
  EXPECT_TRUE(is_free(LockKind::kShared));
  EXPECT_FALSE(is_free());
}

TEST_F(Lock, is_acquired_by_a_waiter_when_the_holder_ends) {
  Expected<File> held = lock_file(path_, LockKind::kExclusive);
  std::atomic<bool> gone = false;
  bool came_after = false;
  std::thread waiter([&] {
    const Expected<File> lock = lock_file(path_, LockKind::kExclusive);
    came_after = lock && lock->get() >= 0 && gone;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that it usually has to wait
  gone = true;
  held->close();
  waiter.join();
  EXPECT_TRUE(came_after);
}

TEST_F(Lock, on_an_open_file_does_not_wait) {
  ASSERT_TRUE(write_file(scratch_.path() / "file", ""));
  const File one(::open((scratch_.path() / "file").c_str(), O_RDONLY | O_CLOEXEC));
  const File two(::open((scratch_.path() / "file").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(try_lock(one), 0);
  EXPECT_EQ(try_lock(two), EWOULDBLOCK);
  EXPECT_EQ(try_lock(File()), EBADF);
}

TEST_F(Lock, that_cannot_be_created_is_an_error) {
  ASSERT_TRUE(write_file(scratch_.path() / "folder", "no folder"));
  const Expected<File> lock = lock_file(path_, LockKind::kExclusive);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().what, "locking '" + path_.string() + "': Not a directory");
}

}  // namespace lab
