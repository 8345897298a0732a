#include "variants/render_config/engine/file_watch.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <utility>

namespace lab::render_config {

namespace {

// Longer than any tick of a file system's clock. A younger file may change again and keep its stamp.
constexpr std::int64_t kYoungNs = 2'000'000'000;
constexpr double kLookSeconds = 0.02;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.parent_path();
  return folder.empty() ? "." : folder;
}

void drain(int descriptor) {
  std::array<char, 16384> buffer;
  while (::read(descriptor, buffer.data(), buffer.size()) > 0) {
  }
}

}  // namespace

FileWatch::FileWatch()
    : notices_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

void FileWatch::watch(FileSet files) {
  files_ = std::move(files);
  stamps_.clear();
  for (const auto& [path, file] : files_.files()) stamps_[path] = file.stamp;
  watch_folders();
}

void FileWatch::watch_folders() {
  constexpr std::uint32_t kEvents = IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE |
                                    IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB;
  std::map<std::filesystem::path, int> wanted;
  // A folder's number is the same as before unless it was replaced, so all are asked for again.
  for (const auto& [path, file] : files_.files())
    if (const std::filesystem::path folder = folder_of(path); !wanted.contains(folder))
      wanted[folder] = inotify_add_watch(notices_.get(), folder.c_str(), kEvents);
  for (const auto& [folder, number] : folders_)
    if (number >= 0 &&
        std::ranges::find(wanted, number, [](const auto& entry) { return entry.second; }) == wanted.end())
      inotify_rm_watch(notices_.get(), number);
  folders_ = std::move(wanted);
}

bool FileWatch::changed() {
  bool folders = false;
  for (const auto& [path, file] : files_.files()) {
    const FileStamp stamp = stamp_of(path);
    FileStamp& known = stamps_[path];
    const bool young = stamp.changed_ns != 0 && std::abs(now_ns() - stamp.changed_ns) < kYoungNs;
    if (stamp == known && !young) continue;
    FileSet again;
    const Expected<std::string> contents = again.read(path);
    if (contents.has_value() != file.contents.has_value() || (contents && *contents != *file.contents)) return true;
    folders = folders || stamp.inode != known.inode;
    known = stamp;
  }
  if (folders) watch_folders();
  return false;
}

void FileWatch::wait(double seconds) {
  const bool noticed = std::ranges::none_of(folders_, [](const auto& folder) { return folder.second < 0; });
  if (!noticed) seconds = std::min(seconds, kLookSeconds);
  std::array<pollfd, 2> files{{{notices_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
  ::poll(files.data(), files.size(), static_cast<int>(std::ceil(seconds * 1000)));
  for (const pollfd& file : files)
    if ((file.revents & POLLIN) != 0) drain(file.fd);
}

void FileWatch::wake() {
  constexpr std::uint64_t kOne = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &kOne, sizeof kOne);
}

}  // namespace lab::render_config
