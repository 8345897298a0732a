#include "harness/app/machine_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/result_fixture.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

const results::MachineState kFacts = results::fixture_result().facts;

/// Writes the result of a session of a day in August in which `benchmark` had an interval.
void add_result(const ScratchFolder& folder, int day, const std::string& benchmark) {
  results::Result result = results::fixture_result();
  result.session.id = fmt::format("202608{:02}T231500Z-nogit", day);
  result.session.started = fmt::format("2026-08-{:02}T23:15:00Z", day);
  for (int block = 0; block < 6; ++block) result.processes.push_back(results::fixture_process(benchmark, block, 100));
  folder.write(result.session.id + ".json", results::serialize(result));
}

/// "benchmark day" of every benchmark that had a turn.
Names turns_of(const MachineMemory& memory) {
  Names turns;
  for (const auto& [benchmark, turn] : memory.turns())
    turns.push_back(fmt::format("{} {}", benchmark, turn.measured.substr(8, 2)));
  return turns;
}

}  // namespace

TEST(MachineMemory, knows_when_the_machine_measured_each_benchmark) {
  const ScratchFolder folder;
  EXPECT_EQ(turns_of(MachineMemory::open(folder.path() / "none", kFacts)), Names{});
  add_result(folder, 1, "shelf/plain/store");
  add_result(folder, 2, "shelf/quick/store");
  EXPECT_EQ(turns_of(MachineMemory::open(folder.path(), kFacts)),
            (Names{"shelf/plain/store 01", "shelf/quick/store 02"}));
  EXPECT_FALSE(fs::exists(folder.path() / "state")) << "opening writes nothing";
}

TEST(MachineMemory, keeps_what_it_has_read) {
  const ScratchFolder folder;
  add_result(folder, 1, "shelf/plain/store");
  MachineMemory::open(folder.path(), kFacts).save_turns();
  // Read a second time, this would be an error of nobody; but it is not read a second time.
  folder.write("20260801T231500Z-nogit.json", "damaged");
  add_result(folder, 3, "shelf/quick/store");
  EXPECT_EQ(turns_of(MachineMemory::open(folder.path(), kFacts)),
            (Names{"shelf/plain/store 01", "shelf/quick/store 03"}));
}

TEST(MachineMemory, ignores_damaged_files_and_reads_the_newest_results_instead) {
  const ScratchFolder folder;
  for (int day = 1; day <= 25; ++day) add_result(folder, day, fmt::format("shelf/v{:02}/store", day));
  MachineMemory::open(folder.path(), kFacts).save_turns();
  ASSERT_TRUE(write_file(folder.path() / "state/turns.json", "{\"sessions\": 1"));
  ASSERT_TRUE(write_file(folder.path() / "state/conformance.json", "[]"));
  const MachineMemory memory = MachineMemory::open(folder.path(), kFacts);
  const Names turns = turns_of(memory);
  ASSERT_EQ(turns.size(), 20u);
  EXPECT_EQ(turns.front(), "shelf/v06/store 06");
  EXPECT_FALSE(memory.conformed("aa"));
}

TEST(MachineMemory, knows_which_executables_conform_with_the_same_kernel_and_c_library) {
  const ScratchFolder folder;
  results::MachineState host = kFacts;
  host.kernel = "6.1.0";
  host.libc = "glibc 2.36";
  host.libc_build = "ab12";
  MachineMemory memory = MachineMemory::open(folder.path(), host);
  memory.keep_conforming("bb");
  memory.keep_conforming("aa");
  EXPECT_TRUE(MachineMemory::open(folder.path(), host).conformed("aa"));
  EXPECT_TRUE(MachineMemory::open(folder.path(), host).conformed("bb"));
  EXPECT_FALSE(MachineMemory::open(folder.path(), host).conformed("cc"));
  for (const auto& [member, other] : {std::pair{&results::MachineState::kernel, "6.1.1"},
                                      {&results::MachineState::libc, "glibc 2.37"},
                                      {&results::MachineState::libc_build, "cd34"}}) {
    results::MachineState changed = host;
    changed.*member = other;
    EXPECT_FALSE(MachineMemory::open(folder.path(), changed).conformed("aa")) << other;
  }
  EXPECT_EQ(*read_file(folder.path() / "state/conformance.json"),
            "{\"host\":{\"kernel\":\"6.1.0\",\"libc\":\"glibc 2.36\",\"libc_build\":\"ab12\"},"
            "\"conform\":[\"aa\",\"bb\"]}\n");
}

TEST(MachineMemory, knows_no_conformance_from_a_missing_or_damaged_file) {
  const ScratchFolder folder;
  EXPECT_FALSE(MachineMemory::open(folder.path(), kFacts).conformed("aa"));
  for (const char* text : {"", "{", "[]", R"({"host":{"kernel":"6.1.0"}})", R"({"conform":["aa"]})"}) {
    folder.write("state/conformance.json", text);
    EXPECT_FALSE(MachineMemory::open(folder.path(), kFacts).conformed("aa")) << text;
  }
}

}  // namespace lab::app
