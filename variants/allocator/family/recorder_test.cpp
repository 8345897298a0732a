// The recorder under LD_PRELOAD. A sanitizer is the program's malloc, so its builds have no recorder.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "variants/common/plans/raw_request.h"
#include "variants/common/plans/recording.h"

namespace lab::allocator {
namespace {

using Requests = std::vector<RawRequest>;

/// What trace_subject and each of its processes recorded, without the shell's; by the first size that it asked for.
std::vector<Requests> recordings_of(const std::string& how) {
  const ScratchFolder folder;
  const std::string command =
      "ulimit -c 0; export LAB_TRACE=" + (folder.path() / "trace").string() +
      "; LD_PRELOAD=" LAB_BUILD_DIR "/traces/libtrace_recorder.so exec " LAB_BUILD_DIR "/traces/trace_subject " + how;
  EXPECT_NE(std::system(command.c_str()), -1);
  std::vector<Requests> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string content = *read_file(entry.path());
    Requests requests(content.size() / sizeof(RawRequest));
    std::memcpy(requests.data(), content.data(), requests.size() * sizeof(RawRequest));
    requests.erase(std::ranges::find(requests, std::uint64_t{kRawEnd}, &RawRequest::what), requests.end());
    found.push_back(std::move(requests));
  }
  std::ranges::sort(found, {}, &Requests::size);
  return found;
}

using Sizes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // what, bytes

/// Those that trace_subject alone makes: of 77,101 to 77,999 bytes.
Sizes known(const Requests& requests) {
  Sizes sizes;
  for (const RawRequest& request : requests)
    if (request.bytes > 77100 && request.bytes < 78000) sizes.emplace_back(request.what, request.bytes);
  return sizes;
}

Sizes block_of(std::uint64_t bytes) {
  return {{kRawAllocate, bytes}, {kRawReallocate, bytes + 1}, {kRawZeroed, bytes + 2}, {kRawAligned, bytes + 3}};
}

Sizes operator+(Sizes one, const Sizes& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

/// The recordings become valid ones, although other threads take addresses as soon as they are free.
void expect_valid(const Requests& requests) {
  const Expected<Recording> recording = recording_of(requests, kMostRecorded);
  ASSERT_TRUE(recording) << recording.error().what;
  EXPECT_TRUE(decode(encode(*recording)));
}

TEST(Recorder, keeps_everything_however_a_process_ends) {
  const Sizes first = block_of(77101), last = block_of(77401);
  for (const auto& [how, expected] : std::vector<std::pair<std::string, Sizes>>{
           {"exit", first + last}, {"_exit", first}, {"kill", first}, {"close", first + last}}) {
    const std::vector<Requests> found = recordings_of(how);
    ASSERT_EQ(found.size(), 1u) << how;
    EXPECT_EQ(known(found[0]), expected) << how;
    expect_valid(found[0]);
  }
}

TEST(Recorder, gives_each_process_a_file_after_fork_and_exec) {
  const std::vector<Requests> forked = recordings_of("fork"), executed = recordings_of("exec");
  ASSERT_EQ(forked.size(), 2u);
  EXPECT_EQ(known(forked[0]), block_of(77301));
  EXPECT_EQ(known(forked[1]), block_of(77101) + block_of(77201) + block_of(77401));
  ASSERT_EQ(executed.size(), 2u);
  EXPECT_EQ(known(executed[0]), block_of(77101));
  EXPECT_EQ(known(executed[1]), block_of(77101) + block_of(77401));
}

TEST(Recorder, loses_and_doubles_nothing_of_many_threads_and_windows) {
  for (const auto& [how, blocks] :
       std::vector<std::pair<std::string, std::ptrdiff_t>>{{"threads", 80'000}, {"many", 100'000}}) {
    const std::vector<Requests> found = recordings_of(how);
    ASSERT_EQ(found.size(), 1u) << how;
    EXPECT_EQ(std::ranges::count(found[0], 77001u, &RawRequest::bytes), blocks) << how;
    EXPECT_EQ(known(found[0]), block_of(77101) + block_of(77401)) << how;
    expect_valid(found[0]);
  }
}

TEST(Recorder, without_its_variable_records_nothing) {
  EXPECT_EQ(std::system("LD_PRELOAD=" LAB_BUILD_DIR "/traces/libtrace_recorder.so " LAB_BUILD_DIR
                        "/traces/trace_subject exit"),
            0);
}

}  // namespace
}  // namespace lab::allocator
#endif
