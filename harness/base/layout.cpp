#include "harness/base/layout.h"

#include <cstdlib>
#include <system_error>

namespace lab {

std::filesystem::path build_dir() {
  if (const char* build = std::getenv("LAB_BUILD")) return build;
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  // The executables of tests and variants lie deeper.
  for (std::filesystem::path dir = self.parent_path(); dir.has_relative_path(); dir = dir.parent_path())
    if (std::filesystem::exists(dir / "build_info.json", ignored)) return dir;
  return self.parent_path();
}

std::filesystem::path root_dir() {
  if (const char* root = std::getenv("LAB_ROOT")) return root;
  return build_dir().parent_path().parent_path();
}

std::filesystem::path results_dir(const std::filesystem::path& root) {
  if (const char* results = std::getenv("LAB_RESULTS"); results != nullptr && *results != '\0') return results;
  return root / "results";
}

std::filesystem::path lib_dir() {
  if (const char* lib = std::getenv("SPM_LIB"); lib != nullptr && *lib != '\0') return lib;
  return root_dir() / "lib";
}

}  // namespace lab
