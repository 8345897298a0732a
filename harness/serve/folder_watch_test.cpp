#include "harness/serve/folder_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"

namespace lab::serve {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

constexpr std::chrono::milliseconds kNow{0}, kLong{60'000};

bool is_json(const std::string& name) {
  return name.ends_with(".json");
}

TEST(FolderWatchTest, TellsWhatChangedOfWhatIsOfInterest) {
  const ScratchFolder folder;
  const WakeUp wake_up;
  FolderWatch watch(is_json, wake_up);
  watch.watch({folder.path()});
  EXPECT_THAT(watch.wait(kNow), IsEmpty());
  ASSERT_TRUE(write_file(folder.path() / "a.txt", "1"));
  EXPECT_THAT(watch.wait(kNow), IsEmpty());
  ASSERT_TRUE(write_file(folder.path() / "a.json", "1"));
  EXPECT_THAT(watch.wait(kLong), ElementsAre(folder.path() / "a.json"));
  fs::rename(folder.path() / "a.json", folder.path() / "b.json");
  EXPECT_THAT(watch.wait(kLong), ElementsAre(folder.path() / "a.json", folder.path() / "b.json"));
  fs::remove(folder.path() / "b.json");
  EXPECT_THAT(watch.wait(kLong), ElementsAre(folder.path() / "b.json"));
  EXPECT_THAT(watch.wait(kNow), IsEmpty());
}

TEST(FolderWatchTest, FollowsTheFoldersItIsGiven) {
  const ScratchFolder folder;
  const WakeUp wake_up;
  FolderWatch watch(is_json, wake_up);
  const fs::path one = folder.path() / "one", two = folder.path() / "two";
  watch.watch({one, two});
  fs::create_directory(one);
  watch.watch({one, two});
  ASSERT_TRUE(write_file(one / "a.json", "1"));
  EXPECT_THAT(watch.wait(kLong), ElementsAre(one / "a.json"));
  fs::remove_all(one);
  EXPECT_THAT(watch.wait(kLong), IsSupersetOf({one}));
  fs::create_directory(one);
  fs::create_directory(two);
  watch.watch({two});
  ASSERT_TRUE(write_file(one / "a.json", "1"));
  ASSERT_TRUE(write_file(two / "a.json", "1"));
  EXPECT_THAT(watch.wait(kLong), ElementsAre(two / "a.json"));
}

TEST(FolderWatchTest, IsWokenByAnotherThread) {
  const WakeUp wake_up;
  FolderWatch watch(is_json, wake_up);
  std::thread other([&] { wake_up.wake(); });
  EXPECT_THAT(watch.wait(kLong), IsEmpty());
  other.join();
  EXPECT_THAT(watch.wait(kNow), IsEmpty());
}

TEST(FolderWatchTest, OneLookDiffersFromAnotherAfterAChange) {
  const ScratchFolder folder;
  const std::vector<fs::path> files{folder.path() / "machines.json"};
  const std::set<fs::path> folders{folder.path()};
  std::set<std::string> looks{look_of(files, folders)};
  EXPECT_TRUE(looks.contains(look_of(files, folders)));
  ASSERT_TRUE(write_file(files[0], "1"));
  EXPECT_TRUE(looks.insert(look_of(files, folders)).second);
  ASSERT_TRUE(write_file(folder.path() / "other", "1"));
  EXPECT_TRUE(looks.insert(look_of(files, folders)).second);
  EXPECT_TRUE(looks.insert(look_of(files, {})).second);
}

}  // namespace
}  // namespace lab::serve
