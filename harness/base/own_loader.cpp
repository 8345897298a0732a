#include "harness/base/own_loader.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <system_error>

namespace lab {

namespace {

constexpr const char* kMachineLoader = "/lib64/ld-linux-x86-64.so.2";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool lies_below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path inside = path.lexically_normal().lexically_relative(folder.lexically_normal());
  return !inside.empty() && *inside.begin() != ".." && inside != ".";
}

/// Without --inhibit-cache it would also look up libraries in the machine's cache.
std::vector<std::string> started_by(const std::filesystem::path& loader, std::string_view libraries) {
  const std::string own = loader.parent_path().string();
  return {loader, "--inhibit-cache", "--library-path", libraries.empty() ? own : fmt::format("{}:{}", own, libraries)};
}

}  // namespace

std::filesystem::path own_executable() {
  std::error_code ignored;
  const std::filesystem::path started = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::string loader = variable(kLoaderVariable);
  // The loader's first argument is the program, whose name it then is.
  if (!loader.empty() && std::filesystem::equivalent(started, loader, ignored)) return ::program_invocation_name;
  return started;
}

std::vector<std::string> by_bundled_loader(std::vector<std::string> command, std::string_view libraries) {
  const std::string loader = variable(kLoaderVariable), bundle = variable("LAB_ROOT");
  if (loader.empty() || bundle.empty() || command.empty() || command.front() == loader) return command;
  // The launcher itself, in the bundle's folder, is static.
  const std::filesystem::path root(bundle);
  if (!lies_below(command.front(), root / "build") && !lies_below(command.front(), root / "lib")) return command;
  std::vector<std::string> started = started_by(loader, libraries);
  started.insert(started.end(), std::make_move_iterator(command.begin()), std::make_move_iterator(command.end()));
  return started;
}

std::filesystem::path own_loader() {
  if (const std::string bundled = variable(kLoaderVariable); !bundled.empty()) return bundled;
  std::string found;
  // The first object is the executable.
  const auto look = [](dl_phdr_info* info, std::size_t, void* into) {
    for (int i = 0; i < info->dlpi_phnum; ++i)
      if (const auto& part = info->dlpi_phdr[i]; part.p_type == PT_INTERP)
        *static_cast<std::string*>(into) = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    return 1;
  };
  ::dl_iterate_phdr(look, &found);
  return found.empty() ? kMachineLoader : found;
}

std::vector<std::string> pinned_command(const std::filesystem::path& program, const std::filesystem::path& libraries,
                                        const std::filesystem::path& loader) {
  if (loader == kMachineLoader) return {program};
  std::vector<std::string> command = started_by(loader, libraries.string());
  command.push_back(program);
  return command;
}

}  // namespace lab
