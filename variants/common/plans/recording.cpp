#include "variants/common/plans/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace lab {

namespace {

using What = RecordedRequest::What;

constexpr std::string_view kMagic = "LABTRACE\x01";  // the last byte is the version
constexpr std::size_t kHashBytes = 8, kCountBytes = 4;
constexpr std::size_t kHashAt = kMagic.size(), kRequestsAt = kHashAt + kHashBytes,
                      kAllocationsAt = kRequestsAt + kCountBytes, kHeadBytes = kAllocationsAt + kCountBytes;

// --- Arithmetic coding of bits -------------------------------------------------------------------------------------
//
// An interval of 32-bit numbers is divided at each bit in proportion to the probability of a zero, and the part of the
// bit that comes is kept. Leading bytes that both ends share are written. A probability learns from each bit with its
// context, so nothing but the bits is stored.

struct Probability {
  std::uint16_t zero = 1 << 15;  ///< of 2^16

  void learn(bool bit) {
    if (bit)
      zero = static_cast<std::uint16_t>(zero - (zero >> 5));
    else
      zero = static_cast<std::uint16_t>(zero + ((0xffff - zero) >> 5));
  }
};

class Interval {
 public:
  /// The end of the part for zeros.
  std::uint32_t divide(const Probability& of) const {
    // Below the upper end, because a probability is below 1: both parts have at least one number.
    return low_ + static_cast<std::uint32_t>((std::uint64_t{high_ - low_} * of.zero) >> 16);
  }
  void keep(bool bit, std::uint32_t middle) { (bit ? low_ : high_) = bit ? middle + 1 : middle; }
  bool has_byte() const { return (low_ ^ high_) < 1u << 24; }
  std::uint8_t take_byte() {
    const auto byte = static_cast<std::uint8_t>(high_ >> 24);
    low_ <<= 8;
    high_ = high_ << 8 | 0xff;
    return byte;
  }
  std::uint32_t low() const { return low_; }

 private:
  std::uint32_t low_ = 0, high_ = ~0u;
};

class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  bool code(Probability& probability, bool bit) {
    interval_.keep(bit, interval_.divide(probability));
    probability.learn(bit);
    while (interval_.has_byte()) out_.push_back(static_cast<char>(interval_.take_byte()));
    return bit;
  }
  /// Any number of the interval could end the file; it is the lowest one.
  void finish() {
    std::uint32_t low = interval_.low();
    for (int i = 0; i < 4; ++i, low <<= 8) out_.push_back(static_cast<char>(low >> 24));
  }

 private:
  std::string& out_;
  Interval interval_;
};

class BitReader {
 public:
  explicit BitReader(std::string_view in) : in_(in) {
    for (int i = 0; i < 4; ++i) next();
  }

  /// The argument is for the writer.
  bool code(Probability& probability, bool) {
    const std::uint32_t middle = interval_.divide(probability);
    const bool bit = number_ > middle;
    interval_.keep(bit, middle);
    probability.learn(bit);
    while (interval_.has_byte()) {
      interval_.take_byte();
      next();
    }
    return bit;
  }
  bool ended_early() const { return read_ > in_.size(); }
  /// Whether all bytes were read, and the last ones are those of finish().
  bool is_at_end() const { return read_ == in_.size() && number_ == interval_.low(); }

 private:
  void next() {
    number_ = number_ << 8 | (read_ < in_.size() ? static_cast<unsigned char>(in_[read_]) : 0);
    ++read_;
  }

  std::string_view in_;
  std::size_t read_ = 0;
  std::uint32_t number_ = 0;
  Interval interval_;
};

// --- The model: what writer and reader share -----------------------------------------------------------------------

/// Codes requests with either coder: a writer codes the fields that it is given, a reader returns those that it reads.
template <typename Coder>
class Model {
 public:
  explicit Model(Coder& coder) : coder_(coder) {}

  /// None if the bits read are no request.
  std::optional<RecordedRequest> code(RecordedRequest request, std::uint32_t allocations) {
    const unsigned what = tree(what_[context_], 3, static_cast<unsigned>(request.what));
    if (what > static_cast<unsigned>(What::kFree)) return std::nullopt;
    context_ = (context_ * 8 + what) % 64;
    request.what = static_cast<What>(what);
    std::optional<std::uint32_t> number = 0u;
    if (request.ends()) {
      // How many allocations ago: blocks often die young.
      number = code_number(ages_, context_, allocations - 1 - request.block);
      if (!number || *number >= allocations) return std::nullopt;
      request.block = allocations - 1 - *number;
    }
    if (request.allocates()) {
      number = code_number(sizes_, previous_width_, request.bytes);
      if (!number) return std::nullopt;
      request.bytes = *number;
      previous_width_ = static_cast<unsigned>(std::bit_width(request.bytes));
    }
    if (request.what == What::kAligned)
      request.log2_alignment = static_cast<std::uint8_t>(tree(alignment_, 5, request.log2_alignment));
    return request;
  }

 private:
  static constexpr unsigned kModelled = 9;  // leading bits of a number that are learnt together, most sizes whole

  /// Bits of one number below its leading one.
  struct Numbers {
    std::array<std::array<Probability, 64>, 64> widths;  // by context; a tree of 6 bits
    std::array<std::array<Probability, 1 << kModelled>, 33> leading;
    std::array<std::array<Probability, 32>, 33> rest;
  };

  template <std::size_t N>
  unsigned tree(std::array<Probability, N>& nodes, unsigned bits, unsigned value) {
    unsigned node = 1;
    for (unsigned bit = bits; bit-- > 0;) node = 2 * node + coder_.code(nodes[node], value >> bit & 1);
    return node - (1u << bits);
  }

  std::optional<std::uint32_t> code_number(Numbers& numbers, unsigned context, std::uint32_t value) {
    const unsigned width = tree(numbers.widths[context], 6, static_cast<unsigned>(std::bit_width(value)));
    if (width > 32) return std::nullopt;
    if (width < 2) return width;
    std::uint32_t read = 1;
    for (unsigned bit = width - 1; bit-- > 0;) {
      const unsigned coded = width - 1 - bit;
      Probability& probability = coded < kModelled ? numbers.leading[width][read] : numbers.rest[width][bit];
      read = 2 * read + coder_.code(probability, value >> bit & 1);
    }
    return read;
  }

  Coder& coder_;
  std::array<std::array<Probability, 8>, 64> what_;
  std::array<Probability, 32> alignment_;
  Numbers ages_, sizes_;
  unsigned context_ = 0;         // the last two kinds of request
  unsigned previous_width_ = 0;  // of the last size
};

/// FNV-1a (Fowler, Noll, Vo), 64 bits, over the fields.
std::uint64_t hash_of(const Recording& recording) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](std::uint64_t number, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) hash = (hash ^ (number >> 8 * i & 0xff)) * 0x100000001b3u;
  };
  for (const RecordedRequest& request : recording) {
    add(static_cast<std::uint64_t>(request.what), 1);
    add(request.log2_alignment, 1);
    add(request.bytes, 4);
    add(request.block, 4);
  }
  return hash;
}

void put_little_endian(std::string& out, std::uint64_t number, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> 8 * i));
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

Error refusal(std::string what) {
  return {std::move(what), ""};
}

}  // namespace

std::string encode(const Recording& recording) {
  std::string out(kMagic);
  put_little_endian(out, hash_of(recording), kHashBytes);
  put_little_endian(out, recording.size(), kCountBytes);
  put_little_endian(out, static_cast<std::size_t>(std::ranges::count_if(recording, &RecordedRequest::allocates)),
                    kCountBytes);
  BitWriter writer(out);
  const auto model = std::make_unique<Model<BitWriter>>(writer);
  std::uint32_t allocations = 0;
  for (const RecordedRequest& request : recording) {
    model->code(request, allocations);
    allocations += request.allocates();
  }
  writer.finish();
  return out;
}

Expected<Recording> decode(std::string_view file) {
  if (file.size() < kHeadBytes || !file.starts_with(kMagic))
    return refusal("expected a recording of version 1, which begins with LABTRACE and a byte of 1");
  const std::uint64_t hash = little_endian(file.substr(kHashAt, kHashBytes));
  const std::uint64_t count = little_endian(file.substr(kRequestsAt, kCountBytes));
  if (count > kMostRecorded)
    return refusal(fmt::format("expected at most {} requests, found {}", kMostRecorded, count));
  BitReader reader(file.substr(kHeadBytes));
  const auto model = std::make_unique<Model<BitReader>>(reader);
  Recording recording;
  std::vector<bool> live;  // by allocation
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::optional<RecordedRequest> request = model->code({}, static_cast<std::uint32_t>(live.size()));
    if (reader.ended_early()) return refusal(fmt::format("it ends within request {} of {}", i, count));
    if (!request) return refusal(fmt::format("request {} is none", i));
    if (request->ends()) {
      if (!live[request->block]) return refusal(fmt::format("request {} ends a block that is not live", i));
      live[request->block] = false;
    }
    if (request->allocates()) live.push_back(true);
    recording.push_back(*request);
  }
  if (!reader.is_at_end()) return refusal(fmt::format("it does not end after {} requests", count));
  if (live.size() != allocations_of(file)) return refusal("it has another number of allocations than it says");
  if (hash_of(recording) != hash) return refusal("its hash is not that of its requests");
  return recording;
}

std::size_t allocations_of(std::string_view file) {
  if (file.size() < kHeadBytes || !file.starts_with(kMagic)) return 0;
  return little_endian(file.substr(kAllocationsAt, kCountBytes));
}

Expected<Recording> recording_of(std::span<const RawRequest> raw, std::size_t most) {
  Recording recording;
  std::unordered_map<std::uint64_t, std::uint32_t> live;  // number of the allocation, by address
  std::uint32_t allocations = 0;
  for (const RawRequest& request : raw) {
    if (request.what == kRawEnd || recording.size() == most) break;
    if (request.what > kRawFree)
      return refusal(fmt::format("request {}: there is no request of kind {}", &request - raw.data(), request.what));
    const bool ends = request.what == kRawFree || request.what == kRawReallocate;
    const bool allocates = request.what != kRawFree && request.bytes <= UINT32_MAX;
    RecordedRequest next;
    if (ends) {
      const auto found = live.find(request.what == kRawFree ? request.block : request.other);
      if (found != live.end()) {
        next.what = allocates ? What::kReallocate : What::kFree;
        next.block = found->second;
        live.erase(found);
      } else if (!allocates) {
        continue;
      }
    } else if (!allocates) {
      continue;
    }
    if (allocates) {
      next.bytes = static_cast<std::uint32_t>(request.bytes);
      if (request.what == kRawZeroed) next.what = What::kZeroed;
      if (request.what == kRawAligned) {
        next.what = What::kAligned;
        next.log2_alignment = static_cast<std::uint8_t>(
            std::bit_width(std::bit_ceil(std::clamp<std::uint64_t>(request.other, 1, 1u << 31))) - 1);
      }
      if (!live.emplace(request.block, allocations).second)
        return refusal(fmt::format("request {}: it returned a block that is live", &request - raw.data()));
      ++allocations;
    }
    recording.push_back(next);
  }
  return recording;
}

Trace trace_of(const Recording& recording) {
  Trace trace;
  std::vector<std::uint32_t> slots;  // of each allocation
  std::set<std::uint32_t> free_slots;
  std::map<std::uint32_t, std::uint32_t> live;  // slots, by allocation
  for (const RecordedRequest& request : recording) {
    if (request.allocates()) {
      if (free_slots.empty()) free_slots.insert(static_cast<std::uint32_t>(trace.slots++));
      const std::uint32_t slot = free_slots.extract(free_slots.begin()).value();
      live.emplace(static_cast<std::uint32_t>(slots.size()), slot);
      slots.push_back(slot);
      trace.allocate(slot, std::max<std::uint32_t>(1, request.bytes));
    }
    if (request.ends()) {
      const std::uint32_t slot = slots[request.block];
      live.erase(request.block);
      free_slots.insert(slot);
      trace.free(slot);
    }
  }
  for (const auto& [allocation, slot] : live) trace.free(slot);
  return trace;
}

Demand demand_of(const Trace& trace) {
  Demand demand;
  std::vector<std::size_t> bytes(trace.slots);
  std::size_t live = 0, blocks = 0;
  for (const Request& request : trace.requests) {
    if (request.what == Request::What::kAllocate) {
      bytes[request.slot] = request.bytes;
      live += request.bytes;
      ++blocks;
    } else if (request.what == Request::What::kFree) {
      live -= bytes[request.slot];
      --blocks;
    } else {
      live = blocks = 0;
    }
    demand.bytes = std::max(demand.bytes, live);
    demand.blocks = std::max(demand.blocks, blocks);
  }
  return demand;
}

}  // namespace lab
