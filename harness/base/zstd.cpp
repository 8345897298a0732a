#include "harness/base/zstd.h"

#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cassert>
#include <new>
#include <vector>

#include "harness/base/error.h"

namespace lab {

namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};
using Compressor = std::unique_ptr<ZSTD_CCtx, FreeContext>;
using Decompressor = std::unique_ptr<ZSTD_DCtx, FreeContext>;

Compressor compressor(const ZstdSettings& settings) {
  Compressor context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  const auto set = [&context](ZSTD_cParameter parameter, int value) {
    [[maybe_unused]] const std::size_t code = ZSTD_CCtx_setParameter(context.get(), parameter, value);
    assert(!ZSTD_isError(code));
  };
  set(ZSTD_c_compressionLevel, settings.level);
  set(ZSTD_c_checksumFlag, 1);
  if (settings.window_log != 0) {
    set(ZSTD_c_enableLongDistanceMatching, 1);
    set(ZSTD_c_windowLog, settings.window_log);
  }
  if (settings.workers > 0) set(ZSTD_c_nbWorkers, settings.workers);
  return context;
}

Error unreadable(std::string what) {
  return Error{std::move(what), "copy the file again from where it was made", ExitStatus::kUsage};
}

Error truncated() {
  return unreadable("the Zstandard data end too early: expected the rest of a frame, found the end");
}

Error damaged(std::size_t code) {
  switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
      throw std::bad_alloc();
    case ZSTD_error_prefix_unknown:
      return unreadable("expected a frame of Zstandard, found other data");
    case ZSTD_error_frameParameter_windowTooLarge:
      return unreadable("the Zstandard data need a window of more than 128 MiB; expected at most that");
    default:
      return unreadable(fmt::format("the Zstandard data are damaged ({})", ZSTD_getErrorName(code)));
  }
}

}  // namespace

std::string zstd_compress(std::string_view content, ZstdSettings settings) {
  const Compressor context = compressor(settings);
  std::string frame(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size = ZSTD_compress2(context.get(), frame.data(), frame.size(), content.data(), content.size());
  if (ZSTD_isError(size)) throw std::bad_alloc();  // the only error with enough room and valid settings
  frame.resize(size);
  frame.shrink_to_fit();
  return frame;
}

Expected<std::string> zstd_decompress(std::string_view compressed, std::size_t most) {
  ZstdReader reader([left = compressed](std::span<char> place) mutable -> Expected<std::size_t> {
    const std::size_t size = left.copy(place.data(), place.size());
    left.remove_prefix(size);
    return size;
  });
  std::string content;
  // A hint only, because a header may promise anything.
  const unsigned long long promised = ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (promised < ZSTD_CONTENTSIZE_ERROR)
    content.reserve(std::min({std::size_t{promised}, most, 1000 * compressed.size()}) + 1);
  for (;;) {
    const std::size_t before = content.size();
    const std::size_t step = std::min(std::max(content.capacity() - before, std::size_t{1} << 16), most + 1 - before);
    content.resize(before + step);
    const Expected<std::size_t> got = reader.read({content.data() + before, step});
    if (!got) return got.error();
    content.resize(before + *got);
    if (content.size() > most)
      return unreadable(fmt::format("the Zstandard data hold more than {} bytes; expected at most that", most));
    if (*got < step) return content;
  }
}

struct ZstdWriter::State {
  State(Sink to, const ZstdSettings& settings)
      : context(compressor(settings)), sink(std::move(to)), buffer(ZSTD_CStreamOutSize()) {}

  Expected<void> compress(std::string_view content, ZSTD_EndDirective how) {
    ZSTD_inBuffer in{content.data(), content.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{buffer.data(), buffer.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context.get(), &out, &in, how);
      if (ZSTD_isError(left)) throw std::bad_alloc();  // the only error with valid settings
      if (out.pos > 0)
        if (Expected<void> taken = sink({buffer.data(), out.pos}); !taken) return taken;
      if (how == ZSTD_e_end ? left == 0 : in.pos == in.size) return {};
    }
  }

  Compressor context;
  Sink sink;
  std::vector<char> buffer;
};

ZstdWriter::ZstdWriter(Sink sink, ZstdSettings settings) : state_(std::make_unique<State>(std::move(sink), settings)) {}
ZstdWriter::~ZstdWriter() = default;
ZstdWriter::ZstdWriter(ZstdWriter&&) noexcept = default;

Expected<void> ZstdWriter::write(std::string_view content) {
  return state_->compress(content, ZSTD_e_continue);
}

Expected<void> ZstdWriter::finish() {
  return state_->compress({}, ZSTD_e_end);
}

struct ZstdReader::State {
  explicit State(Source from) : context(ZSTD_createDCtx()), source(std::move(from)), buffer(ZSTD_DStreamInSize()) {
    if (!context) throw std::bad_alloc();
  }

  Decompressor context;
  Source source;
  std::vector<char> buffer;
  ZSTD_inBuffer in{buffer.data(), 0, 0};
  bool inside = true;  ///< a frame is not complete; at first, because no data are no frame
};

ZstdReader::ZstdReader(Source source) : state_(std::make_unique<State>(std::move(source))) {}
ZstdReader::~ZstdReader() = default;
ZstdReader::ZstdReader(ZstdReader&&) noexcept = default;

Expected<std::size_t> ZstdReader::read(std::span<char> place) {
  State& state = *state_;
  ZSTD_outBuffer out{place.data(), place.size(), 0};
  bool ended = false;  // of the source
  while (out.pos < out.size) {
    if (state.in.pos == state.in.size) {
      const Expected<std::size_t> got = state.source(state.buffer);
      if (!got) return got.error();
      ended = *got == 0;
      state.in = {state.buffer.data(), *got, 0};
      if (ended && !state.inside) break;
    }
    const std::size_t before = out.pos;
    const std::size_t left = ZSTD_decompressStream(state.context.get(), &out, &state.in);
    if (ZSTD_isError(left)) return damaged(left);
    state.inside = left != 0;
    // At the end of the source the rest of what was read may still come out.
    if (ended && state.inside && out.pos == before) return truncated();
  }
  return out.pos;
}

}  // namespace lab
