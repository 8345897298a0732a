#include "harness/bench/exhibits.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>

#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"

namespace lab::bench {

LAB_JSON_STRUCT(SeriesLine, name, y)
LAB_JSON_STRUCT(Series, x_title, y_title, x, lines)

namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

/// CRC-32 as in ISO/IEC 15948, annex D.
std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc;
}

/// Adler-32 as in RFC 1950.
std::uint32_t adler_of(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

std::string chunk(std::string_view type, std::string_view content) {
  std::string typed(type);
  typed += content;
  std::string out;
  append_big_endian(out, static_cast<std::uint32_t>(content.size()));
  out += typed;
  append_big_endian(out, crc_of(typed));
  return out;
}

/// A zlib stream of stored blocks (RFC 1950, RFC 1951).
std::string stored(std::string_view bytes) {
  constexpr std::size_t kMost = 65535;
  std::string out("\x78\x01", 2);
  std::size_t at = 0;
  do {
    const std::size_t size = std::min(kMost, bytes.size() - at);
    const auto length = static_cast<std::uint16_t>(size);
    const auto inverse = static_cast<std::uint16_t>(~length);
    out += static_cast<char>(at + size == bytes.size());
    for (const std::uint16_t number : {length, inverse}) {
      out += static_cast<char>(number & 0xff);
      out += static_cast<char>(number >> 8);
    }
    out += bytes.substr(at, size);
    at += size;
  } while (at < bytes.size());
  append_big_endian(out, adler_of(bytes));
  return out;
}

std::string malformed(const Series& series) {
  for (const SeriesLine& line : series.lines) {
    if (line.y.size() != series.x.size())
      return fmt::format("line '{}': expected {} values, found {}", line.name, series.x.size(), line.y.size());
    if (!std::ranges::all_of(line.y, [](double y) { return std::isfinite(y); }))
      return fmt::format("line '{}': a value is not finite", line.name);
  }
  return "";
}

}  // namespace

std::string png_of(const Picture& picture) {
  std::string header, rows;
  append_big_endian(header, picture.width);
  append_big_endian(header, picture.height);
  header += static_cast<char>(8);                              // bits a channel
  header += static_cast<char>(picture.channels == 1 ? 0 : 2);  // colour type
  header += std::string(3, '\0');                              // compression, filter, no interlacing
  const std::size_t row_bytes = std::size_t{picture.width} * picture.channels;
  for (unsigned row = 0; row < picture.height; ++row) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(picture.pixels.data()) + row * row_bytes, row_bytes);
  }
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", stored(rows)) + chunk("IEND", "");
}

void ExhibitFiles::fail(std::string what) {
  if (problem_.empty()) problem_ = std::move(what);
}

bool ExhibitFiles::begin(std::string_view name, ExhibitKind kind, std::size_t size, std::size_t most) {
  const auto found = std::ranges::find(declared_, name, &ExhibitInfo::name);
  if (found == declared_.end() || found->kind != kind)
    fail(fmt::format("exhibit '{}' was written, but is not declared as such", name));
  else if (std::ranges::find(written_, name) != written_.end())
    fail(fmt::format("exhibit '{}' was written twice", name));
  else if (size == 0 || size > most)
    fail(fmt::format("exhibit '{}': expected 1 to {} values, found {}", name, most, size));
  written_.emplace_back(name);
  return problem_.empty();
}

void ExhibitFiles::write(std::string_view name, ExhibitKind kind, const std::string& content) {
  const Expected<void> written = write_file(folder_ / exhibit_file({std::string(name), "", kind}), content);
  if (!written) fail(written.error().what);
}

void ExhibitFiles::latency(std::string_view name, std::span<const std::uint32_t> nanoseconds) {
  if (!begin(name, ExhibitKind::kLatency, nanoseconds.size(), kMostLatencies)) return;
  std::string content;
  content.reserve(nanoseconds.size() * 4);
  for (const std::uint32_t value : nanoseconds)
    for (int shift = 0; shift < 32; shift += 8) content += static_cast<char>(value >> shift & 0xff);
  write(name, ExhibitKind::kLatency, content);
}

void ExhibitFiles::series(std::string_view name, const Series& series) {
  if (!begin(name, ExhibitKind::kSeries, series.x.size() * series.lines.size(), kMostPoints)) return;
  if (const std::string problem = malformed(series); !problem.empty())
    return fail(fmt::format("exhibit '{}': {}", name, problem));
  write(name, ExhibitKind::kSeries, json::serialize(to_json(series)) + "\n");
}

void ExhibitFiles::image(std::string_view name, const Picture& picture) {
  const std::size_t pixels = std::size_t{picture.width} * picture.height;
  if (!begin(name, ExhibitKind::kImage, pixels, kMostPixels)) return;
  if ((picture.channels != 1 && picture.channels != 3) || picture.pixels.size() != pixels * picture.channels)
    return fail(fmt::format("exhibit '{}': expected {} x {} pixels of 1 or 3 bytes, found {} bytes", name,
                            picture.width, picture.height, picture.pixels.size()));
  write(name, ExhibitKind::kImage, png_of(picture));
}

void ExhibitFiles::events(std::string_view name, std::span<const Event> events,
                          const std::map<std::string, double>& figures) {
  if (!begin(name, ExhibitKind::kEvents, events.size(), kMostEvents)) return;
  std::string lines;
  for (const Event& event : events) {
    // Trace Event Format counts microseconds.
    const auto microseconds = [](std::int64_t ns) { return static_cast<double>(ns) / 1000; };
    json::object line{
        {"name", event.name},  {"ph", event.length == 0 ? "i" : "X"}, {"pid", 1},
        {"tid", event.thread}, {"ts", microseconds(event.begin)},     {"dur", microseconds(event.length)}};
    if (!event.args.empty()) line["args"] = to_json(event.args);
    lines += fmt::format("{}{}", lines.empty() ? "" : ",\n", json::serialize(line));
  }
  const std::string other =
      figures.empty() ? "" : fmt::format(", \"otherData\": {}", json::serialize(to_json(figures)));
  write(name, ExhibitKind::kEvents, fmt::format("{{\"traceEvents\": [\n{}\n]{}}}\n", lines, other));
}

Expected<void> ExhibitFiles::finish() const {
  if (!problem_.empty()) return Error{problem_, ""};
  for (const ExhibitInfo& exhibit : declared_)
    if (std::ranges::find(written_, exhibit.name) == written_.end())
      return Error{fmt::format("exhibit '{}' was declared and not written", exhibit.name), ""};
  return {};
}

}  // namespace lab::bench
