#include "harness/base/vulkan_driver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"

namespace lab {

namespace fs = std::filesystem;

namespace {

/// The same file by the folder that links lead to: processes with other lib folders on one store write equal manifests,
/// and none depends on a lib folder that ends with its process.
std::string in_store(const fs::path& library) {
  std::error_code error;
  const fs::path folder = library.is_absolute() ? fs::canonical(library.parent_path(), error) : fs::path();
  return folder.empty() || error ? library.string() : (folder / library.filename()).string();
}

// Several processes may write it at once, with equal content for one store: write_file renames.
Expected<void> write_json(const fs::path& file, const json::object& content) {
  const std::string text = json::serialize(content) + "\n";
  if (const Expected<std::string> there = read_file(file); there && *there == text) return {};
  return write_file(file, text);
}

Expected<json::object> read_json(const fs::path& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  const Expected<json::value> value = parse_json(*text, "the manifest");
  if (!value) return value.error();
  return from_json<json::object>(*value);
}

}  // namespace

EnvironmentVariables current_environment() {
  EnvironmentVariables environment;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

fs::path pinned_package(const fs::path& lib, const std::string& prefix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(lib, error)) {
    const std::string name = entry.path().filename();
    if (name.size() > prefix.size() + 1 && name.starts_with(prefix + "-") && std::isdigit(name[prefix.size() + 1]))
      found.push_back(entry.path());
  }
  return found.empty() ? fs::path() : *std::ranges::max_element(found);
}

std::vector<std::string> pinned_libraries(const fs::path& lib) {
  std::vector<std::string> folders;
  // LLVM, libxcb, ...; libstdc++, libexpat, ...
  for (const char* package : {"lavapipe", "runtime"})
    if (const fs::path folder = pinned_package(lib, package); !folder.empty()) folders.push_back(folder);
  return folders;
}

std::string loader_library(const fs::path& lib) {
  const fs::path pinned = pinned_package(lib, "vulkan-loader") / "libvulkan.so.1";
  std::error_code error;
  return fs::exists(pinned, error) ? pinned.string() : "libvulkan.so.1";
}

Expected<void> write_driver_manifest(const fs::path& file, const std::string& library) {
  return write_json(file, {{"file_format_version", "1.0.0"},
                           {"ICD", json::object{{"library_path", in_store(library)}, {"api_version", "1.3.0"}}}});
}

Expected<fs::path> validation_layers(const fs::path& lib, const fs::path& generated) {
  const fs::path package = pinned_package(lib, "vulkan-validationlayers");
  const fs::path manifest = package / "share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json";
  auto content = read_json(manifest);
  if (package.empty() || !content)
    return Error{
        fmt::format("no validation layers: expected '{}'", (lib / "vulkan-validationlayers-<version>").string()),
        "python3 make.py spm install vulkan-validationlayers"};
  json::value* layer = content->if_contains("layer");
  if (!layer || !layer->is_object())
    return Error{fmt::format("'{}': expected an object 'layer'", manifest.string()), ""};
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(package / "lib", error))
    if (entry.path().filename() == "libVkLayer_khronos_validation.so")
      layer->get_object()["library_path"] = in_store(entry.path());
  if (const auto written = write_json(generated / manifest.filename(), *content); !written) return written.error();
  return generated;
}

EnvironmentVariables driver_environment(EnvironmentVariables inherited, const fs::path& manifest,
                                        const std::vector<std::string>& libraries, const fs::path& layers) {
  EnvironmentVariables environment = std::move(inherited);
  // These would add drivers or layers.
  for (const char* name : {"VK_ADD_DRIVER_FILES", "VK_INSTANCE_LAYERS", "VK_LOADER_DRIVERS_SELECT",
                           "VK_LOADER_DRIVERS_DISABLE", "VK_LOADER_LAYERS_ENABLE", "VK_ADD_LAYER_PATH"})
    environment.erase(name);
  environment["VK_DRIVER_FILES"] = manifest;
  environment["VK_ICD_FILENAMES"] = manifest;  // its name for loaders before 1.3.207
  environment["VK_LOADER_LAYERS_DISABLE"] = "~implicit~";
  environment["VK_LOADER_DISABLE_SELECT"] = "1";  // devices in the driver's own order
  environment.emplace("VK_LOADER_DEBUG", "error");
  // Mesa keeps compiled shaders in a folder that the caller names, and never in the user's home.
  const auto cache = environment.find("LAB_SHADER_CACHE");
  environment["MESA_SHADER_CACHE_DISABLE"] = cache == environment.end() ? "true" : "false";
  if (cache != environment.end()) environment["MESA_SHADER_CACHE_DIR"] = cache->second;
  // Without layers a folder that does not exist: otherwise the loader would find those of the machine.
  environment["VK_LAYER_PATH"] = layers.empty() ? manifest.parent_path() / "no-layers" : layers;
  if (!libraries.empty()) environment["LD_LIBRARY_PATH"] = fmt::format("{}", fmt::join(libraries, ":"));
  return environment;
}

}  // namespace lab
