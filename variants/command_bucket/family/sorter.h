/// A version's sort by itself, of entries in the form in which its buckets hold them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "variants/command_bucket/family/bucket.h"
#include "variants/command_bucket/family/run_buckets.h"
#include "variants/command_bucket/family/sorts.h"

namespace lab::command_bucket {

class Sorter {
 public:
  virtual ~Sorter() = default;
  /// Before each sort(), untimed.
  virtual void load(std::span<const Keyed> entries) = 0;
  virtual void sort() = 0;
  virtual Keyed at(std::size_t i) const = 0;
};

/// For `count` entries.
using MakeSorter = std::unique_ptr<Sorter> (*)(std::size_t count);

template <typename Sort>
class SorterOfArrays final : public Sorter {
 public:
  explicit SorterOfArrays(std::size_t count) {
    for (Entries* entries : {&entries_, &scratch_}) {
      entries->keys.resize(count);
      entries->values.resize(count);
    }
  }
  void load(std::span<const Keyed> entries) override {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      entries_.keys[i] = entries[i].key;
      entries_.values[i] = entries[i].value;
    }
  }
  void sort() override { Sort::sort(entries_, scratch_, entries_.keys.size()); }
  Keyed at(std::size_t i) const override { return {entries_.keys[i], entries_.values[i]}; }

 private:
  using Entries = designs::KeyedArrays<std::vector<std::uint64_t>, std::vector<std::uint64_t>>;
  Entries entries_;
  Entries scratch_;
};

/// `kPage`: entries of a run.
template <typename Sort, std::size_t kPage>
class SorterOfRuns final : public Sorter {
 public:
  explicit SorterOfRuns(std::size_t count) : entries_(count), out_(count), scratch_(Sort::kScratch * count) {
    for (std::size_t at = 0; at < count; at += kPage)
      runs_.push_back(std::span(entries_).subspan(at, std::min(kPage, count - at)));
  }
  void load(std::span<const Keyed> entries) override { std::copy(entries.begin(), entries.end(), entries_.begin()); }
  void sort() override { Sort::sort(runs_, out_, scratch_); }
  Keyed at(std::size_t i) const override { return out_[i]; }

 private:
  std::vector<Keyed> entries_;
  std::vector<Keyed> out_;
  std::vector<Keyed> scratch_;
  std::vector<std::span<const Keyed>> runs_;
};

template <typename Memory, typename Slots, typename Sort>
std::unique_ptr<Sorter> make_sorter_of(std::size_t count, Buckets<Memory, Slots, Sort>*) {
  return std::make_unique<SorterOfArrays<Sort>>(count);
}

/// Runs of whole buckets are those of eight threads.
template <typename Packet, typename Sort, std::size_t kEntries, bool kParallel>
std::unique_ptr<Sorter> make_sorter_of(std::size_t count, RunBuckets<Packet, Sort, kEntries, kParallel>*) {
  constexpr std::size_t kOfEightThreads = 5'000;
  return std::make_unique<SorterOfRuns<Sort, kEntries == kWholeBucket ? kOfEightThreads : kEntries>>(count);
}

template <typename Store>
std::unique_ptr<Sorter> make_sorter(std::size_t count) {
  return make_sorter_of(count, static_cast<Store*>(nullptr));
}

}  // namespace lab::command_bucket
