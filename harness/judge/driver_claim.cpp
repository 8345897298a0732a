#include "harness/judge/driver_claim.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <set>

#include "harness/base/fit.h"

namespace lab::judge {

namespace {

using results::BufferRow;
using results::DriverCheck;
using results::DriverColumn;
using results::ImageRow;
using results::ImageSweep;

/// One check, and the column to test it on.
struct CheckRequest {
  const DriverCheck& check;
  const DriverColumn& column;
  const ImageSweep& sweep;

  /// Images of the article's sweep that the driver did not refuse.
  std::vector<ImageRow> images() const {
    std::vector<ImageRow> kept;
    for (const ImageRow& row : column.images)
      if (row.size != 0 && std::min(row.width, row.height) >= sweep.least_dimension) kept.push_back(row);
    return kept;
  }

  std::vector<BufferRow> buffers() const {
    std::vector<BufferRow> kept;
    for (const BufferRow& row : column.buffers)
      if (row.size != 0) kept.push_back(row);
    return kept;
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

CheckOutcome no_data(std::string stated) {
  return {std::move(stated), "", std::nullopt};
}

/// Whether `found` is one of the stated figures.
CheckOutcome one_of(const CheckRequest& request, const std::optional<std::uint64_t>& found) {
  const std::vector<std::uint64_t>& stated = request.check.bytes;
  std::string text = listed(stated, " or ");
  if (!found) return no_data(std::move(text));
  return {std::move(text), whole(*found), std::find(stated.begin(), stated.end(), *found) != stated.end()};
}

/// Whether the values found are exactly the stated figures.
CheckOutcome all_of(const CheckRequest& request, const std::set<std::uint64_t>& found, std::string_view between) {
  const std::vector<std::uint64_t>& stated = request.check.bytes;
  if (found.empty()) return no_data(listed(stated, between));
  return {listed(stated, between), listed(found, " and "),
          found == std::set<std::uint64_t>(stated.begin(), stated.end())};
}

CheckOutcome image_alignments(const CheckRequest& request) {
  return all_of(request, alignments(request.images()), " and ");
}

CheckOutcome smallest_image_alignment(const CheckRequest& request) {
  const std::set<std::uint64_t> found = alignments(request.images());
  return one_of(request, found.empty() ? std::nullopt : std::optional(*found.begin()));
}

template <std::uint64_t ImageRow::*kFigure>
CheckOutcome of_one_image(const CheckRequest& request) {
  const ImageRow* row = image(request.column, request.check.image);
  return one_of(request, row == nullptr ? std::nullopt : std::optional(row->*kFigure));
}

CheckOutcome same_image_storage(const CheckRequest& request) {
  std::vector<std::uint64_t> sizes;
  for (const results::ImageSize& size : request.check.images) {
    const ImageRow* row = image(request.column, size);
    if (row == nullptr) return no_data("equal");
    sizes.push_back(row->size);
  }
  return {"equal", listed(sizes, " and "), std::equal(sizes.begin() + 1, sizes.end(), sizes.begin())};
}

CheckOutcome least_image_storage(const CheckRequest& request) {
  const std::vector<ImageRow> images = request.images();
  if (images.empty()) return no_data("more than its texels");
  const auto least = std::min_element(images.begin(), images.end(), [](const ImageRow& a, const ImageRow& b) {
    return a.width * a.height < b.width * b.height;
  });
  const std::uint64_t texels = least->width * least->height * request.sweep.texel_bytes;
  return {"more than its texels",
          fmt::format("{} for {}x{}, {} of texels", whole(least->size), least->width, least->height, whole(texels)),
          least->size > texels};
}

CheckOutcome few_image_alignments(const CheckRequest& request) {
  const std::uint64_t most = request.check.most, low = request.check.low, high = request.check.high;
  const std::set<std::uint64_t> found = alignments(request.images());
  const std::string stated = fmt::format("up to {}, from {} to {}", most, whole(low), whole(high));
  if (found.empty()) return no_data(stated);
  const bool fit = std::all_of(found.begin(), found.end(), [&](std::uint64_t alignment) {
    return std::has_single_bit(alignment) && alignment >= low && alignment <= high;
  });
  return {stated, listed(found, " and "), found.size() <= most && fit};
}

CheckOutcome one_buffer_alignment(const CheckRequest& request) {
  std::set<std::uint64_t> found;
  for (const BufferRow& row : request.buffers()) found.insert(row.alignment);
  if (found.empty()) return no_data("one");
  return {"one", listed(found, " and "), found.size() == 1};
}

CheckOutcome small_buffer_storage(const CheckRequest& request) {
  std::set<std::uint64_t> found;
  for (const BufferRow& row : request.buffers())
    if (row.length < request.check.below) found.insert(row.size);
  return all_of(request, found, " or ");
}

CheckOutcome buffer_extra(const CheckRequest& request) {
  const std::uint64_t most = request.check.most;
  const std::string stated = most == 0 ? "nothing more" : fmt::format("up to {} more", most);
  const BufferRow* worst = nullptr;
  const std::vector<BufferRow> buffers = request.buffers();
  for (const BufferRow& row : buffers)
    if (row.length > request.check.above && (worst == nullptr || row.size - row.length > worst->size - worst->length))
      worst = &row;
  if (worst == nullptr) return no_data(stated);
  const std::uint64_t extra = worst->size - worst->length;
  if (extra == 0) return {stated, "nothing more", true};
  return {stated, fmt::format("up to {} more, at {}", whole(extra), whole(worst->length)), extra <= most};
}

using Check = CheckOutcome (*)(const CheckRequest&);

const std::map<std::string_view, Check> kChecks{
    {"image alignments", image_alignments},
    {"smallest image alignment", smallest_image_alignment},
    {"smallest image storage",
     [](const CheckRequest& r) { return one_of(r, smallest_image_storage(r.column, r.sweep)); }},
    {"image storage", of_one_image<&ImageRow::size>},
    {"image alignment", of_one_image<&ImageRow::alignment>},
    {"same image storage", same_image_storage},
    {"least image storage", least_image_storage},
    {"few image alignments", few_image_alignments},
    {"one buffer alignment", one_buffer_alignment},
    {"small buffer storage", small_buffer_storage},
    {"buffer extra", buffer_extra},
};

}  // namespace

CheckOutcome check_claim(const DriverCheck& check, const DriverColumn& column, const ImageSweep& sweep) {
  return kChecks.at(check.kind)({check, column, sweep});
}

std::vector<const DriverColumn*> columns_like(std::span<const DriverColumn> atlas, const std::string& glob) {
  std::vector<const DriverColumn*> found;
  for (const DriverColumn& column : atlas)
    if (::fnmatch(glob.c_str(), column.name.c_str(), 0) == 0) found.push_back(&column);
  return found;
}

const ImageRow* image(const DriverColumn& column, const results::ImageSize& size) {
  for (const ImageRow& row : column.images)
    if (row.width == size[0] && row.height == size[1]) return row.size == 0 ? nullptr : &row;
  return nullptr;
}

std::optional<std::uint64_t> smallest_image_storage(const DriverColumn& column, const ImageSweep& sweep) {
  std::optional<std::uint64_t> least;
  for (const ImageRow& row : column.images)
    if (row.size != 0 && std::min(row.width, row.height) >= sweep.least_dimension)
      least = std::min(least.value_or(row.size), row.size);
  return least;
}

}  // namespace lab::judge
