/// Vega-Lite specifications to SVG text, without a browser: Vega in QuickJS.
#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <memory>
#include <string>

#include "harness/base/error.h"

namespace lab::report {

struct SvgLimits {
  std::size_t memory_bytes = std::size_t{512} << 20;
  std::chrono::milliseconds time{20'000};  ///< processor time, for loading Vega and for each chart
};

/// One engine for any number of charts, because loading Vega is most of the cost.
class SvgRenderer {
 public:
  static Expected<std::unique_ptr<SvgRenderer>> create(SvgLimits limits = {});
  ~SvgRenderer();

  /// The chart as one <svg> element. An error contains `name` and Vega's message, or the limit that was exceeded.
  /// Vega's warnings are errors: a chart with a warning is wrong.
  Expected<std::string> render(const std::string& name, const boost::json::object& specification);

 private:
  struct Engine;
  explicit SvgRenderer(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine_;
};

}  // namespace lab::report
