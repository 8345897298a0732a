/// A build folder for tests, with variants of the made-up family `fake` (fake_variant_main.cpp) as their names say.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "harness/base/scratch_folder.h"

namespace lab::measure {

/// `plain` is the reference. A name with a '!' before it is in the list and not on the disk; one with a '+' is another
/// executable by its content, and the same by what it does.
class FakeBuild : public ScratchFolder {
 public:
  explicit FakeBuild(const std::vector<std::string>& variants) {
    std::filesystem::create_directories(path() / "variants/fake");
    std::string list;
    for (const std::string& variant : variants) {
      const bool built = !variant.starts_with('!'), changed = variant.starts_with('+');
      const std::string name = variant.substr(built && !changed ? 0 : 1);
      list += fmt::format(
          R"({}{{"family": "fake", "variant": "{}", "reference": {}, "target": "t", "executable": "variants/fake/{}"}})",
          list.empty() ? "" : ",\n", name, name == "plain", name);
      const std::filesystem::path executable = path() / "variants/fake" / name;
      const std::filesystem::path original = std::filesystem::path(LAB_BUILD_DIR) / "tests/fake_variant";
      if (built && !changed) std::filesystem::create_symlink(original, executable);
      if (!changed) continue;
      std::filesystem::copy_file(original, executable);
      std::ofstream(executable, std::ios::app) << "changed";  // beyond what the loader reads
    }
    write("variants.json", "[" + list + "]\n");
    write(
        "build_info.json",
        R"({"toolchain": "system", "config": "release", "march": "x86-64-v2", "compiler": "GNU 12.2.0", "flags": "-O2"})");
  }
};

}  // namespace lab::measure
