#include "harness/bench/png.h"

#include <algorithm>
#include <array>
#include <boost/beast/zlib/deflate_stream.hpp>
#include <boost/crc.hpp>
#include <cstdlib>
#include <limits>
#include <string_view>

// Boost.Beast has zlib's deflate as headers. Every build has Boost already, and this file is compiled once for all
// variants. stb_image_write would be as small, but has fixed Huffman codes alone: a picture with noise of a few grey
// levels would be 1.4 times as large.

namespace lab::bench {

namespace {

void append_big_endian(std::string& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
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
  boost::crc_32_type crc;
  crc.process_bytes(typed.data(), typed.size());
  std::string out;
  append_big_endian(out, static_cast<std::uint32_t>(content.size()));
  out += typed;
  append_big_endian(out, crc.checksum());
  return out;
}

/// A zlib stream (RFC 1950).
std::string compressed(std::string_view bytes) {
  namespace zlib = boost::beast::zlib;
  zlib::deflate_stream stream;
  stream.reset(6, 15, 9, zlib::Strategy::normal);
  std::string out("\x78\x9c", 2);
  const std::size_t header = out.size();
  out.resize(header + stream.upper_bound(bytes.size()));
  zlib::z_params at;
  at.next_in = bytes.data();
  at.avail_in = bytes.size();
  at.next_out = out.data() + header;
  at.avail_out = out.size() - header;
  boost::beast::error_code end;  // the end of the stream is one, and there is room until then
  stream.write(at, zlib::Flush::finish, end);
  if (end != zlib::error::end_of_stream) std::abort();
  out.resize(header + at.total_out);
  append_big_endian(out, adler_of(bytes));
  return out;
}

/// What a filter expects of a byte: from the one to its left, the one above, and the one to the left of that.
using Predict = int (*)(int left, int above, int corner);

/// By the number that a row begins with.
constexpr std::array<Predict, 5> kFilters{
    [](int, int, int) { return 0; }, [](int left, int, int) { return left; }, [](int, int above, int) { return above; },
    [](int left, int above, int) { return (left + above) / 2; }, [](int left, int above, int corner) {  // Paeth's
      const int guess = left + above - corner;
      const int by_left = std::abs(guess - left), by_above = std::abs(guess - above),
                by_corner = std::abs(guess - corner);
      return by_left <= by_above && by_left <= by_corner ? left : by_above <= by_corner ? above : corner;
    }};

/// The rows of a picture, each with the filter that leaves the least: the sum over its bytes as signed numbers.
std::string filtered(const Picture& picture) {
  const std::size_t step = picture.channels, row_bytes = picture.width * step;
  const std::vector<std::uint8_t> nothing(row_bytes);
  std::string rows, row, best;
  for (std::size_t at = 0; at < picture.height; ++at) {
    const std::uint8_t* const own = picture.pixels.data() + at * row_bytes;
    const std::uint8_t* const above = at == 0 ? nothing.data() : own - row_bytes;
    long least = std::numeric_limits<long>::max();
    for (std::size_t filter = 0; filter < kFilters.size(); ++filter) {
      row.assign(1, static_cast<char>(filter));
      long sum = 0;
      for (std::size_t i = 0; i < row_bytes; ++i) {
        const bool first = i < step;
        const int expected = kFilters[filter](first ? 0 : own[i - step], above[i], first ? 0 : above[i - step]);
        row += static_cast<char>(own[i] - expected);
        sum += std::abs(static_cast<int>(static_cast<signed char>(row.back())));
      }
      if (sum >= least) continue;
      least = sum;
      best = row;
    }
    rows += best;
  }
  return rows;
}

}  // namespace

std::string png_of(const Picture& picture) {
  std::string header;
  append_big_endian(header, picture.width);
  append_big_endian(header, picture.height);
  header += static_cast<char>(8);                              // bits a channel
  header += static_cast<char>(picture.channels == 1 ? 0 : 2);  // colour type
  header += std::string(3, '\0');                              // compression, filter, no interlacing
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", compressed(filtered(picture))) + chunk("IEND", "");
}

}  // namespace lab::bench
