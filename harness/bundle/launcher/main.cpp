// lab: a bundle's program. In the file in which the bundle travels, it verifies and unpacks it; in the unpacked folder,
// it verifies all files and then becomes the harness, with the bundle's own C library where the machine's is older.
//
// It is static, because it runs where that is not known yet.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/own_loader.h"
#include "harness/base/terminal.h"
#include "harness/base/usage_error.h"
#include "harness/bundle/archive.h"
#include "harness/bundle/host.h"
#include "harness/bundle/manifest.h"
#include "harness/bundle/verify.h"

namespace lab::bundle {

namespace {

namespace fs = std::filesystem;

constexpr const char* kHarness = "build/pinned-release/harness";

constexpr const char* kArchiveHelp =
    R"(usage: {0} unpack DIR     verify the bundle and unpack it into the new folder DIR
       {0} verify         compare its contents with its manifest

Then DIR/lab measures, probes, reports and delivers: DIR/lab --help
)";

constexpr const char* kFolderHelp = R"(usage: {0} verify         compare every file of the bundle with its manifest
       {0} VERB ...       verify, then the harness's verb; bundle.json has the commit and the pins

)";

std::string named(const Manifest& manifest) {
  return manifest.commit ? fmt::format("commit {}{}", *manifest.commit, manifest.state == "clean" ? "" : " and changes")
                         : "a checkout without git";
}

/// As a word of the shell.
std::string quoted(const fs::path& path) {
  const std::string text = path.string();
  const bool is_plain =
      std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || std::strchr("/._-+", c); });
  return is_plain ? text : "'" + boost::replace_all_copy(text, "'", "'\\''") + "'";
}

Expected<ExitStatus> verified(const Manifest& manifest) {
  fmt::print("{} files of {}: as bundle.json says\n", manifest.files.size(), named(manifest));
  return ExitStatus::kOk;
}

Expected<ExitStatus> run_archive(const fs::path& self, const Parts& parts, const std::vector<std::string>& words) {
  const std::string program = self.filename().string();
  const std::string verb = words.empty() ? "" : words.front();
  if (verb == "--help" || verb == "-h") {
    fmt::print(kArchiveHelp, program);
    return ExitStatus::kOk;
  }
  const bool is_unpack = verb == "unpack" && words.size() == 2, is_verify = verb == "verify" && words.size() == 1;
  if (!is_unpack && !is_verify)
    return usage_error(
        fmt::format("expected 'unpack DIR' or 'verify', found {}", words.empty() ? "nothing" : "'" + verb + "'"),
        fmt::format("{} unpack DIR", program));
  const Expected<Manifest> manifest = read_manifest_of(self, parts);
  if (!manifest) return manifest.error();
  if (is_verify) {
    const Expected<void> right = verify_archive(self, parts, *manifest);
    return right ? verified(*manifest) : right.error();
  }
  const Expected<void> done = unpack(self, parts, *manifest, words[1]);
  if (!done) return done.error();
  return ExitStatus::kOk;
}

/// The environment of the harness: how programs of the bundle start here, and where this user may write.
Expected<void> prepare(const fs::path& folder, const Manifest& manifest) {
  const HostLibc libc = host_libc();
  if (libc.version < version_of(manifest.libc)) {
    const fs::path loader = folder / manifest.loader;
    std::error_code unknown;
    if (!fs::exists(loader, unknown))
      return Error{fmt::format("expected a GNU C library of {} or newer, found {}", manifest.libc, libc.name),
                   "use a newer system: a container with one is enough"};
    fmt::print(stderr, "lab: this machine's C library ({}) is older than {}: the bundle's own is used\n", libc.name,
               manifest.libc);
    ::setenv(kLoaderVariable, loader.c_str(), 1);
  } else {
    ::unsetenv(kLoaderVariable);
  }
  ::setenv("LAB_ROOT", folder.c_str(), 1);
  ::setenv("LAB_INVOKED", quoted(folder / kLauncherName).c_str(), 1);
  const char* const work = std::getenv("LAB_WORK");
  if ((work == nullptr || *work == '\0') && ::access(folder.c_str(), W_OK) != 0)
    if (const fs::path place = work_dir(folder); !place.empty()) ::setenv("LAB_WORK", place.c_str(), 1);
  return {};
}

Expected<ExitStatus> run_folder(const fs::path& self, std::vector<std::string> words) {
  const fs::path folder = self.parent_path();
  const Expected<Manifest> manifest = read_manifest(folder);
  if (!manifest) return manifest.error();
  if (words.empty() || words.front() == "--help" || words.front() == "-h")
    fmt::print(kFolderHelp, self.filename().string());
  if (const Expected<void> right = verify(folder, *manifest); !right) return right.error();
  if (!words.empty() && words.front() == "verify") return verified(*manifest);
  if (const Expected<void> ready = prepare(folder, *manifest); !ready) return ready.error();
  std::fflush(stdout);
  std::vector<std::string> command{(folder / kHarness).string()};
  command.insert(command.end(), words.begin(), words.end());
  command = by_bundled_loader(std::move(command), "");
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(pointers[0], pointers.data());
  return file_error("starting", command.front(), errno);
}

Expected<ExitStatus> run(const std::vector<std::string>& words) {
  std::error_code problem;
  const fs::path self = fs::read_symlink("/proc/self/exe", problem);
  if (problem) return file_error("reading", "/proc/self/exe", problem.value());
  const Expected<std::optional<Parts>> parts = find_parts(self);
  if (!parts) return parts.error();
  if (*parts) return run_archive(self, **parts, words);
  if (fs::exists(self.parent_path() / kManifestName, problem)) return run_folder(self, words);
  return Error{fmt::format("expected a bundle in '{0}' or {1} beside it, found neither: the file may be cut off",
                           self.string(), kManifestName),
               "copy it again from where it was made"};
}

}  // namespace

}  // namespace lab::bundle

int main(int argc, char** argv) {
  lab::open_standard_files();
  const lab::Expected<lab::ExitStatus> status = lab::bundle::run(std::vector<std::string>(argv + 1, argv + argc));
  if (status) return static_cast<int>(*status);
  fmt::print(stderr, "lab: {}\n", status.error().what);
  if (!status.error().hint.empty()) fmt::print(stderr, "hint: {}\n", status.error().hint);
  return static_cast<int>(status.error().status);
}
