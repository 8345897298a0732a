#include "harness/base/layout.h"

#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "harness/base/own_loader.h"

namespace lab {

bool is_writable(std::filesystem::path folder) {
  std::error_code ignored;
  while (!std::filesystem::exists(folder, ignored) && folder.has_relative_path()) folder = folder.parent_path();
  return ::access(folder.c_str(), W_OK | X_OK) == 0;
}

std::filesystem::path build_dir() {
  if (const char* build = std::getenv("LAB_BUILD")) return build;
  std::error_code ignored;
  const std::filesystem::path self = own_executable();
  // The executables of tests and variants lie deeper.
  for (std::filesystem::path dir = self.parent_path(); dir.has_relative_path(); dir = dir.parent_path())
    if (std::filesystem::exists(dir / "build_info.json", ignored)) return dir;
  return self.parent_path();
}

std::filesystem::path root_dir() {
  if (const char* root = std::getenv("LAB_ROOT")) return root;
  return build_dir().parent_path().parent_path();
}

std::filesystem::path place_for(const std::filesystem::path& root, const std::filesystem::path& what) {
  const char* const work = std::getenv("LAB_WORK");
  if (work == nullptr || *work == '\0' || is_writable(root / what)) return root / what;
  return work / what;
}

std::filesystem::path place_in_build(const std::filesystem::path& build_dir, const std::filesystem::path& what) {
  const std::filesystem::path build = std::filesystem::absolute(build_dir).lexically_normal();
  return place_for(build.parent_path().parent_path(),
                   build.lexically_relative(build.parent_path().parent_path()) / what);
}

std::filesystem::path results_dir(const std::filesystem::path& root) {
  if (const char* results = std::getenv("LAB_RESULTS"); results != nullptr && *results != '\0') return results;
  return place_for(root, "results");
}

std::filesystem::path lib_dir() {
  if (const char* lib = std::getenv("SPM_LIB"); lib != nullptr && *lib != '\0') return lib;
  return root_dir() / "lib";
}

}  // namespace lab
