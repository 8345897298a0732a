/// A recording: what one process asked of malloc, in order, and its compact form. harness/docs/formats.md has the
/// format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "variants/common/plans/demand.h"
#include "variants/common/plans/raw_request.h"
#include "variants/common/plans/trace.h"

namespace lab {

struct RecordedRequest {
  enum class What : std::uint8_t { kAllocate, kZeroed, kAligned, kReallocate, kFree };
  What what = What::kAllocate;
  std::uint8_t log2_alignment = 0;  ///< of kAligned, below 32
  std::uint32_t bytes = 0;          ///< not of kFree
  std::uint32_t block = 0;          ///< of kReallocate and kFree: which allocation ends, by its number

  bool operator==(const RecordedRequest&) const = default;
  bool allocates() const { return what != What::kFree; }
  bool ends() const { return what == What::kReallocate || what == What::kFree; }
};

/// Allocations are numbered from 0 in their order. kReallocate ends one and begins the next. A request ends only what
/// is live; what is live after the last request stays so.
using Recording = std::vector<RecordedRequest>;

/// More requests are refused: nobody replays them in the time of a process.
inline constexpr std::size_t kMostRecorded = std::size_t{1} << 24;

/// The compact form. The recording must be valid; decode() reads it back.
std::string encode(const Recording& recording);

/// Refuses what encode() does not write: any other byte at any place, at the end too.
Expected<Recording> decode(std::string_view file);

/// How many requests allocate, from the head of a file: quick, and 0 if it is no recording.
std::size_t allocations_of(std::string_view file);

/// The first `most` requests that the recorder wrote. Left out is the end of a block that was not recorded (a fork's
/// child has its parent's blocks), and a request of 4 GiB or more. Refuses what is no file of the recorder.
Expected<Recording> recording_of(std::span<const RawRequest> raw, std::size_t most);

/// The requests for a replay: kReallocate becomes an allocation and a free, as in a copy; alignments and zeroing are
/// left out; 0 bytes become 1. At the end everything live is freed, in the order of allocation.
Trace trace_of(const Recording& recording);

/// The most that is live at once.
Demand demand_of(const Trace& trace);

}  // namespace lab
