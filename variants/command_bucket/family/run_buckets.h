/// Buckets without shared arrays: each thread fills runs of its own, of keys with their packets, in pages that it takes
/// from a common store. Sorting reads the runs of all threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "variants/command_bucket/family/discard.h"
#include "variants/command_bucket/family/packet.h"
#include "variants/command_bucket/family/packet_memory.h"
#include "variants/command_bucket/family/sorts.h"
#include "variants/designs/threads/thread_slot.h"

namespace lab::command_bucket {

/// Nobody is told what a thread does while it adds. Who watches has a member packet() and entry(), which end the time
/// of what is named (watched.cpp).
struct Unwatched {
  void packet() {}
  void entry(bool /*block*/) {}
};

/// Pages of one size in one buffer. A thread keeps the pages that it has taken, frame after frame, because its core's
/// caches hold them; a further one costs an atomic addition. Threads do not share the work equally in every frame, so
/// kKept times as many as a frame needs are touched when the store is made, and may be kept. kReserve times as many can
/// be taken in all. What a frame uses beyond its need is counted as growth.
class PageStore {
 public:
  static constexpr std::size_t kKept = 2;
  static constexpr std::size_t kReserve = 4;

  /// What one thread has.
  class Kept {
   public:
    explicit Kept(PageStore& store) : store_(&store) { pages_.reserve(kReserve * store.pages_); }

    /// Null if all have been taken.
    std::byte* next() {
      if (used_ == pages_.size()) {
        std::byte* const page = store_->take();
        if (page == nullptr) return nullptr;
        pages_.push_back(page);
      }
      return pages_[used_++];
    }
    void end_frame() { used_ = 0; }
    void give_back() { pages_.clear(); }
    std::size_t used() const { return used_; }

   private:
    PageStore* store_;
    std::vector<std::byte*> pages_;
    std::size_t used_ = 0;  // in this frame
  };

  PageStore(std::size_t page_bytes, std::size_t pages)
      : page_bytes_(page_bytes),
        pages_(pages),
        memory_(static_cast<std::byte*>(
            std::aligned_alloc(kAligned, designs::round_up(kReserve * pages * page_bytes, kAligned)))) {
    if (memory_ == nullptr) throw std::bad_alloc();
    std::memset(memory_.get(), 0, kKept * pages * page_bytes);
  }

  /// Whether the threads keep more than they may: then all must give back, and reset() follows.
  bool is_spread() const { return taken_.load(std::memory_order_relaxed) > kKept * pages_; }
  void reset() { taken_.store(0, std::memory_order_relaxed); }
  std::size_t pages() const { return pages_; }

 private:
  std::byte* take() {
    const std::size_t page = taken_.fetch_add(1, std::memory_order_relaxed);
    return page < kReserve * pages_ ? memory_.get() + page * page_bytes_ : nullptr;
  }

  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  // Prefetchers stop at a page of the system: none reaches into what another thread writes, if pages end there.
  static constexpr std::size_t kAligned = 4096;

  std::size_t page_bytes_;
  std::size_t pages_;  // that a frame needs
  std::unique_ptr<std::byte, Free> memory_;
  alignas(designs::kApart) std::atomic<std::size_t> taken_ = 0;
};

/// In place of the entries of a page: each thread has one page for each bucket, which holds all of it.
inline constexpr std::size_t kWholeBucket = 0;

/// As Buckets (bucket.h). `PacketLayout`: of packet.h. `Sort`: one of sorts.h, of runs. If pages run out, a reserve has
/// more, then commands are dropped; both are counted. One class, because a split would change the timed code.
template <typename PacketLayout, typename Sort, std::size_t kEntriesOfPage, bool kParallelSort,
          typename Watch = Unwatched>
class RunBuckets {
 public:
  using Packet = PacketLayout;
  using Sorting = Sort;
  static constexpr bool kSortsInParallel = kParallelSort;
  static constexpr std::size_t kAtOnce = kEntriesOfPage == kWholeBucket ? 1 : kEntriesOfPage;

  explicit RunBuckets(const Budget& budget)
      : at_once_(entries_of_page(budget)),
        entry_pages_(at_once_ * sizeof(Keyed), entry_pages_for(budget)),
        packet_pages_(kPacketPage, packet_pages_for(budget)),
        discard_(budget.threads) {
    threads_.reserve(budget.threads);
    for (unsigned thread = 0; thread < budget.threads; ++thread) threads_.emplace_back(entry_pages_, packet_pages_);
    const std::size_t pages = PageStore::kReserve * entry_pages_for(budget);
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
      sorted_[layer].resize(budget.keys[layer]);
      make_scratch(layer, budget.keys[layer]);
      runs_[layer].reserve(pages);
      for (Thread& thread : threads_) thread.full[layer].reserve(pages);
    }
  }

 private:
  struct Run {
    Keyed* at = nullptr;
    Keyed* end = nullptr;
    Keyed* begin = nullptr;
  };
  struct alignas(designs::kApart) Thread {
    Thread(PageStore& of_entries, PageStore& of_packets) : entry_pages(of_entries), packet_pages(of_packets) {}

    std::array<Run, kLayers> runs;
    std::byte* packets = nullptr;
    std::byte* packets_end = nullptr;
    std::array<std::vector<std::span<const Keyed>>, kLayers> full;  // earlier pages of its runs
    std::size_t packet_bytes = 0;                                   // of its pages, less what they left unused
    PageStore::Kept entry_pages;
    PageStore::Kept packet_pages;
  };

 public:
  /// The places at which a thread adds next. They are its own, and stay in registers for the length of a task.
  class Writer {
   public:
    explicit Writer(RunBuckets& buckets)
        : buckets_(&buckets),
          thread_(&buckets.threads_[designs::thread_slot]),
          packets_(thread_->packets),
          packets_end_(thread_->packets_end) {
      for (std::size_t layer = 0; layer < kLayers; ++layer) {
        at_[layer] = thread_->runs[layer].at;
        end_[layer] = thread_->runs[layer].end;
      }
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() {
      thread_->packets = packets_;
      for (std::size_t layer = 0; layer < kLayers; ++layer) thread_->runs[layer].at = at_[layer];
    }

    template <typename Command>
    [[gnu::always_inline]] Command* add(Layer layer, std::uint64_t key, std::size_t extra = 0) {
      const std::size_t bytes = Packet::template kBytes<Command> + extra;
      Watch watch;
      if (!has_room(bytes)) [[unlikely]]
        return buckets_->discard_.template drop<Command>();
      watch.packet();
      const bool full = at_[layer] == end_[layer];
      if (full) [[unlikely]] {
        const Run run = buckets_->next_page(*thread_, layer);
        at_[layer] = run.at;
        end_[layer] = run.end;
        if (run.at == run.end) return buckets_->discard_.template drop<Command>();
      }
      *at_[layer]++ = {key, reinterpret_cast<std::uintptr_t>(packets_)};
      watch.entry(full);
      return make<Command>(bytes);
    }

    template <typename Command, typename Parent>
    [[gnu::always_inline]] Command* append(Layer, Parent* parent) {
      std::byte* const before = packet_of<Packet>(parent);
      Watch watch;
      if (buckets_->discard_.has(before) || !has_room(Packet::template kBytes<Command>)) [[unlikely]]
        return buckets_->discard_.template drop<Command>();
      watch.packet();
      Packet::store_next(before, packets_);
      return make<Command>(Packet::template kBytes<Command>);
    }

   private:
    // What happens once a page is called with values: a call with this writer's address would force it into memory.
    [[gnu::always_inline]] bool has_room(std::size_t bytes) {
      if (bytes <= static_cast<std::size_t>(packets_end_ - packets_)) [[likely]]
        return true;
      std::byte* const page = buckets_->next_packet_page(*thread_, packets_);
      if (page == nullptr) return false;
      packets_ = page;
      packets_end_ = page + kPacketPage;
      return true;
    }

    template <typename Command>
    [[gnu::always_inline]] Command* make(std::size_t bytes) {
      std::byte* const packet = packets_;
      packets_ += bytes;
      return Packet::template make<Command>(packet);
    }

    RunBuckets* buckets_;
    Thread* thread_;
    std::byte* packets_;
    std::byte* packets_end_;
    Keyed* at_[kLayers];
    Keyed* end_[kLayers];
  };

  /// Different layers may be sorted at once if kSortsInParallel.
  void sort(Layer layer) {
    std::vector<std::span<const Keyed>>& runs = runs_[layer];
    runs.clear();
    count_[layer] = 0;
    for (const Thread& thread : threads_) {
      runs.insert(runs.end(), thread.full[layer].begin(), thread.full[layer].end());
      const Run& last = thread.runs[layer];
      if (last.at != last.begin) runs.push_back({last.begin, last.at});
    }
    for (const std::span<const Keyed> run : runs) count_[layer] += run.size();
    if (count_[layer] > sorted_[layer].size()) [[unlikely]] {  // the buckets have grown
      sorted_[layer].resize(count_[layer]);
      make_scratch(layer, count_[layer]);
    }
    Sort::sort(runs, std::span(sorted_[layer]).first(count_[layer]), scratch_of(layer));
  }

  std::size_t size(Layer layer) const { return count_[layer]; }
  std::uint64_t key(Layer layer, std::size_t i) const { return sorted_[layer][i].key; }

  void submit(Layer layer, std::size_t first, std::size_t last, Backend& backend) const {
    const Keyed* const entries = sorted_[layer].data();
    // The order of the packets is known long before they are read.
    const std::size_t ahead = std::min(last, first + kAhead);
    for (std::size_t i = first; i < ahead; ++i) prefetch(packet_at(entries[i]));
    for (std::size_t i = first; i < last; ++i) {
      if (i + kAhead < last) prefetch(packet_at(entries[i + kAhead]));
      submit_chain<Packet>(packet_at(entries[i]), backend);
    }
  }

  template <typename Visit>
  void each_packet(const Visit& visit) const {
    for (std::size_t layer = 0; layer < kLayers; ++layer)
      for (std::size_t i = 0; i < count_[layer]; ++i)
        for (std::byte* packet = packet_at(sorted_[layer][i]); packet != nullptr; packet = Packet::next(packet))
          visit(packet);
  }

  void clear() {
    count_ = {};
    for (Thread& thread : threads_) {
      thread.runs = {};
      thread.packets = thread.packets_end = nullptr;
      thread.packet_bytes = 0;
      for (auto& pages : thread.full) pages.clear();
      thread.entry_pages.end_frame();
      thread.packet_pages.end_frame();
    }
    give_back(entry_pages_, &Thread::entry_pages);
    give_back(packet_pages_, &Thread::packet_pages);
    discard_.reset();
  }

  std::size_t used() const {
    std::size_t bytes = 0;
    for (const Thread& thread : threads_)
      bytes += thread.packet_bytes - static_cast<std::size_t>(thread.packets_end - thread.packets);
    return bytes;
  }
  std::size_t dropped() const { return discard_.dropped(); }
  /// Pages that this frame took beyond its need.
  std::size_t grown() const {
    return beyond_need(entry_pages_, &Thread::entry_pages) + beyond_need(packet_pages_, &Thread::packet_pages);
  }

 private:
  static constexpr std::size_t kPacketPage = 16 * 1024;  // bytes
  static constexpr std::size_t kAhead = 16;              // chains

  /// Threads may share the work otherwise than in earlier frames, and then keep more pages than they use.
  void give_back(PageStore& store, PageStore::Kept Thread::*kept) {
    if (!store.is_spread()) return;
    for (Thread& thread : threads_) (thread.*kept).give_back();
    store.reset();
  }

  std::size_t beyond_need(const PageStore& store, PageStore::Kept Thread::*kept) const {
    std::size_t used = 0;
    for (const Thread& thread : threads_) used += (thread.*kept).used();
    return used - std::min(used, store.pages());
  }

  /// Null if there is none. `at`: how far the thread has filled its current one.
  [[gnu::noinline]] std::byte* next_packet_page(Thread& thread, std::byte* at) noexcept {
    std::byte* const page = thread.packet_pages.next();
    if (page == nullptr) return nullptr;
    thread.packet_bytes += kPacketPage - static_cast<std::size_t>(thread.packets_end - at);
    thread.packets_end = page + kPacketPage;
    return page;
  }

  /// An empty page for the thread's run, or its full one if there is none.
  [[gnu::noinline]] Run next_page(Thread& thread, Layer layer) noexcept {
    Run& run = thread.runs[layer];
    run.at = run.end;
    auto* const page = reinterpret_cast<Keyed*>(thread.entry_pages.next());
    if (page == nullptr) return run;
    if (run.begin != nullptr) thread.full[layer].push_back({run.begin, run.end});
    return run = {page, page + at_once_, page};
  }

  static std::size_t entries_of_page(const Budget& budget) {
    if constexpr (kEntriesOfPage == kWholeBucket)
      return std::max<std::size_t>(*std::max_element(std::begin(budget.keys), std::end(budget.keys)), 1);
    else
      return budget.at_once == 0 ? kEntriesOfPage : budget.at_once;
  }
  /// Each thread may leave one page of each layer partly used.
  std::size_t entry_pages_for(const Budget& budget) const {
    std::size_t pages = kLayers * budget.threads;
    if constexpr (kEntriesOfPage != kWholeBucket)
      for (const std::size_t keys : budget.keys) pages += (keys + at_once_ - 1) / at_once_;
    return pages;
  }
  static std::size_t packet_pages_for(const Budget& budget) {
    // A page's end stays unused if the next packet is longer.
    const std::size_t lost =
        Packet::template kBytes<Draw> + Packet::template kBytes<UpdateBuffer> + budget.update_bytes;
    return budget.template bytes<Packet>(kPacketAlignment) / (kPacketPage - lost) + 1 + budget.threads;
  }

  void make_scratch(std::size_t layer, std::size_t entries) {
    scratch_of(layer).resize(std::max(scratch_of(layer).size(), Sort::kScratch * entries));
  }
  /// One for each layer if these are sorted at once.
  std::vector<Keyed>& scratch_of(std::size_t layer) { return scratch_[kParallelSort ? layer : 0]; }

  static std::byte* packet_at(const Keyed& entry) { return reinterpret_cast<std::byte*>(entry.value); }
  static void prefetch(const std::byte* packet) {
    __builtin_prefetch(packet);
    __builtin_prefetch(packet + 63);  // a chain of two packets may reach into the next line
  }

  std::size_t at_once_;
  PageStore entry_pages_;
  PageStore packet_pages_;
  Discard<Packet> discard_;
  std::vector<Thread> threads_;
  std::array<std::vector<std::span<const Keyed>>, kLayers> runs_;
  std::array<std::vector<Keyed>, kLayers> sorted_;
  std::array<std::vector<Keyed>, kLayers> scratch_;
  std::array<std::size_t, kLayers> count_{};
};

}  // namespace lab::command_bucket
