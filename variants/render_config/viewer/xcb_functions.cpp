#include "variants/render_config/viewer/xcb_functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "harness/base/vulkan_driver.h"

namespace lab::render_config {

namespace {

void* open_library(const std::string& name) {
  return ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
}

// The dynamic linker does not search the package's folder for what libxcb links, but takes a library that is open
// already under that name.
void* open_pinned(const std::filesystem::path& package) {
  void* library = nullptr;
  for (const char* name : {"libmd.so.0", "libbsd.so.0", "libXau.so.6", "libXdmcp.so.6", "libxcb.so.1"})
    library = open_library(package / name);
  return library;
}

}  // namespace

Expected<XcbFunctions> XcbFunctions::open(const std::filesystem::path& lib, const std::string& name) {
  void* library = open_library(name);
  if (library == nullptr)
    if (const std::filesystem::path package = pinned_package(lib, "libxcb"); !package.empty())
      library = open_pinned(package);
  if (library == nullptr)
    return Error{fmt::format("opening libxcb: {}", ::dlerror()), "python3 make.py spm install libxcb",
                 ExitStatus::kUnfit};
  XcbFunctions functions;
#define LAB_LOAD(function)                                                                   \
  functions.function = reinterpret_cast<decltype(&::function)>(::dlsym(library, #function)); \
  if (functions.function == nullptr) return Error{"libxcb has no function " #function, "", ExitStatus::kUnfit};
  LAB_XCB_FUNCTIONS(LAB_LOAD)
#undef LAB_LOAD
  return functions;
}

}  // namespace lab::render_config
