#include "harness/judge/atlas_waste.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace lab::judge {

namespace {

using results::DriverColumn;
using results::ImageRow;

struct Setting {
  const char* variable;
  const char* word;
};
constexpr Setting kWithoutCompression[] = {{"INTEL_DEBUG", "noccs"}, {"RADV_DEBUG", "nodcc"}};

using Environment = std::map<std::string, std::string>;

/// What makes two columns comparable: the driver and the device, not its version.
std::string device_of(const DriverColumn& column) {
  const results::DriverIdentity& driver = column.driver;
  if (driver.simulated) return fmt::format("{} simulated {}", driver.short_name, driver.simulated->chip);
  return fmt::format("{} {:x}:{:x}", driver.short_name, driver.vendor_id, driver.device_id);
}

/// "22.3.6" before "25.0.7", "9.1" before "10.0": whole numbers by their value.
std::vector<int> version_order(const std::string& version) {
  std::vector<int> numbers;
  bool inside = false;
  for (const char c : version) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) numbers.push_back(0);
    if (digit && numbers.back() < 100'000'000) numbers.back() = numbers.back() * 10 + (c - '0');
    inside = digit;
  }
  return numbers;
}

}  // namespace

double ImageBytes::waste() const {
  return storage == 0 ? 0 : 1 - static_cast<double>(texels) / static_cast<double>(storage);
}

ImageBytes image_bytes(const DriverColumn& column, const results::ImageSweep& sweep, std::uint64_t most_texel_bytes) {
  ImageBytes sum;
  for (const ImageRow& row : column.images) {
    const std::uint64_t texels = row.width * row.height * sweep.texel_bytes;
    if (row.size == 0 || texels > most_texel_bytes) continue;
    ++sum.images;
    sum.texels += texels;
    sum.storage += row.size;
    if (row.alignment != 0) sum.rounding += (row.alignment - row.size % row.alignment) % row.alignment;
  }
  return sum;
}

std::vector<CompressionPair> compression_pairs(std::span<const DriverColumn> atlas) {
  std::vector<CompressionPair> pairs;
  for (const DriverColumn& without : atlas)
    for (const Setting& setting : kWithoutCompression) {
      const auto set = without.environment.find(setting.variable);
      if (without.imported || set == without.environment.end() || set->second.find(setting.word) == std::string::npos)
        continue;
      Environment rest = without.environment;
      rest.erase(setting.variable);
      for (const DriverColumn& with : atlas)
        if (!with.imported && with.environment == rest && with.driver.version == without.driver.version &&
            device_of(with) == device_of(without))
          pairs.push_back({&with, &without, fmt::format("{}={}", setting.variable, set->second)});
    }
  return pairs;
}

CompressionBytes compression_bytes(const CompressionPair& pair) {
  CompressionBytes found;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> without;
  for (const ImageRow& row : pair.without->images)
    if (row.size != 0) without[{row.width, row.height}] = row.size;
  for (const ImageRow& row : pair.with->images) {
    const auto other = without.find({row.width, row.height});
    if (row.size == 0 || other == without.end()) continue;
    ++found.images;
    const std::int64_t added = static_cast<std::int64_t>(row.size) - static_cast<std::int64_t>(other->second);
    if (added == 0) continue;
    found.least = found.changed == 0 ? added : std::min(found.least, added);
    found.most = found.changed == 0 ? added : std::max(found.most, added);
    found.bytes += added;
    ++found.changed;
  }
  return found;
}

std::vector<VersionPair> version_pairs(std::span<const DriverColumn> atlas) {
  std::map<std::tuple<std::string, Environment>, std::vector<const DriverColumn*>> chips;
  for (const DriverColumn& column : atlas)
    if (!column.imported && !(column.images.empty() && column.buffers.empty()))
      chips[{device_of(column), column.environment}].push_back(&column);
  std::vector<VersionPair> pairs;
  for (auto& [chip, columns] : chips) {
    std::stable_sort(columns.begin(), columns.end(), [](const DriverColumn* a, const DriverColumn* b) {
      return version_order(a->driver.version) < version_order(b->driver.version);
    });
    for (std::size_t i = 1; i < columns.size(); ++i)
      if (columns[i - 1]->driver.version != columns[i]->driver.version) pairs.push_back({columns[i - 1], columns[i]});
  }
  return pairs;
}

}  // namespace lab::judge
