/// A commit in results and bisect records, and its build options.
#pragma once

#include <string>
#include <string_view>

namespace lab::results {

struct Commit {
  std::string sha;      ///< all 40 digits
  std::string subject;  ///< the first line of its message
  bool merge = false;
};

/// The options of `make.py build`.
struct BuildOptions {
  std::string toolchain = "pinned";
  std::string config = "release";
  std::string march = "x86-64-v2";
};

/// The short form of a commit for output and file names: the first 12 digits.
inline std::string short_commit(std::string_view sha) {
  return std::string(sha.substr(0, 12));
}

}  // namespace lab::results
