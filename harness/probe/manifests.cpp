#include "harness/probe/manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>
#include <system_error>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/printable.h"

namespace lab::probe {

namespace fs = std::filesystem;

namespace {

std::string variable(const EnvironmentVariables& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::vector<std::string> split(const std::string& paths) {
  std::vector<std::string> found;
  for (const auto path : std::views::split(paths, ':'))
    if (!path.empty()) found.emplace_back(path.begin(), path.end());
  return found;
}

// The manifests in a folder, sorted by name; empty if the folder does not exist.
std::vector<fs::path> manifests_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> named_files(const std::string& paths) {
  std::vector<fs::path> files;
  for (const std::string& path : split(paths)) {
    std::error_code error;
    if (fs::is_directory(path, error))
      std::ranges::copy(manifests_in(path), std::back_inserter(files));
    else
      files.emplace_back(path);
  }
  return files;
}

std::vector<fs::path> manifest_files(const EnvironmentVariables& environment, const fs::path& root) {
  for (const char* only : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"})
    if (const std::string paths = variable(environment, only); !paths.empty()) return named_files(paths);
  std::vector<fs::path> files = named_files(variable(environment, "VK_ADD_DRIVER_FILES"));
  for (const fs::path& folder : manifest_folders(environment, root))
    std::ranges::copy(manifests_in(folder), std::back_inserter(files));
  return files;
}

// The fields of an ICD manifest that are needed to load its driver.
struct Icd {
  std::string library_path, library_arch;
};

void fields(auto& f, Icd& icd) {
  f("library_path", icd.library_path);
  f.added("library_arch", icd.library_arch);
}

struct IcdManifest {
  Icd icd;
};

void fields(auto& f, IcdManifest& manifest) {
  f("ICD", manifest.icd);
}

template <typename T>
Expected<T> read_json(const fs::path& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  const Expected<json::value> value = parse_json(*text, "the manifest");
  if (!value) return value.error();
  return from_json<T>(*value);
}

}  // namespace

std::vector<fs::path> manifest_folders(const EnvironmentVariables& environment, const fs::path& root) {
  std::vector<fs::path> folders;
  const auto add = [&](const std::string& base) { folders.emplace_back(fs::path(base) / "vulkan/icd.d"); };
  const auto add_list = [&](const std::string& paths) { std::ranges::for_each(split(paths), add); };
  const auto or_else = [&](const char* name, const std::string& fallback) {
    const std::string value = variable(environment, name);
    return value.empty() ? fallback : value;
  };
  const std::string home = variable(environment, "HOME");
  add_list(or_else("XDG_CONFIG_HOME", home.empty() ? "" : home + "/.config"));
  add_list(or_else("XDG_CONFIG_DIRS", root.string() + "/etc/xdg"));
  add(root.string() + "/etc");
  add_list(or_else("XDG_DATA_HOME", home.empty() ? "" : home + "/.local/share"));
  add_list(or_else("XDG_DATA_DIRS", fmt::format("{0}/usr/local/share:{0}/usr/share", root.string())));
  return folders;
}

std::string recorded_path(const fs::path& path, const fs::path& home) {
  const fs::path inside = path.lexically_relative(home);
  return printable(inside.empty() || *inside.begin() == ".." ? path.string() : inside.string());
}

Manifest read_manifest(const fs::path& file) {
  Manifest manifest;
  manifest.file = file;
  const Expected<IcdManifest> content = read_json<IcdManifest>(file);
  if (!content || content->icd.library_path.empty()) {
    manifest.problem = content ? "ICD.library_path: empty" : content.error().what;
    return manifest;
  }
  manifest.foreign = content->icd.library_arch == "32";
  manifest.library = content->icd.library_path;
  // As in the loader: a path with a slash is relative to the manifest's folder, a name is left to the dynamic linker.
  if (manifest.library.find('/') != std::string::npos)
    manifest.library = (file.parent_path() / manifest.library).lexically_normal();
  return manifest;
}

std::vector<Manifest> find_manifests(const EnvironmentVariables& environment, const fs::path& root) {
  std::vector<Manifest> manifests;
  std::set<fs::path> seen;
  for (const fs::path& file : manifest_files(environment, root)) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(file, error);
    if (seen.insert(error ? file : real).second) manifests.push_back(read_manifest(file));
  }
  return manifests;
}

Expected<void> write_manifest(const Manifest& manifest) {
  return write_driver_manifest(manifest.file, manifest.library);
}

Expected<std::vector<Manifest>> pinned_manifests(const fs::path& lib, const fs::path& generated) {
  const fs::path package = pinned_package(lib, "lavapipe");
  if (package.empty()) return std::vector<Manifest>();
  Manifest manifest;
  manifest.pinned = true;
  manifest.file = generated / "lavapipe.json";
  manifest.library = package / "libvulkan_lvp.so";
  manifest.libraries = pinned_libraries(lib);
  if (const auto written = write_manifest(manifest); !written) return written.error();
  return std::vector<Manifest>{manifest};
}

}  // namespace lab::probe
