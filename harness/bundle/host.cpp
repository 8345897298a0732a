#include "harness/bundle/host.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/layout.h"

namespace lab::bundle {

namespace fs = std::filesystem;

namespace {

/// What a path leads to, with absolute links as programs below `root` see them.
fs::path followed(fs::path path, const fs::path& root) {
  constexpr int kMostLinks = 8;
  std::error_code problem;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, problem); ++i) {
    const fs::path target = fs::read_symlink(path, problem);
    path = target.is_absolute() ? root / target.relative_path() : path.parent_path() / target;
  }
  return path;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::array<int, 2> version_of(const std::string& text) {
  std::array<int, 2> version{};
  if (std::sscanf(text.c_str(), "%9d.%9d", &version[0], &version[1]) != 2) return {};
  return version;
}

HostLibc host_libc(const fs::path& root) {
  std::error_code problem;
  const fs::path loader = followed(root / "lib64/ld-linux-x86-64.so.2", root);
  if (!fs::exists(loader, problem)) return {fs::exists(root / "lib/ld-musl-x86_64.so.1", problem) ? "musl" : "none"};
  // Every distribution has the two in one folder, because they come from one package.
  const Expected<std::string> content = read_file(loader.parent_path() / "libc.so.6");
  constexpr std::string_view kBanner = "GNU C Library ", kVersion = "release version ";
  if (content)
    for (std::size_t at = content->find(kBanner); at != std::string::npos; at = content->find(kBanner, at + 1)) {
      const std::size_t end = content->find_first_of(std::string_view("\n\0", 2), at);
      const std::string_view line = std::string_view(*content).substr(at, end == std::string::npos ? end : end - at);
      const std::size_t version = line.find(kVersion);
      if (version == std::string_view::npos) continue;
      const std::array<int, 2> found = version_of(std::string(line.substr(version + kVersion.size())));
      if (found[0] > 0) return {fmt::format("glibc {}.{}", found[0], found[1]), found};
    }
  return {"a glibc of unknown version"};
}

fs::path work_dir(const fs::path& bundle) {
  std::string name = bundle.lexically_normal().relative_path().string();
  std::ranges::replace(name, '/', '-');
  std::string data = variable("XDG_DATA_HOME");
  if (data.empty() && !variable("HOME").empty()) data = variable("HOME") + "/.local/share";
  for (const std::string& folder : {data, std::string("/var/tmp"), variable("TMPDIR"), std::string("/tmp")}) {
    // Nobody's home is a folder that does not exist, or /.
    if (folder.empty() || !is_writable(folder)) continue;
    const bool is_shared = folder != data;
    return fs::path(folder) /
           (is_shared ? fmt::format("allocation-laboratory-{}", ::getuid()) : "allocation-laboratory") / name;
  }
  return "";
}

}  // namespace lab::bundle
