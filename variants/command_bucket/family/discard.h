/// Where commands go that no bucket has room for, and how many they are.
#pragma once

#include <cstddef>
#include <vector>

#include "variants/command_bucket/family/packet.h"
#include "variants/designs/threads/thread_slot.h"

namespace lab::command_bucket {

/// A command that does not fit is made in memory of its thread that nobody reads, so that its caller fills it as ever,
/// and is counted. What is appended to such a command is dropped with it.
template <typename Packet>
class Discard {
 public:
  explicit Discard(unsigned threads) : threads_(threads) {}

  template <typename Command>
  Command* drop() {
    OfThread& mine = threads_[designs::thread_slot];
    ++mine.dropped;
    return Packet::template make<Command>(mine.packet);
  }

  /// Whether the calling thread's last command was dropped, and this is it.
  bool has(const std::byte* packet) const { return packet == threads_[designs::thread_slot].packet; }

  /// Commands since the last reset(). With no thread at work.
  std::size_t dropped() const {
    std::size_t sum = 0;
    for (const OfThread& thread : threads_) sum += thread.dropped;
    return sum;
  }
  void reset() {
    for (OfThread& thread : threads_) thread.dropped = 0;
  }

 private:
  struct alignas(designs::kApart) OfThread {
    std::byte packet[Packet::kCommandAt + sizeof(Draw) + kUpdateBytes];
    std::size_t dropped = 0;
  };
  std::vector<OfThread> threads_;
};

}  // namespace lab::command_bucket
