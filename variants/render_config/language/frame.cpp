#include "variants/render_config/language/frame.h"

#include <fmt/format.h>

#include "variants/render_config/language/resources.h"
#include "variants/render_config/language/targets.h"

namespace lab::render_config {

namespace {

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
