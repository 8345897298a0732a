#include "harness/base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"

namespace lab {

Expected<TemporaryFolder> TemporaryFolder::create() {
  const char* const parent = std::getenv("TMPDIR");
  std::string path = std::filesystem::path(parent == nullptr ? "/tmp" : parent) / "lab-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return file_error("creating", path, errno);
  return TemporaryFolder(std::filesystem::path(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

}  // namespace lab
