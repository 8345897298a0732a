#include "harness/serve/folder_watch.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lab::serve {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kEvents =
    IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

WakeUp::WakeUp() : file_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void WakeUp::wake() const {
  const std::uint64_t one = 1;
  // A full counter is one that wakes.
  [[maybe_unused]] const ssize_t written = write(file_.get(), &one, sizeof one);
}

FolderWatch::FolderWatch(std::function<bool(const std::string&)> is_of_interest, const WakeUp& wake_up)
    : is_of_interest_(std::move(is_of_interest)), wake_up_(wake_up), file_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

void FolderWatch::watch(const std::set<fs::path>& folders) {
  if (file_.get() < 0) return;
  std::set<fs::path> watched;
  for (auto one = folders_.begin(); one != folders_.end();) {
    if (folders.contains(one->second)) {
      watched.insert(one++->second);
      continue;
    }
    inotify_rm_watch(file_.get(), one->first);
    one = folders_.erase(one);
  }
  for (const fs::path& folder : folders) {
    if (watched.contains(folder)) continue;
    if (const int id = inotify_add_watch(file_.get(), folder.c_str(), kEvents); id >= 0) folders_[id] = folder;
  }
}

void FolderWatch::read(std::set<fs::path>& changed) {
  alignas(inotify_event) std::array<char, 16384> buffer{};
  for (;;) {
    const ssize_t size = ::read(file_.get(), buffer.data(), buffer.size());
    if (size <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* const name = buffer.data() + at + sizeof event;
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0)
        for (const auto& [id, folder] : folders_) changed.insert(folder);
      const auto folder = folders_.find(event.wd);
      if (folder == folders_.end()) continue;
      const bool is_itself = (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0;
      if (is_itself) changed.insert(folder->second);
      if (event.len > 0 && is_of_interest_(name)) changed.insert(folder->second / name);
      // It has left its place: what comes there is another folder.
      if ((event.mask & IN_MOVE_SELF) != 0) inotify_rm_watch(file_.get(), event.wd);
      if (is_itself) folders_.erase(folder);
    }
  }
}

std::set<fs::path> FolderWatch::wait(std::chrono::milliseconds most) {
  std::set<fs::path> changed;
  Clock::time_point until = Clock::now() + most;
  Clock::time_point latest = Clock::time_point::max();
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::min(until, latest) - Clock::now()).count();
    std::array<pollfd, 2> files{{{file_.get(), POLLIN, 0}, {wake_up_.get(), POLLIN, 0}}};
    const int ready = poll(files.data(), files.size(), static_cast<int>(std::clamp<std::int64_t>(left, 0, 3'600'000)));
    if (ready < 0 && errno != EINTR) return changed;
    if (files[1].revents != 0 && ready > 0) {
      std::uint64_t count = 0;
      [[maybe_unused]] const ssize_t size = ::read(wake_up_.get(), &count, sizeof count);
      return changed;
    }
    const std::size_t before = changed.size();
    const bool was_quiet = ready <= 0 || files[0].revents == 0;
    if (!was_quiet) read(changed);
    if (changed.size() > before || (!changed.empty() && !was_quiet)) {
      if (latest == Clock::time_point::max()) latest = Clock::now() + kLongest;
      until = Clock::now() + kQuiet;
    }
    if (Clock::now() >= std::min(until, latest)) return changed;
  }
}

std::string look_of(const std::vector<fs::path>& files, const std::set<fs::path>& folders) {
  std::string look;
  const auto add = [&](const fs::path& path, bool with_size) {
    struct stat facts {};
    if (stat(path.c_str(), &facts) != 0) facts = {};
    fmt::format_to(std::back_inserter(look), "{}\n{} {}.{}", path.native(), facts.st_ino, facts.st_mtim.tv_sec,
                   facts.st_mtim.tv_nsec);
    if (with_size) fmt::format_to(std::back_inserter(look), " {}", facts.st_size);
    look += '\n';
  };
  for (const fs::path& file : files) add(file, true);
  for (const fs::path& folder : folders) add(folder, false);
  return look;
}

}  // namespace lab::serve
