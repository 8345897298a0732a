/// A build folder for tests, with variants of the made-up family `fake` (fake_variant_main.cpp) as their names say.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/scratch_folder.h"

namespace lab::exec {

/// `plain` is the reference. A name with a '!' before it is in the list and not on the disk.
class FakeBuild : public ScratchFolder {
 public:
  explicit FakeBuild(const std::vector<std::string>& variants) {
    std::filesystem::create_directories(path() / "variants/fake");
    std::string list;
    for (const std::string& variant : variants) {
      const bool built = !variant.starts_with('!');
      const std::string name = variant.substr(built ? 0 : 1);
      list += fmt::format(
          R"({}{{"family": "fake", "variant": "{}", "reference": {}, "target": "t", "executable": "variants/fake/{}"}})",
          list.empty() ? "" : ",\n", name, name == "plain", name);
      if (built)
        std::filesystem::create_symlink(std::filesystem::path(LAB_BUILD_DIR) / "tests/fake_variant",
                                        path() / "variants/fake" / name);
    }
    write("variants.json", "[" + list + "]\n");
    write(
        "build_info.json",
        R"({"toolchain": "system", "config": "release", "march": "x86-64-v2", "compiler": "GNU 12.2.0", "flags": "-O2"})");
  }
};

}  // namespace lab::exec
