/// A build folder for tests, with variants of the test family `fake` (fake_variant_main.cpp); a name selects a
/// behaviour.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/base/scratch_folder.h"

namespace lab::measure {

/// Whether a malloc can be preloaded under the fake variant. A sanitizer must be the first library of its programs.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kCanPreload = false;
#else
inline constexpr bool kCanPreload = true;
#endif

/// `plain`, or else `show`, is the reference. A name with a '!' before it is listed but not on disk. A name with a '+'
/// has the same behaviour in an executable of different content.
class FakeBuild : public ScratchFolder {
 public:
  /// `core`: the family's core workloads, as JSON; "": not in the list, as in older builds.
  /// `malloc_host`: the variant under which a malloc is preloaded; "": the family names none.
  explicit FakeBuild(const std::vector<std::string>& variants, const std::string& core = "",
                     const std::string& malloc_host = "") {
    std::filesystem::create_directories(path() / "variants/fake");
    std::string list;
    for (const std::string& variant : variants) {
      const bool built = !variant.starts_with('!'), changed = variant.starts_with('+');
      const std::string name = variant.substr(built && !changed ? 0 : 1);
      list += fmt::format(
          R"({}{{"family": "fake", "variant": "{}", "reference": {}, {}{}"target": "t", "executable": "variants/fake/{}"}})",
          list.empty() ? "" : ",\n", name, name == "plain" || name == "show",
          core.empty() ? "" : "\"core\": " + core + ", ",
          malloc_host.empty() ? "" : "\"preload\": {\"malloc\": \"" + malloc_host + "\"}, ", name);
      const std::filesystem::path executable = path() / "variants/fake" / name;
      const std::filesystem::path original = std::filesystem::path(LAB_BUILD_DIR) / "tests/fake_variant";
      if (built && !changed) std::filesystem::create_symlink(original, executable);
      if (!changed) continue;
      std::filesystem::copy_file(original, executable);
      std::ofstream(executable, std::ios::app) << "changed";  // after the part that the loader reads
    }
    write("variants.json", "[" + list + "]\n");
    write(
        "build_info.json",
        R"({"toolchain": "system", "config": "release", "march": "x86-64-v2", "compiler": "GNU 12.2.0", "flags": "-O2"})");
  }
};

}  // namespace lab::measure
