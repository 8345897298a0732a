/// The machine on which a bundle is started: its C library, and where its user may write.
#pragma once

#include <array>
#include <filesystem>
#include <string>

namespace lab::bundle {

/// The GNU C library with which this machine's programs start.
struct HostLibc {
  std::string name;              ///< "glibc 2.36", "musl", "none", or "a glibc of unknown version"
  std::array<int, 2> version{};  ///< 0, 0 if it is none or not known
};

/// The C library of the machine whose file system is `root`, as its loader's neighbour says in its banner.
HostLibc host_libc(const std::filesystem::path& root = "/");

/// "2.36" as two numbers; zeros if it is something else.
std::array<int, 2> version_of(const std::string& text);

/// Where a user who may not write in `bundle` has results and reports: a folder that is named after the bundle, in the
/// user's data, or where the user has no home, in /var/tmp or TMPDIR (as harness/make/paths.py does for a checkout).
std::filesystem::path work_dir(const std::filesystem::path& bundle);

}  // namespace lab::bundle
