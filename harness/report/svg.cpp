#include "harness/report/svg.h"

#include <fmt/format.h>
#include <quickjs.h>

#include <boost/json.hpp>
#include <string_view>
#include <utility>

#include "harness/report/resources.h"

namespace lab::report {

namespace {

using Clock = std::chrono::steady_clock;

/// A JavaScript value, freed with its scope.
class Value {
 public:
  Value(JSContext* context, JSValue value) : context_(context), value_(value) {}
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  Value(Value&& other) noexcept : context_(other.context_), value_(std::exchange(other.value_, JS_UNDEFINED)) {}
  ~Value() { JS_FreeValue(context_, value_); }

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

  Value property(const char* name) const { return {context_, JS_GetPropertyStr(context_, value_, name)}; }

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

  bool late() const { return Clock::now() > deadline; }
  void start_clock() { deadline = Clock::now() + limits.time; }

  Error thrown(std::string_view doing) {
    const Value exception(context, JS_GetException(context));
    std::string what = exception.text();
    if (late())
      what = fmt::format("still at work after {} ms", limits.time.count());
    else if (what.find("out of memory") != std::string::npos || what.empty() || what == "null")
      what = fmt::format("needed more than {} MiB of memory", limits.memory_bytes >> 20);
    return {fmt::format("{}: {}", doing, what), ""};
  }

  /// Runs a script that is followed by a zero byte, and all that it leaves to be done later.
  Expected<void> load(std::string_view name, std::string_view script) {
    start_clock();
    const Value result(context,
                       JS_Eval(context, script.data(), script.size(), std::string(name).c_str(), JS_EVAL_TYPE_GLOBAL));
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
  Clock::time_point deadline;
  JSRuntime* runtime;
  JSContext* context;
};

SvgRenderer::SvgRenderer(std::unique_ptr<Engine> engine) : engine_(std::move(engine)) {}
SvgRenderer::~SvgRenderer() = default;

Expected<std::unique_ptr<SvgRenderer>> SvgRenderer::create(SvgLimits limits) {
  auto engine = std::make_unique<Engine>(limits);
  for (const char* script : {"svg_before.js", "vega.min.js", "vega-lite.min.js", "svg.js"})
    if (Expected<void> loaded = engine->load(script, resource(script)); !loaded)
      return in_context("drawing charts", loaded.error());
  return std::unique_ptr<SvgRenderer>(new SvgRenderer(std::move(engine)));
}

Expected<std::string> SvgRenderer::render(const std::string& name, const boost::json::object& specification) {
  const std::string doing = fmt::format("drawing chart '{}'", name);
  JSContext* context = engine_->context;
  engine_->start_clock();
  const std::string text = boost::json::serialize(specification);
  const Value global(context, JS_GetGlobalObject(context));
  const Value draw = global.property("draw");
  const Value argument(context, JS_NewStringLen(context, text.data(), text.size()));
  JSValue arguments[] = {argument.get()};
  const Value outcome(context, JS_Call(context, draw.get(), global.get(), 1, arguments));
  if (outcome.failed()) return engine_->thrown(doing);
  if (Expected<void> finished = engine_->finish(doing); !finished) return finished.error();

  const std::string failure = outcome.property("failure").text();
  if (engine_->late()) return engine_->thrown(doing);
  if (!failure.empty()) return Error{fmt::format("{}: {}", doing, failure), ""};
  return outcome.property("svg").text();
}

}  // namespace lab::report
