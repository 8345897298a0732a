#include "variants/object_visibility/family/counting.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace lab::object_visibility {

namespace {

class WholeImage final : public Counter {
 public:
  explicit WholeImage(CountInto function) : function_(function) {}
  bool count(std::span<std::uint32_t> counts) override {
    tables_.clear(counts.size());
    if (!function_(image().ids, static_cast<std::uint32_t>(counts.size() - 1), tables_)) return false;
    tables_.add_up(counts);
    return true;
  }

 private:
  CountInto function_;
  PartialTables tables_{kSplitTables};
};

/// The rows of a worker's band.
std::span<const std::uint32_t> band_of(std::span<const std::uint32_t> ids, std::uint32_t width, std::size_t band,
                                       std::size_t bands) {
  const std::size_t height = ids.size() / width;
  const std::size_t first = height * band / bands, last = height * (band + 1) / bands;
  return ids.subspan(first * width, (last - first) * width);
}

class Bands final : public Counter {
 public:
  Bands(CountInto function, designs::WorkerPool& pool) : function_(function), pool_(pool), bands_(pool.workers()) {}
  bool count(std::span<std::uint32_t> counts) override {
    pool_.run(bands_.size(), [this, counts](std::size_t i) {
      Band& band = bands_[i];
      band.tables.clear(counts.size());
      band.counts.resize(counts.size());
      band.known = function_(band_of(image().ids, image().width, i, bands_.size()),
                             static_cast<std::uint32_t>(counts.size() - 1), band.tables);
      band.tables.add_up(band.counts);
    });
    std::ranges::fill(counts, 0);
    bool known = true;
    for (const Band& band : bands_) {
      known = known && band.known;
      for (std::size_t id = 0; id < counts.size(); ++id) counts[id] += band.counts[id];
    }
    return known;
  }

 private:
  struct alignas(designs::kApart) Band {
    PartialTables tables{kSplitTables};
    Counts counts;
    bool known = true;
  };
  CountInto function_;
  designs::WorkerPool& pool_;
  std::vector<Band> bands_;
};

}  // namespace

bool count_split(std::span<const std::uint32_t> ids, std::uint32_t largest, PartialTables& tables) {
  std::array<std::uint32_t*, kSplitTables> table;
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = tables.table(i);
  const std::uint32_t beyond = largest + 1;  // each table has room behind it
  std::size_t at = 0;
  for (; at + kSplitTables <= ids.size(); at += kSplitTables) {
    ++table[0][std::min(ids[at], beyond)];
    ++table[1][std::min(ids[at + 1], beyond)];
    ++table[2][std::min(ids[at + 2], beyond)];
    ++table[3][std::min(ids[at + 3], beyond)];
  }
  for (; at < ids.size(); ++at) ++table[0][std::min(ids[at], beyond)];
  return table[0][beyond] + table[1][beyond] + table[2][beyond] + table[3][beyond] == 0;
}

std::unique_ptr<Counter> make_counter(CountInto count) {
  return std::make_unique<WholeImage>(count);
}

std::unique_ptr<Counter> make_banded_counter(CountInto count, designs::WorkerPool& pool) {
  return std::make_unique<Bands>(count, pool);
}

std::unique_ptr<Counter> fastest_counter() {
  return make_counter(no_vectors().empty() ? count_runs_by_vectors : count_split);
}

std::uint32_t plain_read(std::span<const std::uint32_t> ids, std::uint32_t width, designs::WorkerPool& pool) {
  std::atomic<std::uint32_t> all = 0;
  pool.run(pool.workers(), [&](std::size_t i) { all += sum_by_vectors(band_of(ids, width, i, pool.workers())); });
  return all;
}

}  // namespace lab::object_visibility
