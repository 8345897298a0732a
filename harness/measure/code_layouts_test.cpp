#include "harness/measure/code_layouts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>

#include "harness/base/files.h"
#include "harness/base/random.h"
#include "harness/base/scratch_folder.h"
#include "harness/measure/arms.h"

namespace lab::measure {
namespace {

namespace fs = std::filesystem;

const fs::path kBuild = LAB_BUILD_DIR;

/// The path of this test's own executable, which has symbols.
fs::path own_executable() {
  return fs::read_symlink("/proc/self/exe");
}

std::string contents(const fs::path& file) {
  const Expected<std::string> read = read_file(file);
  EXPECT_TRUE(read.has_value()) << file;
  return read ? *read : "";
}

TEST(FunctionNames, OfThisExecutable) {
  const auto names = function_names(contents(own_executable()));
  ASSERT_TRUE(names.has_value()) << names.error().what;
  EXPECT_TRUE(std::ranges::binary_search(*names, "main"));
  EXPECT_TRUE(std::ranges::is_sorted(*names));
}

TEST(FunctionNames, OfDamagedFilesIsAnErrorOrANumberOfNames) {
  const std::string whole = contents(own_executable());
  EXPECT_FALSE(function_names("").has_value());
  EXPECT_FALSE(function_names("#!/bin/sh\nexit 0\n").has_value());
  // Section headers are at the end, so a shorter file has none.
  EXPECT_FALSE(function_names(std::string_view(whole).substr(0, whole.size() / 2)).has_value());
  EXPECT_FALSE(function_names(std::string_view(whole).substr(0, 64)).has_value());
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::string damaged = whole.substr(0, 64);
    for (int i = 0; i < 4; ++i) damaged[random.below(64)] = static_cast<char>(random.next());
    (void)function_names(damaged + whole.substr(64));  // must not read beyond the end
  }
  std::string headers = whole;
  const std::size_t tail = std::min<std::size_t>(whole.size(), 4096);
  for (int round = 0; round < 200; ++round) {
    headers[whole.size() - 1 - random.below(tail)] = static_cast<char>(random.next());
    (void)function_names(headers);
  }
}

std::multiset<std::string> lines_of(const std::string& text) {
  std::multiset<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; start = end + 1, end = text.find('\n', start))
    lines.insert(text.substr(start, end - start));
  return lines;
}

TEST(LayoutPlan, HoldsEachFunctionOnceInAnOrderOfItsOwn) {
  std::vector<std::string> functions;
  for (int i = 0; i < 200; ++i) functions.push_back("f" + std::to_string(i));
  std::set<std::string> orders;
  for (int number = 1; number <= 2 * kLayouts; ++number) {
    const LayoutPlan plan = plan_layout(number, functions);
    const std::multiset<std::string> lines = lines_of(plan.order);
    for (const std::string& function : functions) EXPECT_EQ(lines.count(".text." + function), 1u);
    EXPECT_EQ(plan_layout(number, functions).order, plan.order);
    orders.insert(plan.order);
  }
  EXPECT_EQ(orders.size(), 2u * kLayouts);
}

TEST(LayoutPlan, ANewFunctionLeavesTheOrderOfTheOthers) {
  std::vector<std::string> functions;
  for (int i = 0; i < 50; ++i) functions.push_back("f" + std::to_string(i));
  const auto order = [&] {
    std::vector<std::string> kept;
    const std::string text = plan_layout(3, functions).order;
    for (std::size_t at = text.find(".f"); at != std::string::npos; at = text.find(".f", at + 1))
      kept.push_back(text.substr(at, text.find('\n', at) - at));
    return kept;
  };
  const std::vector<std::string> before = order();
  ASSERT_EQ(before.size(), 50u);
  functions.insert(functions.begin(), "a_new_one");
  EXPECT_EQ(order(), before);
}

TEST(LayoutCommand, ShufflesOnlyObjects) {
  const std::vector<std::string> command{"g++", "-O2", "a.o", "b.o", "c.o", "-o", "x/y", "libone.a", "libtwo.a"};
  const std::vector<std::string> changed = layout_command(1, command, "/t/1.order", "/t/1.o", "/t/1.part");
  EXPECT_EQ(changed[0], "g++");
  EXPECT_EQ(changed[1], "-O2");
  std::multiset<std::string> objects(changed.begin() + 2, changed.begin() + 6);
  EXPECT_EQ(objects, (std::multiset<std::string>{"a.o", "b.o", "c.o", "/t/1.o"}));
  EXPECT_EQ((std::vector<std::string>(changed.begin() + 6, changed.begin() + 10)),
            (std::vector<std::string>{"-o", "/t/1.part", "libone.a", "libtwo.a"}));
}

/// A build folder with a copy of the fixture's executable and its objects, so that a test may change them.
class LinkedLayouts : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_link_layouts(kBuild, kBuild / "tests/fake_variant"))
      GTEST_SKIP() << "needs a build of the pinned toolchain";
    fs::create_directories(folder_.path() / "tests");
    fs::copy(kBuild / "tests/fake_variant", executable());
    std::string command = contents(kBuild / "tests/fake_variant.link");
    fs::create_directory_symlink(kBuild / "obj", folder_.path() / "obj");
    for (const fs::directory_entry& entry : fs::directory_iterator(kBuild))
      if (entry.path().extension() == ".a") fs::create_symlink(entry.path(), folder_.path() / entry.path().filename());
    folder_.write("tests/fake_variant.link", command);
  }
  fs::path executable() const { return folder_.path() / "tests/fake_variant"; }
  Expected<std::vector<CodeLayout>> link(int first = 1) {
    return link_layouts(folder_.path(), executable(), first, [this](const ChildSpec& spec) {
      ++links_;
      return run_child(spec);
    });
  }

  ScratchFolder folder_;
  int links_ = 0;
};

TEST_F(LinkedLayouts, AreDifferentExecutablesThatRun) {
  const auto layouts = link();
  ASSERT_TRUE(layouts.has_value()) << layouts.error().what;
  ASSERT_EQ(layouts->size(), static_cast<std::size_t>(kLayouts));
  std::set<std::string> different{*content_hash(executable())};
  for (const CodeLayout& layout : *layouts) {
    different.insert(*content_hash(layout.executable));
    ChildSpec spec;
    spec.command = {layout.executable.string(), "--no-such-option"};
    const ChildOutcome outcome = run_child(spec);
    EXPECT_EQ(outcome.end, ChildEnd::kExited);
    EXPECT_NE(outcome.code, 127);
  }
  EXPECT_EQ(different.size(), kLayouts + 1u);
  const auto control = link(kFirstOfControl);
  ASSERT_TRUE(control.has_value());
  for (const CodeLayout& layout : *control) different.insert(*content_hash(layout.executable));
  EXPECT_EQ(different.size(), 2u * kLayouts + 1);
}

TEST_F(LinkedLayouts, AreLinkedOnce) {
  const auto first = link();
  ASSERT_TRUE(first.has_value()) << first.error().what;
  EXPECT_EQ(links_, kLayouts);
  const auto again = link();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, *first);
  EXPECT_EQ(links_, kLayouts);
}

TEST_F(LinkedLayouts, HaveTheHashesOfTheirContentAlsoAfterItChanged) {
  const auto hashes_are_right = [&] {
    const auto layouts = link();
    ASSERT_TRUE(layouts.has_value()) << layouts.error().what;
    for (const CodeLayout& layout : *layouts) EXPECT_EQ(layout.hash, *content_hash(layout.executable));
  };
  hashes_are_right();
  const fs::path changed = link()->front().executable, kept = changed.parent_path() / "hashes.json";
  std::ofstream(changed, std::ios::app) << "another end";
  hashes_are_right();
  std::ofstream(kept) << R"([{"name":"1","size":)";
  hashes_are_right();
  fs::remove(kept);
  hashes_are_right();
  EXPECT_EQ(links_, kLayouts);
}

TEST_F(LinkedLayouts, WithKnownHashesAreNotReadAgain) {
  const auto first = link();
  ASSERT_TRUE(first.has_value()) << first.error().what;
  const fs::path file = first->front().executable;
  // Another content of the same size and time: only who reads it sees the difference.
  const fs::file_time_type written = fs::last_write_time(file);
  std::string content = contents(file);
  content.back() ^= 1;
  std::ofstream(file, std::ios::binary) << content;
  fs::last_write_time(file, written);
  EXPECT_EQ(link()->front().hash, first->front().hash);
}

TEST_F(LinkedLayouts, AreEqualWhereverTheBuildLies) {
  const auto here = link();
  ASSERT_TRUE(here.has_value()) << here.error().what;
  const ScratchFolder elsewhere;
  const fs::path other = elsewhere.path() / "a longer name";
  fs::copy(folder_.path(), other, fs::copy_options::copy_symlinks | fs::copy_options::recursive);
  fs::remove_all(other / "layouts");
  const auto there =
      link_layouts(other, other / "tests/fake_variant", 1, [](const auto& spec) { return run_child(spec); });
  ASSERT_TRUE(there.has_value()) << there.error().what;
  for (int i = 0; i < kLayouts; ++i)
    EXPECT_EQ(contents((*there)[static_cast<std::size_t>(i)].executable),
              contents((*here)[static_cast<std::size_t>(i)].executable))
        << i;
}

TEST_F(LinkedLayouts, OfObjectsThatAreNewerThanTheExecutableAreRefused) {
  fs::last_write_time(executable(), fs::file_time_type::clock::now() - std::chrono::hours(24 * 365));
  const auto layouts = link();
  ASSERT_FALSE(layouts.has_value());
  EXPECT_NE(layouts.error().what.find("is newer"), std::string::npos) << layouts.error().what;
  EXPECT_EQ(layouts.error().hint, "python3 make.py build");
}

TEST_F(LinkedLayouts, AFailedLinkIsAnErrorInTheLinkersWordsAndLeavesNothing) {
  folder_.write("tests/fake_variant.link", contents(executable().string() + ".link") + "-lno_such_library\n");
  fs::last_write_time(executable(), fs::file_time_type::clock::now() + std::chrono::hours(1));
  const auto layouts = link();
  ASSERT_FALSE(layouts.has_value());
  EXPECT_NE(layouts.error().what.find("exit status 1"), std::string::npos) << layouts.error().what;
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_.path() / "layouts"))
    files += entry.is_regular_file() && entry.path().filename() != "lock";
  EXPECT_EQ(files, 0u);
}

TEST_F(LinkedLayouts, OfTheLastTwoBuildsAreKept) {
  for (int build = 0; build < 4; ++build) {
    std::ofstream(executable(), std::ios::app | std::ios::binary) << "more";
    ASSERT_TRUE(link().has_value());
  }
  const fs::path all = folder_.path() / "layouts/tests/fake_variant";
  EXPECT_EQ(std::distance(fs::directory_iterator(all), {}), 4) << "two builds, the lock and the hashes";
}

}  // namespace
}  // namespace lab::measure
