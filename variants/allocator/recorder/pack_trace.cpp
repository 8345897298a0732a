// pack_trace RAW MOST OUT: the first MOST requests of a file of the recorder, in the compact form.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "harness/base/files.h"
#include "variants/common/plans/recording.h"

namespace {

lab::Expected<std::string> packed(const char* path, std::size_t most) {
  const lab::Expected<std::string> content = lab::read_file(path);
  if (!content) return content.error();
  std::vector<RawRequest> raw(content->size() / sizeof(RawRequest));
  std::memcpy(raw.data(), content->data(), raw.size() * sizeof(RawRequest));
  const lab::Expected<lab::Recording> recording = lab::recording_of(raw, most);
  if (!recording) return lab::in_context(path, recording.error());
  return lab::encode(*recording);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view number = argc == 4 ? argv[2] : "";
  std::size_t most = 0;
  if (std::from_chars(number.data(), number.data() + number.size(), most).ec != std::errc{}) {
    fmt::print(stderr, "usage: pack_trace RAW MOST OUT\n");
    return 2;
  }
  const lab::Expected<std::string> file = packed(argv[1], most);
  const lab::Expected<void> written = file ? lab::write_file(argv[3], *file) : file.error();
  if (written) return 0;
  fmt::print(stderr, "pack_trace: error: {}\n", written.error().what);
  return 1;
}
