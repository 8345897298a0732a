#include "harness/probe/column_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

namespace lab::probe {

namespace {

struct KnownDriver {
  std::int64_t id;           // VkDriverId; a number, because drivers can be newer than the pinned header
  std::string_view name;     // in columns
  std::string_view library;  // prefix of its library's name; "" for drivers that do not exist on Linux
};

constexpr std::int64_t kNoId = -1;

// If one library name is a prefix of another, the longer one comes first.
constexpr KnownDriver kDrivers[] = {
    {13, "lavapipe", "libvulkan_lvp"},
    {3, "radv", "libvulkan_radeon"},
    {kNoId, "hasvk", "libvulkan_intel_hasvk"},  // reports the id of the next
    {6, "anv", "libvulkan_intel"},
    {4, "nvidia", "libGLX_nvidia"},
    {4, "nvidia", "libEGL_nvidia"},
    {4, "nvidia", "libnvidia"},
    {24, "nvk", "libvulkan_nouveau"},
    {1, "amd", "amdvlkpro"},
    {2, "amdvlk", "amdvlk"},
    {10, "swiftshader", "libvk_swiftshader"},
    {18, "turnip", "libvulkan_freedreno"},
    {19, "v3dv", "libvulkan_broadcom"},
    {20, "panvk", "libvulkan_panfrost"},
    {22, "venus", "libvulkan_virtio"},
    {23, "dozen", "libvulkan_dzn"},
    {25, "powervr", "libvulkan_powervr"},
    {26, "honeykrisp", "libvulkan_asahi"},
    {28, "gfxstream", "libvulkan_gfxstream"},
    {5, "intel", ""},
    {7, "imagination", ""},
    {8, "adreno", ""},
    {9, "mali", ""},
    {11, "ggp", ""},
    {12, "broadcom", ""},
    {14, "moltenvk", "libMoltenVK"},
    {15, "coreavi", ""},
    {16, "juice", ""},
    {17, "verisilicon", ""},
    {21, "samsung", ""},
};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || c == '.' || c == '-';
}

std::string without_parentheses(std::string_view text) {
  std::string kept;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (depth == 0) kept += c;
    if (c == ')' && depth > 0) --depth;
  }
  return kept;
}

// Each word of `text` in lower case, without characters that do not belong in a folder name.
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found(1);
  for (const char c : text) {
    if (c == ' ')
      found.emplace_back();
    else if (is_name(lower(c)))
      found.back() += lower(c);
  }
  std::erase(found, "");
  return found;
}

// "25.0.7-2deb13u1" is Debian's second build of 25.0.7; "23.1.0-devel" has no revision.
std::string without_revision(std::string version) {
  for (std::size_t at = 0; (at = version.find('-', at)) != std::string::npos; ++at)
    if (at + 1 < version.size() && is_digit(version[at + 1])) return version.substr(0, at);
  return version;
}

bool is_vendor_word(std::string_view word) {
  constexpr std::array<std::string_view, 14> kWords{"amd",    "nvidia", "intel",   "arm",      "apple",
                                                    "mesa",   "radeon", "geforce", "graphics", "gpu",
                                                    "turnip", "series", "virtio",  "venus"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

std::string driver_short_name(std::int64_t driver_id) {
  const auto found = std::ranges::find(kDrivers, driver_id, &KnownDriver::id);
  return found == std::end(kDrivers) ? fmt::format("driver{}", driver_id) : std::string(found->name);
}

std::string expected_driver(std::string_view library) {
  const std::string file = std::filesystem::path(library).filename();
  for (const KnownDriver& driver : kDrivers)
    if (!driver.library.empty() && file.starts_with(driver.library)) return std::string(driver.name);
  return "";
}

bool shares_driver_id(std::string_view library) {
  const std::string name = expected_driver(library);
  const auto found = std::ranges::find(kDrivers, name, &KnownDriver::name);
  return found != std::end(kDrivers) && found->id == kNoId;
}

std::string driver_version(std::string_view driver_info, std::uint32_t version, std::uint32_t vendor_id) {
  for (std::string& word : words(without_parentheses(driver_info)))
    if (is_digit(word.front()) && word.find('.') != std::string::npos) return without_revision(std::move(word));
  constexpr std::uint32_t kNvidia = 0x10de;
  if (vendor_id == kNvidia)
    return fmt::format("{}.{}.{}.{}", version >> 22, version >> 14 & 0xff, version >> 6 & 0xff, version & 0x3f);
  return fmt::format("{}.{}.{}", version >> 22, version >> 12 & 0x3ff, version & 0xfff);
}

std::string chip_name(std::string_view device_name, std::uint32_t vendor_id, std::uint32_t device_id) {
  // RADV names the chip behind the product: "AMD Radeon RX 5700 (RADV NAVI10)".
  constexpr std::string_view kRadv = "(RADV ";
  if (const std::size_t at = device_name.find(kRadv); at != std::string_view::npos) {
    std::string_view chip = device_name.substr(at + kRadv.size());
    device_name = chip.substr(0, chip.find(')'));
  }
  std::string chip;
  for (const std::string& word : words(without_parentheses(device_name)))
    if (!is_vendor_word(word)) chip += word;
  while (!chip.empty() && !is_digit(chip.front()) && (chip.front() == '.' || chip.front() == '-')) chip.erase(0, 1);
  return chip.empty() ? fmt::format("{:04x}.{:04x}", vendor_id, device_id) : chip;
}

std::string column_name(const results::DriverIdentity& d, const std::map<std::string, std::string>& environment) {
  std::string name = fmt::format("{}-{}", d.short_name, d.version);
  if (d.simulated)
    name += "-" + d.simulated->chip;
  else if (d.device_type != "cpu")
    name += "-" + chip_name(d.device_name, d.vendor_id, d.device_id);
  constexpr std::size_t kLongest = 40;
  for (const auto& [variable, value] : environment) {
    std::string part;
    for (const char c : value.substr(0, kLongest)) part += is_name(lower(c)) ? lower(c) : '-';
    name += "-" + part;
  }
  constexpr std::size_t kLongestName = 200;  // a folder's name has at most 255 bytes, with a number or a suffix
  if (name.size() > kLongestName) name.resize(kLongestName);
  if (d.simulated) name += kSimulatedSuffix;
  return name;
}

std::string failed_column_name(const results::DriverIdentity& d) {
  const std::string expected = expected_driver(d.library);
  if (d.simulated && !expected.empty()) {
    results::DriverIdentity named = d;
    named.short_name = expected;
    return column_name(named) + "-failed";
  }
  if (!expected.empty()) return expected + "-failed";
  const std::string file = std::filesystem::path(d.manifest).filename();
  std::string stem;
  for (const std::string& word : words(file.substr(0, file.find('.')))) stem += word;
  return (stem.empty() ? "driver" : stem) + "-failed";
}

}  // namespace lab::probe
