#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <bit>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "harness/report/format.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

namespace json = boost::json;
using results::BufferRow;
using results::DriverColumn;
using results::ImageRow;

struct Asked {
  const json::object& check;
  const DriverColumn& column;
  const VulkanMemory& published;

  std::uint64_t amount(std::string_view field) const { return check.at(field).to_number<std::uint64_t>(); }

  /// The article's figures.
  std::vector<std::uint64_t> stated() const { return json::value_to<std::vector<std::uint64_t>>(check.at("bytes")); }

  /// Images of the article's sweep that the driver did not refuse.
  std::vector<ImageRow> images() const {
    std::vector<ImageRow> kept;
    for (const ImageRow& row : column.images)
      if (row.size != 0 && std::min(row.width, row.height) >= published.least_dimension) kept.push_back(row);
    return kept;
  }

  std::vector<BufferRow> buffers() const {
    std::vector<BufferRow> kept;
    for (const BufferRow& row : column.buffers)
      if (row.size != 0) kept.push_back(row);
    return kept;
  }

  const ImageRow* one_image(const json::value& size) const {
    return image(column, size.at(0).to_number<std::uint64_t>(), size.at(1).to_number<std::uint64_t>());
  }
};

template <typename Values>
std::string listed(const Values& values, std::string_view between) {
  std::vector<std::string> texts;
  for (const std::uint64_t value : values) texts.push_back(whole(value));
  return fmt::format("{}", fmt::join(texts, between));
}

std::set<std::uint64_t> alignments(const std::vector<ImageRow>& images) {
  std::set<std::uint64_t> different;
  for (const ImageRow& row : images) different.insert(row.alignment);
  return different;
}

CheckOutcome nothing(std::string stated) {
  return {std::move(stated), "", std::nullopt};
}

/// Whether `found` is one of the stated figures.
CheckOutcome one_of(const Asked& asked, const std::optional<std::uint64_t>& found) {
  const std::vector<std::uint64_t> stated = asked.stated();
  std::string text = listed(stated, " or ");
  if (!found) return nothing(std::move(text));
  return {std::move(text), whole(*found), std::find(stated.begin(), stated.end(), *found) != stated.end()};
}

CheckOutcome image_alignments(const Asked& asked) {
  const std::set<std::uint64_t> found = alignments(asked.images());
  const std::vector<std::uint64_t> stated = asked.stated();
  if (found.empty()) return nothing(listed(stated, " and "));
  return {listed(stated, " and "), listed(found, " and "),
          found == std::set<std::uint64_t>(stated.begin(), stated.end())};
}

CheckOutcome smallest_image_alignment(const Asked& asked) {
  const std::set<std::uint64_t> found = alignments(asked.images());
  return one_of(asked, found.empty() ? std::nullopt : std::optional(*found.begin()));
}

CheckOutcome least_storage_is(const Asked& asked) {
  return one_of(asked, smallest_image_storage(asked.column, asked.published));
}

CheckOutcome image_storage(const Asked& asked) {
  const ImageRow* row = asked.one_image(asked.check.at("image"));
  return one_of(asked, row == nullptr ? std::nullopt : std::optional(row->size));
}

CheckOutcome image_alignment(const Asked& asked) {
  const ImageRow* row = asked.one_image(asked.check.at("image"));
  return one_of(asked, row == nullptr ? std::nullopt : std::optional(row->alignment));
}

CheckOutcome same_image_storage(const Asked& asked) {
  std::vector<std::uint64_t> sizes;
  for (const json::value& size : asked.check.at("images").as_array()) {
    const ImageRow* row = asked.one_image(size);
    if (row == nullptr) return nothing("equal");
    sizes.push_back(row->size);
  }
  return {"equal", listed(sizes, " and "), std::equal(sizes.begin() + 1, sizes.end(), sizes.begin())};
}

CheckOutcome least_image_storage(const Asked& asked) {
  const std::vector<ImageRow> images = asked.images();
  if (images.empty()) return nothing("more than its texels");
  const auto least = std::min_element(images.begin(), images.end(), [](const ImageRow& a, const ImageRow& b) {
    return a.width * a.height < b.width * b.height;
  });
  const std::uint64_t texels = least->width * least->height * asked.published.texel_bytes;
  return {"more than its texels",
          fmt::format("{} for {}x{}, {} of texels", whole(least->size), least->width, least->height, whole(texels)),
          least->size > texels};
}

CheckOutcome few_image_alignments(const Asked& asked) {
  const std::uint64_t most = asked.amount("most"), low = asked.amount("low"), high = asked.amount("high");
  const std::set<std::uint64_t> found = alignments(asked.images());
  const std::string stated = fmt::format("up to {}, from {} to {}", most, whole(low), whole(high));
  if (found.empty()) return nothing(stated);
  const bool fit = std::all_of(found.begin(), found.end(), [&](std::uint64_t alignment) {
    return std::has_single_bit(alignment) && alignment >= low && alignment <= high;
  });
  return {stated, listed(found, " and "), found.size() <= most && fit};
}

CheckOutcome one_buffer_alignment(const Asked& asked) {
  std::set<std::uint64_t> found;
  for (const BufferRow& row : asked.buffers()) found.insert(row.alignment);
  if (found.empty()) return nothing("one");
  return {"one", listed(found, " and "), found.size() == 1};
}

CheckOutcome small_buffer_storage(const Asked& asked) {
  std::set<std::uint64_t> found;
  for (const BufferRow& row : asked.buffers())
    if (row.length < asked.amount("below")) found.insert(row.size);
  const std::vector<std::uint64_t> stated = asked.stated();
  if (found.empty()) return nothing(listed(stated, " or "));
  return {listed(stated, " or "), listed(found, " and "),
          found == std::set<std::uint64_t>(stated.begin(), stated.end())};
}

CheckOutcome buffer_extra(const Asked& asked) {
  const std::uint64_t most = asked.amount("most");
  const std::string stated = most == 0 ? "nothing more" : fmt::format("up to {} more", most);
  const BufferRow* worst = nullptr;
  const std::vector<BufferRow> buffers = asked.buffers();
  for (const BufferRow& row : buffers)
    if (row.length > asked.amount("above") && (worst == nullptr || row.size - row.length > worst->size - worst->length))
      worst = &row;
  if (worst == nullptr) return nothing(stated);
  const std::uint64_t extra = worst->size - worst->length;
  if (extra == 0) return {stated, "nothing more", true};
  return {stated, fmt::format("up to {} more, at {}", whole(extra), whole(worst->length)), extra <= most};
}

using Check = CheckOutcome (*)(const Asked&);

const std::map<std::string_view, Check>& checks() {
  static const std::map<std::string_view, Check> table{
      {"image alignments", image_alignments},
      {"smallest image alignment", smallest_image_alignment},
      {"smallest image storage", least_storage_is},
      {"image storage", image_storage},
      {"image alignment", image_alignment},
      {"same image storage", same_image_storage},
      {"least image storage", least_image_storage},
      {"few image alignments", few_image_alignments},
      {"one buffer alignment", one_buffer_alignment},
      {"small buffer storage", small_buffer_storage},
      {"buffer extra", buffer_extra},
  };
  return table;
}

}  // namespace

CheckOutcome check_claim(const json::object& check, const DriverColumn& column, const VulkanMemory& published) {
  const auto known = checks().find(std::string_view(check.at("kind").as_string()));
  if (known == checks().end()) return {"", "no such check", std::nullopt};
  return known->second({check, column, published});
}

std::vector<const DriverColumn*> columns_like(std::span<const DriverColumn> atlas, const std::string& glob) {
  std::vector<const DriverColumn*> found;
  for (const DriverColumn& column : atlas)
    if (::fnmatch(glob.c_str(), column.name.c_str(), 0) == 0) found.push_back(&column);
  return found;
}

const ImageRow* image(const DriverColumn& column, std::uint64_t width, std::uint64_t height) {
  for (const ImageRow& row : column.images)
    if (row.width == width && row.height == height) return row.size == 0 ? nullptr : &row;
  return nullptr;
}

std::optional<std::uint64_t> smallest_image_storage(const DriverColumn& column, const VulkanMemory& published) {
  std::optional<std::uint64_t> least;
  for (const ImageRow& row : column.images)
    if (row.size != 0 && std::min(row.width, row.height) >= published.least_dimension)
      least = std::min(least.value_or(row.size), row.size);
  return least;
}

}  // namespace lab::report
