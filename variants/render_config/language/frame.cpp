#include "variants/render_config/language/frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "variants/render_config/language/declarations.h"

namespace lab::render_config {

namespace {

constexpr std::size_t kMostPasses = 256, kMostRuns = 1024;

/// Whether each setting in "when" has the given value.
bool applies(const Node& pass, const Values& values) {
  const Node* const when = pass.find("when");
  if (when == nullptr) return true;
  bool all = true;
  for (const Member& condition : values.members(*when, "settings with values")) {
    const Node* const value = values.setting(condition.place, condition.name, "a setting");
    if (value == nullptr) return false;
    const Node& wanted = condition.value;
    if (!values.expect(wanted, value->kind,
                       fmt::format("{}, as the setting '{}' is", kind_name(value->kind), condition.name)))
      return false;
    all = all && value->boolean == wanted.boolean && value->number == wanted.number && value->text == wanted.text;
  }
  return all;
}

void check_pass(const Node& pass, const std::vector<Member>& section, const PassScope& scope) {
  if (!scope.values.expect(pass, Node::Kind::kObject, "a pass")) return;
  applies(pass, scope.values);
  if (const Node* const name = pass.find("generate")) {
    scope.values.only(pass, {"generate", "when"});
    scope.values.choice(*name, "a resource generator", names_of(section));
  } else {
    read_pass(pass, "", scope);
  }
}

/// Runs generators, and those that they run.
class Run {
 public:
  Run(const std::vector<Member>& section, const PassScope& scope)
      : section_(section), scope_(scope), values_(scope.values), problems_(scope.values.problems()) {}

  void entry(const Node& entry) {
    if (entry.kind != Node::Kind::kObject) return generate(entry);
    values_.only(entry, {"generate", "when"});
    const Node* const name = values_.needed(entry, "generate", "an entry of the frame");
    if (name != nullptr && applies(entry, values_)) generate(*name);
  }

  std::vector<Pass> passes() { return std::move(passes_); }

 private:
  void generate(const Node& named) {
    const std::string name = values_.text(named, "the name of a resource generator");
    if (problems_.any()) return;
    const auto number = values_.place_of(named.place, name, "a resource generator", names_of(section_));
    if (!number || !may_run(named.place, name)) return;
    generating_.push_back(name);
    const std::vector<Node>& passes = section_[*number].value.items;
    for (std::size_t i = 0; i < passes.size() && !problems_.any(); ++i)
      if (applies(passes[i], values_)) add(passes[i], fmt::format("{}[{}]", printable(name), i));
    generating_.pop_back();
  }

  bool may_run(const Place& place, const std::string& name) {
    if (std::ranges::find(generating_, name) != generating_.end())
      problems_.add(place, fmt::format("expected generators that do not run each other in a circle, found {} -> {}",
                                       fmt::join(generating_, " -> "), printable(name)));
    else if (++runs_ > kMostRuns)
      problems_.add(place, fmt::format("expected at most {} runs of generators in a frame, found more", kMostRuns));
    else
      return true;
    return false;
  }

  void add(const Node& pass, std::string name) {
    if (const Node* const inner = pass.find("generate"))
      generate(*inner);
    else
      passes_.push_back(read_pass(pass, std::move(name), scope_));
    if (passes_.size() > kMostPasses)
      problems_.add(pass.place, fmt::format("expected at most {} passes in a frame, found more", kMostPasses));
  }

  const std::vector<Member>& section_;
  const PassScope& scope_;
  const Values& values_;
  Problems& problems_;
  std::vector<Pass> passes_;
  std::vector<std::string> generating_;
  std::size_t runs_ = 0;
};

/// Walks a frame's passes in their order.
class FrameCheck {
 public:
  FrameCheck(const Config& config, Problems& problems)
      : config_(config), problems_(problems), written_(config.resources.size()) {}

  void pass(const Pass& pass) {
    for (const Input& input : pass.inputs)
      if (!input.previous && !written_[input.resource])
        problems_.add(input.place, fmt::format("expected a resource that an earlier pass of the frame writes, found "
                                               "'{}'",
                                               name_of(input.resource)));
    const std::vector<std::size_t> targets = written_by(pass);
    for (std::size_t i = 0; i < targets.size(); ++i) {
      if (!written_[targets[i]] && !pass.clears[i] && !pass.covers)
        problems_.add(pass.place, fmt::format("expected \"clear\" for '{}', because no earlier pass of the frame "
                                              "writes it, found none",
                                              name_of(targets[i])));
      written_[targets[i]] = true;
    }
  }

  // After all passes, because a later one may write what this reads as of the last frame.
  void previous(const Input& input) {
    if (!input.previous) return;
    if (!written_[input.resource])
      problems_.add(input.place, fmt::format("expected a resource that a pass of the frame writes, to read what it "
                                             "held at the end of the last frame, found '{}'",
                                             name_of(input.resource)));
    if (input.resource == config_.output)
      problems_.add(input.place,
                    fmt::format("expected a resource other than the output, to read what it held at the end of the "
                                "last frame, found '{}'",
                                name_of(input.resource)),
                    "what shows the output may draw over it: a pass can copy it to another resource before");
  }

  void output(const Place& place) {
    const Resource& output = config_.resources[config_.output];
    const std::string name = name_of(config_.output);
    if (output.format != Format::kRgba8)
      problems_.add(
          place, fmt::format("expected an output of the format rgba8, found '{}' with {}", name, format_name(output)));
    if (output.pixels[0] != 0 || output.scale != 1)
      problems_.add(place,
                    fmt::format("expected an output with a scale of 1, found '{}' with {}", name, size_name(output)));
    if (!written_[config_.output])
      problems_.add(place, fmt::format("expected an output that a pass of the frame writes, found '{}'", name));
  }

 private:
  std::string name_of(std::size_t resource) const { return printable(config_.resources[resource].name); }

  const Config& config_;
  Problems& problems_;
  std::vector<bool> written_;  // by resource: whether a pass of the frame writes it
};

}  // namespace

void check_generators(const std::vector<Member>& section, const PassScope& scope) {
  for (const Member& generator : section)
    for (const Node& pass : scope.values.items(generator.value, "passes")) {
      check_pass(pass, section, scope);
      if (scope.values.problems().any()) return;
    }
}

std::vector<Pass> run_generators(const Node& frame, const std::vector<Member>& section, const PassScope& scope) {
  Run run(section, scope);
  for (const Node& entry : scope.values.items(frame, "names of resource generators")) run.entry(entry);
  return run.passes();
}

void check_frame(const Config& config, const Place& frame, const Place& output, Problems& problems) {
  if (config.frame.empty()) {
    problems.add(frame, "expected a frame with at least one pass, found none");
    return;
  }
  FrameCheck check(config, problems);
  for (const Pass& pass : config.frame) check.pass(pass);
  for (const Pass& pass : config.frame)
    for (const Input& input : pass.inputs) check.previous(input);
  check.output(output);
}

}  // namespace lab::render_config
