#include "harness/base/own_loader.h"

#include <elf.h>
#include <link.h>

namespace lab {

namespace {

constexpr const char* kMachineLoader = "/lib64/ld-linux-x86-64.so.2";

}  // namespace

std::filesystem::path own_loader() {
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
  // Without --inhibit-cache it would also look up libraries in the machine's cache.
  return {loader, "--inhibit-cache", "--library-path", loader.parent_path().string() + ":" + libraries.string(),
          program};
}

}  // namespace lab
