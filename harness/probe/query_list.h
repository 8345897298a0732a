/// The queries of several sweeps as one numbered list: the child process and the probe agree on a query's number.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/probe/sweeps.h"
#include "harness/results/sweep_answers.h"

namespace lab::probe {

/// All images of one kind, or all buffers of one kind: consecutive numbers.
struct ImageRun {
  std::size_t sweep = 0;  ///< index
  std::size_t first = 0;  ///< number of the first query
  ImageKind kind;
  std::span<const Extent> sizes;
};

struct BufferRun {
  std::size_t sweep = 0, first = 0;
  BufferKind kind;
  std::span<const std::uint64_t> lengths;
};

struct QueryList {
  std::vector<ImageRun> images;
  std::vector<BufferRun> buffers;
  std::size_t count = 0;
};

/// The sweeps must outlive the list. Sweep by sweep, so that the first sweep's answers are complete first.
QueryList query_list(std::span<const Sweep> sweeps);

/// A query in words: "256x64 R8G8B8A8_UNORM, optimal, sampled" or "4096 bytes, storage buffer".
std::string describe(const QueryList& list, std::size_t query);

/// The kinds in the words of the atlas.
results::ImageKind in_words(const ImageKind& kind);
results::BufferKind in_words(const BufferKind& kind);

}  // namespace lab::probe
