#include "harness/judge/atlas_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "harness/judge/atlas_waste.h"
#include "harness/report/atlas_names.h"
#include "harness/report/format.h"
#include "harness/report/vulkan.h"

namespace lab::report {

namespace {

using judge::AnswerPair;
using judge::AnswersDifference;
using judge::AtlasAnswer;
using results::DriverColumn;
using Answers = std::vector<AtlasAnswer>;

constexpr const char* kWide = "wide";

Answers article_answers(const DriverColumn& column) {
  Answers all = judge::article_images(column);
  for (AtlasAnswer& one : judge::article_buffers(column)) all.push_back(std::move(one));
  return all;
}

Answers wide_images(const DriverColumn& column) {
  const results::SweepAnswers* sweep = judge::sweep_of(column, kWide);
  return sweep == nullptr ? Answers{} : judge::sweep_images(*sweep);
}

Answers wide_buffers(const DriverColumn& column) {
  const results::SweepAnswers* sweep = judge::sweep_of(column, kWide);
  return sweep == nullptr ? Answers{} : judge::sweep_buffers(*sweep);
}

/// "alignment 65,536 instead of 4,096", of `to` instead of `from`.
std::string change(const AnswerPair& pair) {
  if (pair.to.size == 0) return "refused";
  if (pair.from.size == 0) return fmt::format("{} bytes instead of a refusal", whole(pair.to.size));
  std::vector<std::string> parts;
  if (pair.from.size != pair.to.size)
    parts.push_back(fmt::format("{} bytes instead of {}", whole(pair.to.size), whole(pair.from.size)));
  if (pair.from.alignment != pair.to.alignment)
    parts.push_back(fmt::format("alignment {} instead of {}", whole(pair.to.alignment), whole(pair.from.alignment)));
  return enumerated(parts);
}

/// "36 of 169 differ, first 256x64: alignment 65,536 instead of 4,096".
std::string telling(const AnswersDifference& found) {
  return fmt::format("{} of {} differ, first {}: {}", found.different, found.compared, found.first->from.query,
                     change(*found.first));
}

/// What changed, in one phrase; "" if nothing was compared.
std::string change_phrase(const AnswersDifference& found) {
  if (found.compared == 0) return "";
  if (found.different == 0) return "no change";
  if (found.always)
    return fmt::format("each takes {} {}", counted(static_cast<std::size_t>(std::abs(*found.always)), "byte"),
                       *found.always > 0 ? "more" : "less");
  std::string text = telling(found);
  if (found.largest && found.largest->from.query != found.first->from.query)
    text += fmt::format("; most {}: {}", found.largest->from.query, change(*found.largest));
  return text;
}

std::string names_of(const judge::SameAnswers& group) {
  std::vector<std::string> names;
  for (const DriverColumn* column : group.columns) names.push_back(column->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Table groups_table(const std::vector<judge::SameAnswers>& groups) {
  std::size_t columns = 0;
  for (const judge::SameAnswers& group : groups) columns += group.columns.size();
  Table table{"atlas-groups",
              fmt::format("{} have {} of the article's images and buffers", counted(columns, "driver column"),
                          counted(groups.size(), "different table")),
              {{"Drivers and chips", kText},
               {"Columns", kNumber},
               {"Most like", kText},
               {"What tells it from that", kText},
               {"Names", kName},
               {"Hash of the table", kName}}};
  const std::vector<std::optional<std::size_t>> nearest = judge::nearest(groups);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::string like, differs;
    if (nearest[i]) {
      like = labelled(groups[*nearest[i]].columns);
      const AnswersDifference found = judge::difference(groups[*nearest[i]].answers, groups[i].answers);
      differs = telling(found);
    }
    table.rows.push_back({labelled(groups[i].columns), whole(groups[i].columns.size()), like, differs,
                          names_of(groups[i]), groups[i].hash.substr(0, 12)});
  }
  table.drop_empty_columns();
  return table;
}

/// Chips with the same changes share a row.
Table versions_table(std::span<const DriverColumn> atlas) {
  struct Row {
    std::vector<const DriverColumn*> from;
    std::vector<std::string> phrases;
  };
  std::map<std::tuple<std::string, std::string, std::vector<std::string>>, Row> rows;
  constexpr judge::AnswersOf kParts[] = {judge::article_images, judge::article_buffers, wide_images, wide_buffers};
  for (const auto& [from, to] : judge::version_pairs(atlas)) {
    std::vector<std::string> phrases;
    for (const judge::AnswersOf part : kParts)
      phrases.push_back(change_phrase(judge::difference(part(*from), part(*to))));
    Row& row =
        rows[{from->driver.short_name, fmt::format("{} to {}", from->driver.version, to->driver.version), phrases}];
    row.from.push_back(from);
    row.phrases = phrases;
  }
  Table table{"atlas-versions",
              "What changed between versions of a driver, on the same chip with the same settings",
              {{"Versions", kShort},
               {"Drivers and chips", kText},
               {"Chips", kNumber},
               {"The article's images", kText},
               {"Its buffers", kText},
               {"Other images", kText},
               {"Other buffers", kText}}};
  for (const auto& [key, row] : rows)
    table.rows.push_back({std::get<1>(key), labelled(row.from), whole(row.from.size()), row.phrases[0], row.phrases[1],
                          row.phrases[2], row.phrases[3]});
  table.drop_empty_columns();
  return table;
}

Table compression_table(std::span<const DriverColumn> atlas) {
  Table table{"atlas-compression",
              "What compression adds to the article's images: the same driver, asked with and without it",
              {{"Driver column", kName},
               {"Without", kShort},
               {"Images that change", kShort},
               {"Least, bytes", kNumber},
               {"Most, bytes", kNumber},
               {"All, bytes", kNumber}}};
  const auto with_sign = [](std::int64_t value) {
    return (value < 0 ? "-" : "") + whole(static_cast<std::uint64_t>(std::abs(value)));
  };
  for (const judge::CompressionPair& pair : judge::compression_pairs(atlas)) {
    const judge::CompressionBytes found = judge::compression_bytes(pair);
    table.rows.push_back({labelled(*pair.with), pair.setting, fmt::format("{} of {}", found.changed, found.images),
                          with_sign(found.least), with_sign(found.most), with_sign(found.bytes)});
  }
  return table;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

Table waste_table(const std::vector<judge::SameAnswers>& groups, const results::ImageSweep& sweep) {
  constexpr std::uint64_t kSmall = 65536;
  Table table{"atlas-waste",
              "Where the bytes of the article's images go. Not texels: padding of tiles and rows, and compression "
              "metadata. Rounding: from the storage to the next multiple of the alignment",
              {{"Drivers and chips", kText},
               {"Not texels, images of up to 64 KiB", kNumber},
               {"Not texels, all images", kNumber},
               {"Not texels, bytes", kNumber},
               {"Rounding, bytes", kNumber}}};
  for (const judge::SameAnswers& group : groups) {
    const DriverColumn& column = *group.columns.front();
    const judge::ImageBytes small = judge::image_bytes(column, sweep, kSmall);
    const judge::ImageBytes all = judge::image_bytes(column, sweep, std::numeric_limits<std::uint64_t>::max());
    if (all.images == 0) continue;
    table.rows.push_back({labelled(group.columns), percent(small.waste()), percent(all.waste()),
                          whole(all.storage - std::min(all.storage, all.texels)), whole(all.rounding)});
  }
  return table;
}

}  // namespace

Section atlas_differences_section(std::span<const DriverColumn> atlas, const results::ImageSweep& sweep) {
  Section section{"vulkan-differences", "Which drivers and chips differ, and by what"};
  section.folded = true;
  const std::vector<judge::SameAnswers> groups = judge::same_answers(atlas, article_answers);
  const std::vector<judge::SameAnswers> image_groups = judge::same_answers(atlas, judge::article_images);
  for (Table table :
       {groups_table(groups), versions_table(atlas), compression_table(atlas), waste_table(image_groups, sweep)})
    section.add(std::move(table));
  return section;
}

}  // namespace lab::report
