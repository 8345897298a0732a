#include "harness/probe/answers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace lab::probe {

namespace {

constexpr std::array<std::string_view, 9> kSteps{"",
                                                 "vkCreateImage",
                                                 "vkGetImageMemoryRequirements",
                                                 "vkDestroyImage",
                                                 "vkGetDeviceImageMemoryRequirements",
                                                 "vkCreateBuffer",
                                                 "vkGetBufferMemoryRequirements",
                                                 "vkDestroyBuffer",
                                                 "vkGetDeviceBufferMemoryRequirements"};

Error system_error(std::string_view doing) {
  return Error{fmt::format("{}: {}", doing, std::generic_category().message(errno)), ""};
}

}  // namespace

std::string_view name_of(Step step) {
  const auto index = static_cast<std::size_t>(step);
  return index < kSteps.size() ? kSteps[index] : "";
}

Expected<AnswerTable> AnswerTable::open(int file, std::size_t count) {
  const std::size_t bytes = sizeof(Head) + count * sizeof(SharedAnswer);
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return system_error("mapping the table of answers");
  return AnswerTable(file, memory, count);
}

Expected<AnswerTable> AnswerTable::create(std::size_t count) {
  const int file = ::memfd_create("vulkan_answers", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return system_error("creating the table of answers");
  const std::size_t bytes = sizeof(Head) + count * sizeof(SharedAnswer);
  // A driver that shrinks the file would make every read of this process a bus error.
  if (::ftruncate(file, static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    const Error error = system_error("sizing the table of answers");
    ::close(file);
    return error;
  }
  Expected<AnswerTable> table = open(file, count);
  if (!table) ::close(file);
  return table;
}

AnswerTable::~AnswerTable() {
  if (memory_ == nullptr) return;
  ::munmap(memory_, sizeof(Head) + count_ * sizeof(SharedAnswer));
  ::close(file_);
}

AnswerTable::AnswerTable(AnswerTable&& other) noexcept
    : file_(other.file_), memory_(std::exchange(other.memory_, nullptr)), count_(other.count_) {}

std::span<SharedAnswer> AnswerTable::answers() const {
  return {reinterpret_cast<SharedAnswer*>(head() + 1), count_};
}

Step AnswerTable::step() const {
  const std::uint32_t step = head()->step.load(std::memory_order_relaxed);
  return step < kSteps.size() ? static_cast<Step>(step) : Step::kNone;
}

std::size_t AnswerTable::query() const {
  return std::min<std::size_t>(head()->query.load(std::memory_order_relaxed), count_);
}

}  // namespace lab::probe
