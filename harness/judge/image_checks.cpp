#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "harness/judge/driver_checks.h"

namespace lab::judge {

namespace {

using results::DriverCheck;
using results::DriverColumn;
using results::ImageRow;
using results::ImageSize;

std::string named(const ImageSize& size) {
  return fmt::format("{}x{}", size[0], size[1]);
}
std::string named(const ImageRow& row) {
  return named(ImageSize{row.width, row.height});
}

/// Whether `found` is one of the stated figures.
CheckOutcome one_of(const CheckRequest& request, const std::optional<std::uint64_t>& found) {
  const std::vector<std::uint64_t>& stated = request.check.bytes;
  std::string text = listed(stated, " or ");
  if (!found) return no_data(std::move(text));
  return {std::move(text), whole(*found), std::find(stated.begin(), stated.end(), *found) != stated.end()};
}

/// The first in the order of the sweep: by width, then height.
CheckOutcome first_image_aligned(const CheckRequest& request) {
  const std::vector<std::uint64_t>& wanted = request.check.bytes;
  const std::string reading = fmt::format("{} first at {}", listed(wanted, " or "), named(request.check.image));
  const std::vector<ImageRow> images = request.images();
  if (images.empty()) return no_data(reading);
  const auto first = std::find_if(images.begin(), images.end(), [&](const ImageRow& row) {
    return std::find(wanted.begin(), wanted.end(), row.alignment) != wanted.end();
  });
  if (first == images.end()) return {reading, "at no image", false};
  return {reading, fmt::format("first at {}", named(*first)),
          ImageSize{first->width, first->height} == request.check.image};
}

/// What could decide an image's alignment.
struct AlignmentRule {
  std::string_view what;
  std::uint64_t (*of)(const ImageRow&);
};

/// The alignments by this property of the images, "4,096, from 128 on 65,536"; none if two images that agree in it
/// differ in alignment.
std::optional<std::string> explanation(const AlignmentRule& rule, const std::vector<ImageRow>& images) {
  std::map<std::uint64_t, std::uint64_t> alignment_of;
  for (const ImageRow& row : images)
    if (alignment_of.try_emplace(rule.of(row), row.alignment).first->second != row.alignment) return std::nullopt;
  std::string text;
  std::uint64_t last = 0;
  for (const auto& [property, alignment] : alignment_of) {
    if (alignment != last)
      text += text.empty() ? whole(alignment) : fmt::format(", from {} on {}", whole(property), whole(alignment));
    last = alignment;
  }
  return fmt::format("{} decides: {}", rule.what, text);
}

CheckOutcome no_alignment_rule(const CheckRequest& request) {
  static constexpr AlignmentRule kRules[] = {
      {"the shorter side", [](const ImageRow& row) { return std::min(row.width, row.height); }},
      {"the longer side", [](const ImageRow& row) { return std::max(row.width, row.height); }},
      {"the width", [](const ImageRow& row) { return row.width; }},
      {"the height", [](const ImageRow& row) { return row.height; }},
      {"the number of texels", [](const ImageRow& row) { return row.width * row.height; }}};
  const std::string reading = "neither a side nor the number of texels decides";
  const std::vector<ImageRow> images = request.images();
  const std::size_t different = alignments(images).size();
  if (different == 0) return no_data(reading);
  if (different == 1) return undecided(reading, "all images have one alignment");
  for (const AlignmentRule& rule : kRules)
    if (std::optional<std::string> text = explanation(rule, images)) return {reading, std::move(*text), false};
  return {reading, "none of them decides", true};
}

/// None if the image was not queried or the driver refused it.
std::optional<std::uint64_t> of_image(const CheckRequest& request, std::uint64_t ImageRow::*figure = &ImageRow::size) {
  const ImageRow* row = request.image(request.check.image);
  return row == nullptr ? std::nullopt : std::optional(row->*figure);
}

CheckOutcome image_storage_and_alignment(const CheckRequest& request) {
  const auto text = [](std::uint64_t storage, std::uint64_t alignment) {
    return fmt::format("{} aligned to {}", whole(storage), whole(alignment));
  };
  const DriverCheck& check = request.check;
  const std::string reading = text(check.storage, check.alignment);
  const ImageRow* row = request.image(check.image);
  if (row == nullptr) return no_data(reading);
  return {reading, text(row->size, row->alignment), row->size == check.storage && row->alignment == check.alignment};
}

CheckOutcome same_image_storage(const CheckRequest& request) {
  const ImageRow* first = nullptr;
  for (const ImageSize& size : request.check.images) {
    const ImageRow* row = request.image(size);
    if (row == nullptr) return no_data("equal");
    if (first == nullptr) first = row;
    if (row->size != first->size)
      return {"equal", fmt::format("{}, but {} for {}", whole(first->size), whole(row->size), named(*row)), false};
  }
  return {"equal", whole(first->size), true};
}

CheckOutcome least_image_storage(const CheckRequest& request) {
  const std::vector<ImageRow> images = request.images();
  if (images.empty()) return no_data("more than its texels");
  const auto least = std::min_element(images.begin(), images.end(), [](const ImageRow& a, const ImageRow& b) {
    return a.width * a.height < b.width * b.height;
  });
  const std::uint64_t texels = least->width * least->height * request.sweep.texel_bytes;
  return {"more than its texels",
          fmt::format("{} for {}, {} of texels", whole(least->size), named(*least), whole(texels)),
          least->size > texels};
}

/// Whether the storage of enough images is a power of two, or is none.
template <bool kPower>
CheckOutcome powers_of_two(const CheckRequest& request) {
  const std::string reading =
      fmt::format("{}: {}a power of two", request.each("image", "images"), kPower ? "" : "not ");
  const std::vector<ImageRow> images = request.images();
  if (images.empty()) return no_data(reading);
  const auto agrees = [](const ImageRow& row) { return std::has_single_bit(row.size) == kPower; };
  const auto count = static_cast<std::size_t>(std::count_if(images.begin(), images.end(), agrees));
  std::string found = fmt::format("{} of {} images", count, images.size());
  if (const auto other = std::find_if_not(images.begin(), images.end(), agrees); other != images.end())
    found += fmt::format(", {} for {}", whole(other->size), named(*other));
  return {reading, std::move(found), request.is_typical(count, images.size())};
}

/// The answered images of the tables of a kind, by size.
std::map<std::array<std::uint32_t, 3>, results::Needs> images_of(const results::ImageKind& kind,
                                                                 const DriverColumn& column) {
  std::map<std::array<std::uint32_t, 3>, results::Needs> found;
  for (const results::SweepAnswers& answers : column.sweeps)
    for (const results::ImageTable& table : answers.images)
      if (table.kind == kind)
        for (const results::ImageAnswer& row : table.rows)
          if (row.needs.size != 0) found[{row.width, row.height, row.depth}] = row.needs;
  return found;
}

/// Images of other sweeps that were asked in both tilings.
CheckOutcome linear_tiling_relaxes(const CheckRequest& request) {
  const std::string reading = "less storage or alignment for some image";
  std::set<results::ImageKind> linear;
  for (const results::SweepAnswers& answers : request.column.sweeps)
    for (const results::ImageTable& table : answers.images)
      if (table.kind.tiling == "linear") linear.insert(table.kind);
  std::size_t both = 0, less = 0;
  for (results::ImageKind kind : linear) {
    const auto in_lines = images_of(kind, request.column);
    kind.tiling = "optimal";
    const auto in_tiles = images_of(kind, request.column);
    for (const auto& [size, needs] : in_lines)
      if (const auto same = in_tiles.find(size); same != in_tiles.end()) {
        ++both;
        if (needs.size < same->second.size || needs.alignment < same->second.alignment) ++less;
      }
  }
  if (both == 0) return no_data(reading, "no image was asked in both tilings");
  return {reading, fmt::format("for {} of {} images", less, both), less > 0};
}

}  // namespace

const CheckTable& image_checks() {
  static const CheckTable kTable{
      {"image alignments", [](const CheckRequest& r) { return all_of(r, alignments(r.images()), " and "); }},
      {"smallest image alignment",
       [](const CheckRequest& r) {
         const std::set<std::uint64_t> found = alignments(r.images());
         return one_of(r, found.empty() ? std::nullopt : std::optional(*found.begin()));
       }},
      {"smallest image storage",
       [](const CheckRequest& r) { return one_of(r, smallest_image_storage(r.column, r.sweep)); }},
      {"first image aligned", first_image_aligned},
      {"no alignment rule", no_alignment_rule},
      {"image storage", [](const CheckRequest& r) { return one_of(r, of_image(r)); }},
      {"image alignment", [](const CheckRequest& r) { return one_of(r, of_image(r, &ImageRow::alignment)); }},
      {"image storage and alignment", image_storage_and_alignment},
      {"image storage near",
       [](const CheckRequest& r) {
         const std::uint64_t stated = r.check.storage;
         return in_range(r.near(stated), of_image(r), r.at_least(stated), r.at_most(stated));
       }},
      {"image storage just over",
       [](const CheckRequest& r) {
         const std::uint64_t stated = r.check.storage, most = r.at_most(stated);
         return in_range(fmt::format("above {}, up to {}", whole(stated), whole(most)), of_image(r), stated + 1, most);
       }},
      {"image storage within",
       [](const CheckRequest& r) {
         const std::uint64_t most = r.at_most(r.check.storage);
         return in_range(fmt::format("up to {}", whole(most)), of_image(r), 0, most);
       }},
      {"same image storage", same_image_storage},
      {"least image storage", least_image_storage},
      {"power-of-two image storage", powers_of_two<true>},
      {"no power-of-two image storage", powers_of_two<false>},
      {"few image alignments",
       [](const CheckRequest& r) {
         const std::set<std::uint64_t> found = alignments(r.images());
         return of_values(fmt::format("up to {}, {}", r.check.most, powers_reading(r.check)), found,
                          found.size() <= r.check.most && are_powers(found, r.check.low, r.check.high));
       }},
      {"power-of-two alignments",
       [](const CheckRequest& r) {
         std::set<std::uint64_t> found = alignments(r.images());
         found.merge(alignments(r.buffers()));
         return of_values("powers of two, of every image and buffer", found, are_powers(found, 1, UINT64_MAX));
       }},
      {"linear tiling relaxes", linear_tiling_relaxes},
  };
  return kTable;
}

}  // namespace lab::judge
