/// Compresses and decompresses with Zstandard (RFC 8878): whole buffers and streams.
///
/// A frame carries a checksum of its content. Several frames one after the other are read as one.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/error_fwd.h"

namespace lab {

struct ZstdSettings {
  int level = 9;       ///< 1 (fast) to 22 (small)
  int window_log = 0;  ///< repetitions are found up to 2^this bytes back (`zstd --long`), 10 to 27; 0: the level's own
  /// Threads that compress. The bytes do not depend on their number, but they are others without any (0).
  int workers = 0;
};

/// One frame with `content`, which is equal for equal content and settings.
std::string zstd_compress(std::string_view content, ZstdSettings settings = {});

/// The content of the frames in `compressed`, of at most `most` bytes, however many its header promises.
///
/// An error, with kUsage, says that the data are truncated, damaged, no Zstandard, or larger. The caller prefixes where
/// they come from.
Expected<std::string> zstd_decompress(std::string_view compressed, std::size_t most);

/// Compresses a stream.
class ZstdWriter {
 public:
  /// Takes compressed bytes; an error ends the stream.
  using Sink = std::function<Expected<void>(std::string_view)>;

  explicit ZstdWriter(Sink sink, ZstdSettings settings = {});
  ~ZstdWriter();
  ZstdWriter(ZstdWriter&&) noexcept;
  ZstdWriter& operator=(ZstdWriter&&) = delete;

  /// The error is the sink's.
  Expected<void> write(std::string_view content);
  /// Ends the frame. Without this call the stream is truncated, and a reader says so.
  Expected<void> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Decompresses a stream, with a memory of 128 MiB at most, and little more than a frame's window.
class ZstdReader {
 public:
  /// Fills the span from its beginning and returns how much; 0 at the end.
  using Source = std::function<Expected<std::size_t>(std::span<char>)>;

  explicit ZstdReader(Source source);
  ~ZstdReader();
  ZstdReader(ZstdReader&&) noexcept;
  ZstdReader& operator=(ZstdReader&&) = delete;

  /// Fills `place` from its beginning and returns how much; less than its size only at the end, 0 after it. An error is
  /// the source's, or says, with kUsage, that the data are truncated, damaged or no Zstandard.
  Expected<std::size_t> read(std::span<char> place);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lab
