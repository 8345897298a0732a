#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <span>

#include "harness/probe/memory/parts.h"
#include "harness/probe/memory/samples.h"
#include "vulkan_names_generated.h"

namespace lab::probe {

namespace {

constexpr std::uint64_t kMostAccessed = 32 << 20;  // more than most caches hold
constexpr std::uint64_t kQuickBytes = 1 << 20;
constexpr std::uint64_t kTrialBytes = 64 << 10;
constexpr double kMostNs = 20e6;     // of one repetition: uncached memory is read at a few MB/s
constexpr std::size_t kStride = 64;  // bytes: one word of each line of a cache
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kCopies[] = {64 << 10, 1 << 20, 16 << 20};
constexpr std::uint64_t kQuickCopies[] = {64 << 10};

// Reads one word of every kStride bytes.
void read_strided(const std::byte* from, std::uint64_t bytes) {
  for (std::uint64_t at = 0; at < bytes; at += kStride)
    static_cast<void>(*reinterpret_cast<const volatile std::uint64_t*>(from + at));
}

// Memory that the host reaches: of a type, or its own.
struct Reached {
  std::optional<std::uint32_t> type;
  std::byte* mapped;
  std::uint64_t bytes;
  const vulkan::Memory* memory;  // null: the host's own
  bool coherent() const { return !memory || memory->coherent(); }
};

class AccessPart {
 public:
  explicit AccessPart(const MemoryDevice& device)
      : device_(device), host_(most_bytes(), std::byte{1}), other_(most_bytes(), std::byte{2}) {}

  void run() {
    reach_all();
    time("write", "vkFlushMappedMemoryRanges", 1, [&](const Reached& to, std::uint64_t bytes) {
      std::memcpy(to.mapped, host_.data(), bytes);
      flush(to);
    });
    time("fill", "vkFlushMappedMemoryRanges", 1, [&](const Reached& to, std::uint64_t bytes) {
      std::memset(to.mapped, 3, bytes);
      flush(to);
    });
    time("read", "vkInvalidateMappedMemoryRanges", 1, [&](const Reached& from, std::uint64_t bytes) {
      invalidate(from);
      std::memcpy(host_.data(), from.mapped, bytes);
    });
    time("strided read", "vkInvalidateMappedMemoryRanges", kStride / kWord,
         [&](const Reached& from, std::uint64_t bytes) {
           invalidate(from);
           read_strided(from.mapped, bytes);
         });
    reached_.clear();
    memories_.clear();
    compare_staging();
  }

 private:
  using Access = std::function<void(const Reached&, std::uint64_t bytes)>;

  std::uint64_t most_bytes() const { return device_.request().quick ? kQuickBytes : kMostAccessed; }

  void flush(const Reached& to) const {
    if (to.memory) device_.required(to.memory->flush());
  }
  void invalidate(const Reached& from) const {
    if (from.memory) device_.required(from.memory->invalidate());
  }

  void reach_all() {
    reached_.push_back({std::nullopt, other_.data(), other_.size(), nullptr});
    for (const std::uint32_t type : device_.usable_types()) {
      if (!(device_.flags_of(type) & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)) continue;
      const std::uint64_t bytes = std::min(most_bytes(), std::bit_floor(device_.heap_bytes(type) / 8));
      if (bytes < kTrialBytes) {
        device_.events().note(fmt::format("memory type {}: its heap is too small to be timed", type));
        continue;
      }
      Expected<vulkan::Memory> allocated = vulkan::Memory::allocate(device_, type, bytes);
      if (!allocated) {
        device_.events().note(allocated.error().what);
        continue;
      }
      const vulkan::Memory& memory = memories_.emplace_back(std::move(*allocated));
      std::memset(memory.mapped(), 0, bytes);  // no page is fresh when it is timed
      reached_.push_back({type, memory.mapped(), bytes, &memory});
    }
  }

  void time(std::string_view what, std::string_view includes, std::uint64_t share, const Access& access) {
    std::vector<TimedRow> rows;
    for (const Reached& each : reached_) {
      device_.events().doing(
          fmt::format("{}, {}", what, each.type ? fmt::format("memory type {}", *each.type) : "host"));
      const std::uint64_t bytes = affordable(each, access);
      rows.push_back({{.part = "access",
                       .what = std::string(what),
                       .memory_type = each.type,
                       .bytes = bytes / share,
                       .includes = each.coherent() ? "" : std::string(includes)},
                      [&each, &access, bytes] { return timed_ns([&] { access(each, bytes); }); }});
    }
    time_in_turns(device_, std::move(rows));
  }

  // How much is accessed in the time that a repetition may take. A flush is of the whole allocation, so what is not
  // coherent is accessed as a whole.
  std::uint64_t affordable(const Reached& each, const Access& access) const {
    const double trial_ns = timed_ns([&] { access(each, kTrialBytes); });
    const double fits = kMostNs / trial_ns * kTrialBytes;
    if (!each.coherent() || fits >= static_cast<double>(each.bytes)) return each.bytes;
    return std::max<std::uint64_t>(kTrialBytes, std::bit_floor(static_cast<std::uint64_t>(fits)));
  }

  // Two ways for the host's data to get into device-local memory.
  void compare_staging() {
    const std::optional<std::uint32_t> staging = staging_type(device_);
    const std::uint32_t bits = needs_of(device_, 4096, kCopied).memoryTypeBits;
    const auto local = device_.find_type(bits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    const auto direct =
        device_.find_type(bits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
    if (!direct) device_.events().note("no memory type is device local and host visible: no direct write");
    if (!staging || !local)
      return device_.events().note("no host-visible or no device-local memory type: no staged write");
    const std::span<const std::uint64_t> sizes =
        device_.request().quick ? std::span<const std::uint64_t>(kQuickCopies) : kCopies;
    for (const std::uint64_t bytes : sizes) compare_staging(bytes, direct, *staging, *local);
  }

  void compare_staging(std::uint64_t bytes, std::optional<std::uint32_t> direct_type, std::uint32_t staging_type,
                       std::uint32_t type) {
    const BoundBuffer staging(device_, bytes, kCopied, staging_type);
    const BoundBuffer target(device_, bytes, kCopied, type);
    std::memset(staging.memory.mapped(), 0, bytes);
    const VkCommandBuffer commands = device_.record([&](VkCommandBuffer buffer) {
      const VkBufferCopy copy{0, 0, bytes};
      device_.vk().vkCmdCopyBuffer(buffer, staging.buffer.handle(), target.buffer.handle(), 1, &copy);
      vulkan::memory_barrier(device_.vk(), buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                             VK_PIPELINE_STAGE_TRANSFER_BIT,
                             VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
    });
    std::vector<TimedRow> rows;
    const auto row = [&](std::string_view what, std::uint32_t of, const vulkan::Memory* written,
                         std::function<void()> work) {
      rows.push_back({{.part = "access",
                       .what = std::string(what),
                       .memory_type = of,
                       .bytes = bytes,
                       .includes = !written || written->coherent() ? "" : "vkFlushMappedMemoryRanges"},
                      [work = std::move(work)] { return timed_ns(work); }});
    };
    const auto write = [&](const vulkan::Memory& memory) {
      std::memcpy(memory.mapped(), host_.data(), bytes);
      device_.required(memory.flush());
    };
    std::optional<BoundBuffer> direct;
    if (direct_type) {
      direct.emplace(device_, bytes, kCopied, *direct_type);
      std::memset(direct->memory.mapped(), 0, bytes);
      row("direct write to device-local memory", *direct_type, &direct->memory, [&] { write(direct->memory); });
    }
    row("staged write to device-local memory", type, &staging.memory, [&] {
      write(staging.memory);
      device_.submit(commands);
    });
    row("copy from staging by the device", type, nullptr, [&] { device_.submit(commands); });
    time_in_turns(device_, std::move(rows));
    device_.free_commands(commands);
  }

  static constexpr VkBufferUsageFlags kCopied = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

  const MemoryDevice& device_;
  std::vector<std::byte> host_, other_;
  std::deque<vulkan::Memory> memories_;
  std::vector<Reached> reached_;
};

}  // namespace

void run_access_part(MemoryDevice& device) {
  AccessPart(device).run();
}

}  // namespace lab::probe
