#include "harness/report/svg.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <utility>

#include "harness/base/error.h"
#include "harness/report/resources.h"

namespace lab::report {

SvgRenderer::SvgRenderer(std::unique_ptr<ScriptEngine> engine) : engine_(std::move(engine)) {}
SvgRenderer::~SvgRenderer() = default;

Expected<std::unique_ptr<SvgRenderer>> SvgRenderer::create(ScriptLimits limits) {
  auto engine = std::make_unique<ScriptEngine>(limits);
  for (const char* script : {"svg_before.js", "vega.min.js", "vega-lite.min.js", "fit.js", "svg.js"})
    if (Expected<void> loaded = engine->load(script, resource(script)); !loaded)
      return in_context("drawing charts", loaded.error());
  return std::unique_ptr<SvgRenderer>(new SvgRenderer(std::move(engine)));
}

Expected<std::string> SvgRenderer::render(const std::string& name, const boost::json::object& specification) {
  const std::string doing = fmt::format("drawing chart '{}'", name);
  const auto outcome = engine_->call(doing, "draw", boost::json::serialize(specification), {"failure", "svg"});
  if (!outcome) return outcome.error();
  const std::string &failure = outcome->front(), &svg = outcome->back();
  if (!failure.empty() || svg.empty()) return engine_->explain(doing, failure);
  return svg;
}

}  // namespace lab::report
