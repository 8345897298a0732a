#include "harness/report/svg.h"

#include <fmt/format.h>
#include <quickjs.h>
#include <time.h>

#include <boost/json.hpp>
#include <string_view>
#include <utility>

#include "harness/report/resources.h"

namespace lab::report {

namespace {

/// Processor time of this thread, which does not depend on the machine's load.
std::chrono::nanoseconds time_spent() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// A JavaScript value, freed with its scope.
class JsValue {
 public:
  JsValue(JSContext* context, JSValue value) : context_(context), value_(value) {}
  JsValue(const JsValue&) = delete;
  JsValue& operator=(const JsValue&) = delete;
  JsValue(JsValue&& other) noexcept : context_(other.context_), value_(std::exchange(other.value_, JS_UNDEFINED)) {}
  ~JsValue() { JS_FreeValue(context_, value_); }

  JSValue get() const { return value_; }
  bool failed() const { return JS_IsException(value_) != 0; }

  std::string text() const {
    std::size_t size = 0;
    const char* text = JS_ToCStringLen(context_, &size, value_);
    if (text == nullptr) {
      JS_FreeValue(context_, JS_GetException(context_));
      return "";
    }
    std::string copy(text, size);
    JS_FreeCString(context_, text);
    return copy;
  }

  JsValue property(const char* name) const { return {context_, JS_GetPropertyStr(context_, value_, name)}; }

 private:
  JSContext* context_;
  JSValue value_;
};

}  // namespace

struct SvgRenderer::Engine {
  explicit Engine(SvgLimits given) : limits(given), runtime(JS_NewRuntime()), context(JS_NewContext(runtime)) {
    JS_SetMemoryLimit(runtime, limits.memory_bytes);
    JS_SetMaxStackSize(runtime, std::size_t{2} << 20);
    JS_SetInterruptHandler(
        runtime, [](JSRuntime*, void* self) { return static_cast<const Engine*>(self)->late() ? 1 : 0; }, this);
  }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine() {
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
  }

  bool late() const { return time_spent() > deadline; }
  void start_clock() { deadline = time_spent() + limits.time; }

  /// An error with JavaScript's message, or with the limit that was exceeded.
  Error explain(std::string_view doing, std::string message) const {
    if (late())
      message = fmt::format("still at work after {} ms", limits.time.count());
    else if (message.find("out of memory") != std::string::npos || message.empty() || message == "null")
      message = fmt::format("needed more than {} MiB of memory", limits.memory_bytes >> 20);
    return {fmt::format("{}: {}", doing, message), ""};
  }

  Error thrown(std::string_view doing) {
    const JsValue exception(context, JS_GetException(context));
    return explain(doing, exception.text());
  }

  /// Runs a script (followed by a zero byte) and its pending jobs.
  Expected<void> load(std::string_view name, std::string_view script) {
    start_clock();
    const JsValue result(
        context, JS_Eval(context, script.data(), script.size(), std::string(name).c_str(), JS_EVAL_TYPE_GLOBAL));
    if (result.failed()) return thrown(fmt::format("loading {}", name));
    return finish(fmt::format("loading {}", name));
  }

  Expected<void> finish(std::string_view doing) {
    for (;;) {
      JSContext* ran_in = nullptr;
      const int more = JS_ExecutePendingJob(runtime, &ran_in);
      if (more == 0) return {};
      if (more < 0) return thrown(doing);
    }
  }

  SvgLimits limits;
  std::chrono::nanoseconds deadline{0};
  JSRuntime* runtime;
  JSContext* context;
};

SvgRenderer::SvgRenderer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
SvgRenderer::~SvgRenderer() = default;

Expected<std::unique_ptr<SvgRenderer>> SvgRenderer::create(SvgLimits limits) {
  auto engine = std::make_unique<Engine>(limits);
  for (const char* script : {"svg_before.js", "vega.min.js", "vega-lite.min.js", "fit.js", "svg.js"})
    if (Expected<void> loaded = engine->load(script, resource(script)); !loaded)
      return in_context("drawing charts", loaded.error());
  return std::unique_ptr<SvgRenderer>(new SvgRenderer(std::move(engine)));
}

Expected<std::string> SvgRenderer::render(const std::string& name, const boost::json::object& specification) {
  const std::string doing = fmt::format("drawing chart '{}'", name);
  JSContext* context = engine_->context;
  engine_->start_clock();
  const std::string text = boost::json::serialize(specification);
  const JsValue global(context, JS_GetGlobalObject(context));
  const JsValue draw = global.property("draw");
  const JsValue argument(context, JS_NewStringLen(context, text.data(), text.size()));
  JSValue arguments[] = {argument.get()};
  const JsValue outcome(context, JS_Call(context, draw.get(), global.get(), 1, arguments));
  if (outcome.failed()) return engine_->thrown(doing);
  if (Expected<void> finished = engine_->finish(doing); !finished) return finished.error();

  const std::string failure = outcome.property("failure").text();
  std::string svg = outcome.property("svg").text();
  if (!failure.empty() || svg.empty()) return engine_->explain(doing, failure);
  return svg;
}

}  // namespace lab::report
