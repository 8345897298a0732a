#include <algorithm>
#include <memory>

#include "variants/object_visibility/family/registration.h"
#include "variants/object_visibility/family/tables.h"

namespace {

using namespace lab::object_visibility;

class RunsCounter final : public Counter {
 public:
  bool count(std::span<std::uint32_t> counts) override {
    tables_.clear(counts.size());
    std::uint32_t* const table = tables_.table(0);
    const auto beyond = static_cast<std::uint32_t>(counts.size());  // the table has room behind it
    const std::span<const std::uint32_t> ids = image().ids;
    std::size_t begin = 0;
    for (std::size_t i = 1; i < ids.size(); ++i) {
      if (ids[i] == ids[begin]) continue;
      table[std::min(ids[begin], beyond)] += static_cast<std::uint32_t>(i - begin);
      begin = i;
    }
    table[std::min(ids[begin], beyond)] += static_cast<std::uint32_t>(ids.size() - begin);
    tables_.add_up(counts);
    return table[beyond] == 0;
  }

 private:
  PartialTables tables_{1};
};

}  // namespace

const lab::bench::Variant& lab::bench::this_variant() {
  return make_variant(LAB_VARIANT,
                      {.idea = "The same table, with one addition for each run of equal pixels.",
                       .cost = "A comparison for each pixel, and an addition and a mispredicted branch for each run.",
                       .source = "run lengths, an old idea",
                       .weakness = "Where a run ends cannot be predicted: short runs are slower than single pixels."},
                      [](const Setup&) -> std::unique_ptr<Counter> { return std::make_unique<RunsCounter>(); });
}
