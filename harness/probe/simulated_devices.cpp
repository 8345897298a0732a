#include "harness/probe/simulated_devices.h"

#include <fmt/format.h>

#include <system_error>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"

namespace lab::probe {

namespace fs = std::filesystem;

namespace {

constexpr int kSchema = 1;

// The contents of simulated_devices.json.
struct Device {
  std::string chip;
  EnvironmentVariables environment;
};

struct Driver {
  std::string package;  // without its version
  std::string library;
  std::string shim;  // "": the driver finds devices of this machine
  std::vector<Device> devices;
};

struct DevicesFile {
  int schema = kSchema;
  std::vector<Driver> drivers;
};

LAB_JSON_STRUCT(Device, chip, environment)
LAB_JSON_STRUCT(DevicesFile, schema, drivers)

void fields(auto& f, Driver& driver) {
  f("package", driver.package);
  f("library", driver.library);
  f.added("shim", driver.shim);
  f.added("devices", driver.devices);
}

Expected<DevicesFile> read_devices(const fs::path& file) {
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  const std::string name = fmt::format("'{}'", file.string());
  const Expected<json::value> value = parse_json(*text, name);
  if (!value) return value.error();
  Expected<DevicesFile> devices = from_json<DevicesFile>(*value);
  if (!devices) return in_context(name, devices.error());
  if (devices->schema != kSchema)
    return Error{fmt::format("{}: schema {}, this build reads {}", name, devices->schema, kSchema), ""};
  return devices;
}

bool is_there(const fs::path& file) {
  std::error_code error;
  return fs::exists(file, error);
}

// The driver of a package, on no device yet.
Manifest driver_manifest(const Driver& driver, const fs::path& package, const SimulatedDevicesSpec& spec) {
  Manifest manifest;
  manifest.pinned = true;
  manifest.file = spec.generated / fmt::format("{}-{}.json", driver.package, fs::path(driver.library).stem().string());
  manifest.library = package / driver.library;
  manifest.version = package.filename().string().substr(driver.package.size() + 1);
  const fs::path dynamic_linker = package / "ld-linux-x86-64.so.2";
  if (is_there(dynamic_linker)) {
    manifest.loader = package / "libvulkan.so.1";
    // Without --inhibit-cache it would also look up libraries in the machine's cache.
    manifest.starter = {dynamic_linker, "--inhibit-cache", "--library-path",
                        fmt::format("{}:{}", package.string(), spec.shims.string())};
  } else {
    manifest.libraries = pinned_libraries(spec.lib);
    manifest.libraries.insert(manifest.libraries.begin(), {package, spec.shims});
  }
  return manifest;
}

}  // namespace

Expected<std::vector<Manifest>> simulated_manifests(const SimulatedDevicesSpec& spec) {
  const Expected<DevicesFile> file = read_devices(spec.devices_file);
  if (!file) return file.error();
  const bool built = is_there(spec.shims / "built");
  bool waits = false;
  std::vector<Manifest> manifests;
  for (const Driver& driver : file->drivers) {
    const fs::path package = pinned_package(spec.lib, driver.package);
    if (package.empty()) continue;
    const Manifest manifest = driver_manifest(driver, package, spec);
    if (const auto written = write_manifest(manifest); !written) return written.error();
    if (driver.shim.empty()) manifests.push_back(manifest);
    if (driver.shim.empty() || !built) {
      waits = waits || !driver.shim.empty();
      continue;
    }
    for (const Device& device : driver.devices) {
      Manifest& simulated = manifests.emplace_back(manifest);
      // A name, found in the folders of the libraries: LD_PRELOAD cannot name a path with a space.
      simulated.preloaded = fmt::format("lib{}.so", driver.shim);
      simulated.simulated = results::SimulatedDevice{device.chip, driver.shim, device.environment};
    }
  }
  if (waits && spec.on_progress)
    spec.on_progress("the simulated devices are installed but not built: python3 make.py build");
  return manifests;
}

}  // namespace lab::probe
