/// Vega-Lite specifications to SVG text, without a browser: Vega in QuickJS.
#pragma once

#include <boost/json/object.hpp>
#include <memory>
#include <string>

#include "harness/base/error_fwd.h"
#include "harness/report/script_engine.h"

namespace lab::report {

/// One engine for any number of charts, because loading Vega is most of the cost.
class SvgRenderer {
 public:
  static Expected<std::unique_ptr<SvgRenderer>> create(ScriptLimits limits = {});
  ~SvgRenderer();

  /// The chart as one <svg> element. An error contains `name` and Vega's message, or the limit that was exceeded.
  /// Vega's warnings are errors: a chart with a warning is wrong.
  Expected<std::string> render(const std::string& name, const boost::json::object& specification);

 private:
  explicit SvgRenderer(std::unique_ptr<ScriptEngine> engine);
  std::unique_ptr<ScriptEngine> engine_;
};

}  // namespace lab::report
