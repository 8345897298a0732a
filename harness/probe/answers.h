/// The answers of one device, in memory that the probe shares with the driver's process: what was answered before a
/// crash is kept without a system call for each answer, and so is the call in which the crash happened.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/base/error.h"

namespace lab::probe {

/// The calls in which a driver can crash or hang while it is asked.
enum class Step : std::uint32_t {
  kNone,
  kCreateImage,
  kImageRequirements,
  kDestroyImage,
  kDeviceImageRequirements,
  kCreateBuffer,
  kBufferRequirements,
  kDestroyBuffer,
  kDeviceBufferRequirements,
};

/// "vkCreateImage"; "" for kNone.
std::string_view name_of(Step step);

/// One query's answer. Plain numbers at fixed places: the driver's process may be another program, and may be broken.
struct SharedAnswer {
  std::uint64_t size, alignment;  ///< bytes
  std::uint32_t memory_type_bits;
  std::uint16_t refusal;   ///< number of a "refusal" event; 0: answered
  std::uint8_t dedicated;  ///< 1: preferred, 2: required
  std::uint8_t asked;      ///< 0: not yet

  friend bool operator==(const SharedAnswer&, const SharedAnswer&) = default;
};

/// A table of `count` answers, in the order of the queries.
class AnswerTable {
 public:
  /// Anonymous memory. An error if the system has none.
  static Expected<AnswerTable> create(std::size_t count);
  /// The same memory in the child, through an inherited file.
  static Expected<AnswerTable> open(int file, std::size_t count);

  ~AnswerTable();
  AnswerTable(AnswerTable&& other) noexcept;
  AnswerTable& operator=(AnswerTable&&) = delete;

  int file() const { return file_; }
  std::span<SharedAnswer> answers() const;

  /// Before each call to the driver.
  void doing(Step step, std::size_t query) const {
    head()->query.store(query, std::memory_order_relaxed);
    head()->step.store(static_cast<std::uint32_t>(step), std::memory_order_relaxed);
  }
  Step step() const;
  std::size_t query() const;

 private:
  struct Head {
    std::atomic<std::uint64_t> query;
    std::atomic<std::uint32_t> step;
    std::uint32_t unused;
  };

  AnswerTable(int file, void* memory, std::size_t count) : file_(file), memory_(memory), count_(count) {}
  Head* head() const { return static_cast<Head*>(memory_); }

  int file_;
  void* memory_;
  std::size_t count_;
};

}  // namespace lab::probe
