#include "harness/report/script_engine.h"

#include <fmt/format.h>
#include <quickjs.h>
#include <time.h>

#include <utility>

#include "harness/base/error.h"

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

struct ScriptEngine::State {
  explicit State(ScriptLimits given) : limits(given), runtime(JS_NewRuntime()), context(JS_NewContext(runtime)) {
    JS_SetMemoryLimit(runtime, limits.memory_bytes);
    JS_SetMaxStackSize(runtime, std::size_t{2} << 20);
    JS_SetInterruptHandler(
        runtime, [](JSRuntime*, void* self) { return static_cast<const State*>(self)->late() ? 1 : 0; }, this);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
  }

  bool late() const { return time_spent() > deadline; }
  void start_clock() { deadline = time_spent() + limits.time; }

  ScriptLimits limits;
  std::chrono::nanoseconds deadline{0};
  JSRuntime* runtime;
  JSContext* context;
};

ScriptEngine::ScriptEngine(ScriptLimits limits) : state_(std::make_unique<State>(limits)) {}
ScriptEngine::~ScriptEngine() = default;

Error ScriptEngine::explain(std::string_view doing, std::string message) const {
  if (state_->late())
    message = fmt::format("still at work after {} ms", state_->limits.time.count());
  else if (message.find("out of memory") != std::string::npos || message.empty() || message == "null")
    message = fmt::format("needed more than {} MiB of memory", state_->limits.memory_bytes >> 20);
  return {fmt::format("{}: {}", doing, message), ""};
}

Error ScriptEngine::thrown(std::string_view doing) {
  const JsValue exception(state_->context, JS_GetException(state_->context));
  return explain(doing, exception.text());
}

Expected<void> ScriptEngine::load(std::string_view name, std::string_view script) {
  state_->start_clock();
  const std::string doing = fmt::format("loading {}", name);
  const JsValue result(state_->context, JS_Eval(state_->context, script.data(), script.size(),
                                                std::string(name).c_str(), JS_EVAL_TYPE_GLOBAL));
  if (result.failed()) return thrown(doing);
  return finish(doing);
}

Expected<void> ScriptEngine::finish(std::string_view doing) {
  for (;;) {
    JSContext* ran_in = nullptr;
    const int more = JS_ExecutePendingJob(state_->runtime, &ran_in);
    if (more == 0) return {};
    if (more < 0) return thrown(doing);
  }
}

Expected<std::vector<std::string>> ScriptEngine::call(std::string_view doing, const char* function,
                                                      const std::string& argument,
                                                      const std::vector<const char*>& fields) {
  JSContext* const context = state_->context;
  state_->start_clock();
  const JsValue global(context, JS_GetGlobalObject(context));
  const JsValue called = global.property(function);
  const JsValue text(context, JS_NewStringLen(context, argument.data(), argument.size()));
  JSValue arguments[] = {text.get()};
  const JsValue outcome(context, JS_Call(context, called.get(), global.get(), 1, arguments));
  if (outcome.failed()) return thrown(doing);
  if (Expected<void> finished = finish(doing); !finished) return finished.error();
  std::vector<std::string> texts;
  for (const char* const field : fields) texts.push_back(outcome.property(field).text());
  return texts;
}

}  // namespace lab::report
