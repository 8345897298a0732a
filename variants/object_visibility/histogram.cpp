#include <algorithm>
#include <memory>

#include "variants/object_visibility/family/registration.h"
#include "variants/object_visibility/family/tables.h"

namespace {

using namespace lab::object_visibility;

class HistogramCounter final : public Counter {
 public:
  bool count(std::span<std::uint32_t> counts) override {
    tables_.clear(counts.size());
    std::uint32_t* const table = tables_.table(0);
    const auto beyond = static_cast<std::uint32_t>(counts.size());  // the table has room behind it
    for (const std::uint32_t id : image().ids) ++table[std::min(id, beyond)];
    tables_.add_up(counts);
    return table[beyond] == 0;
  }

 private:
  PartialTables tables_{1};
};

}  // namespace

const lab::bench::Variant& lab::bench::this_variant() {
  return make_variant(
      LAB_VARIANT,
      {.idea = "A table of counters, one for each id: each pixel adds 1 to its counter.",
       .cost = "A load, an addition and a store for each pixel.",
       .source = "the usual histogram",
       .weakness = "Equal neighbours wait for each other's counter: the store must reach the next load."},
      [](const Setup&) -> std::unique_ptr<Counter> { return std::make_unique<HistogramCounter>(); });
}
