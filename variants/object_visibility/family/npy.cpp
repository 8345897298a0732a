#include "variants/object_visibility/family/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "harness/base/printable.h"
#include "harness/base/usage_error.h"

namespace lab::object_visibility {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::array<std::pair<std::string_view, std::size_t>, 4> kTypes{
    {{"<u4", 4}, {"<i4", 4}, {"<f4", 4}, {"<f8", 8}}};
constexpr std::size_t kMostDimensions = 32;

/// In a sentence of one line.
std::string shown(std::string_view text) {
  std::string line = printable(std::string(text));
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// The dictionary in a file's header, which is a literal of Python.
class Header {
 public:
  explicit Header(std::string_view text) : text_(text) {}

  Expected<NpyArray> read() {
    NpyArray array;
    bool descr = false, order = false, shape = false;
    if (!takes('{')) return expected("'{'");
    while (!takes('}')) {
      const std::optional<std::string_view> key = string();
      if (!key) return expected("a key or '}'");
      if (!takes(':')) return expected("':'");
      if (*key == "descr" && !std::exchange(descr, true)) {
        const std::optional<std::string_view> type = string();
        if (!type) return expected("a type");
        const auto found = std::ranges::find(kTypes, *type, &std::pair<std::string_view, std::size_t>::first);
        if (found == kTypes.end())
          return usage_error(fmt::format("descr: expected one of <u4, <i4, <f4, <f8, found '{}'", shown(*type)));
        array.type = static_cast<NpyArray::Type>(found - kTypes.begin());
      } else if (*key == "fortran_order" && !std::exchange(order, true)) {
        if (takes("True")) return usage_error("fortran_order: expected False, found True");
        if (!takes("False")) return expected("True or False");
      } else if (*key == "shape" && !std::exchange(shape, true)) {
        if (const Expected<void> read = read_shape(array.shape); !read) return read.error();
      } else {
        return usage_error(
            fmt::format("expected the keys descr, fortran_order and shape once each, found '{}'", shown(*key)));
      }
      if (!takes(',') && !sees('}')) return expected("',' or '}'");
    }
    skip_space();
    if (at_ != text_.size()) return expected("the end of the header");
    if (!descr || !order || !shape)
      return usage_error(
          fmt::format("expected the keys descr, fortran_order and shape, found no {}", !descr   ? "descr"
                                                                                       : !order ? "fortran_order"
                                                                                                : "shape"));
    return array;
  }

 private:
  Expected<void> read_shape(std::vector<std::uint64_t>& shape) {
    if (!takes('(')) return expected("'('");
    while (!takes(')')) {
      skip_space();
      std::uint64_t length = 0;
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), length);
      if (error != std::errc{}) return expected("a length or ')'");
      at_ = static_cast<std::size_t>(end - text_.data());
      if (shape.size() == kMostDimensions)
        return usage_error(fmt::format("shape: expected at most {} dimensions, found more", kMostDimensions));
      shape.push_back(length);
      if (!takes(',') && !sees(')')) return expected("',' or ')'");
    }
    return {};
  }
  std::optional<std::string_view> string() {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return std::nullopt;
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return found;
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \n\t\r").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool sees(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool takes(char c) { return sees(c) && ++at_ > 0; }
  bool takes(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  Error expected(std::string_view what) {
    skip_space();
    const std::string found = at_ == text_.size() ? "the end" : fmt::format("'{}'", shown(text_.substr(at_, 20)));
    return usage_error(fmt::format("the header: expected {}, found {}", what, found));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

template <typename T>
T element(std::string_view data, std::size_t i) {
  T value;
  std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
  return value;
}

double value_of(const NpyArray& array, std::size_t i) {
  switch (array.type) {
    case NpyArray::Type::kU4:
      return element<std::uint32_t>(array.data, i);
    case NpyArray::Type::kI4:
      return element<std::int32_t>(array.data, i);
    case NpyArray::Type::kF4:
      return static_cast<double>(element<float>(array.data, i));
    case NpyArray::Type::kF8:
      break;
  }
  return element<double>(array.data, i);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

}  // namespace

Expected<NpyArray> parse_npy(std::string_view file) {
  const std::string_view version = file.substr(std::min(file.size(), kMagic.size()));
  if (!file.starts_with(kMagic) || version.size() < 2)
    return usage_error(fmt::format("expected a file of NumPy, which begins with \\x93NUMPY and a version, found '{}'",
                                   shown(file.substr(0, 8))));
  const int major = static_cast<unsigned char>(version[0]), minor = static_cast<unsigned char>(version[1]);
  if ((major != 1 && major != 2) || minor != 0)
    return usage_error(fmt::format("expected format 1.0 or 2.0, found {}.{}", major, minor));
  const std::size_t digits = major == 1 ? 2 : 4, begin = kMagic.size() + 2 + digits;
  if (file.size() < begin)
    return usage_error(fmt::format("expected the length of the header, found a file of {} bytes", file.size()));
  const std::size_t length = little_endian(version.substr(2, digits));
  if (file.size() - begin < length)
    return usage_error(fmt::format("expected a header of {} bytes, found {} in the file", length, file.size() - begin));
  Expected<NpyArray> array = Header(file.substr(begin, length)).read();
  if (!array) return array;
  array->data = file.substr(begin + length);
  std::uint64_t bytes = kTypes[static_cast<std::size_t>(array->type)].second;
  bool empty = false;
  for (const std::uint64_t side : array->shape) {
    empty = empty || side == 0;
    if (side > 0 && bytes > std::numeric_limits<std::uint64_t>::max() / side)
      return usage_error(fmt::format("shape: expected fewer elements, found {}", shape_text(array->shape)));
    bytes *= std::max<std::uint64_t>(side, 1);
  }
  if (empty) bytes = 0;
  if (array->data.size() != bytes)
    return usage_error(fmt::format("expected {} bytes of data for the shape {}, found {}", bytes,
                                   shape_text(array->shape), array->data.size()));
  return array;
}

Expected<OwnedImage> npy_ids(const NpyArray& array, ToWhole way, std::uint32_t flat_channels) {
  const std::vector<std::uint64_t>& shape = array.shape;
  if (shape.empty() || shape.size() > 3)
    return usage_error(fmt::format(
        "expected the shape (height, width), (height, width, channels) or a flat one, found {}", shape_text(shape)));
  const bool flat = shape.size() == 1;
  const std::uint64_t channels = flat ? flat_channels : shape.size() == 3 ? shape[2] : 1;
  if (channels < 1 || channels > 4) return usage_error(fmt::format("expected 1 to 4 channels, found {}", channels));
  if (flat && shape[0] % channels != 0)
    return usage_error(fmt::format("expected {} channels a pixel, found {} values", channels, shape[0]));
  const std::uint64_t height = flat ? 1 : shape[0], width = flat ? shape[0] / channels : shape[1];
  if (height > std::numeric_limits<std::uint32_t>::max() || width > std::numeric_limits<std::uint32_t>::max())
    return usage_error(fmt::format("expected sides below 4294967296, found {}", shape_text(shape)));
  OwnedImage image{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
  // The data is there, so the product is no larger than memory.
  auto ids = whole_ids(width * height, image.width, way,
                       [&array, channels](std::size_t i) { return value_of(array, i * channels); });
  if (!ids) return ids.error();
  image.ids = std::move(*ids);
  return image;
}

}  // namespace lab::object_visibility
