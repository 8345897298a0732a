#include "variants/render_config/language/views.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lab::render_config {

namespace {

void read_cascade(const Node& node, const Values& values, View& view) {
  const Node* const cascade = values.needed(node, "cascade", "a view");
  const Node* const of = values.needed(node, "of", "a view");
  if (values.problems().any()) return;
  view.of = values.whole(*of, "a whole number", 1, 8);
  view.cascade = values.whole(*cascade, "a whole number", 0, view.of - 1.0);
}

void read_view(const Member& member, std::uint32_t most_pixels, const Values& values, View& view) {
  const Node& node = member.value;
  if (!values.object(node, "a view", {"cascade", "of", "reach", "split", "fit", "pixels"})) return;
  if (member.name == "camera")
    values.problems().add(member.place, "expected a name other than 'camera', which always exists");
  read_cascade(node, values, view);
  if (const Node* const reach = node.find("reach")) view.reach = values.number(*reach, "metres", 1, 10'000);
  if (const Node* const split = node.find("split")) view.split = values.number(*split, "a number", 0, 1);
  if (const Node* const pixels = node.find("pixels"))
    view.pixels = values.whole(*pixels, "a whole number", 1, most_pixels);
  std::size_t fit = view.sphere ? 0 : 1;
  constexpr std::array<std::string_view, 2> kFits{"sphere", "box"};
  values.choose(node, "fit", kFits, fit);
  view.sphere = fit == 0;
}

}  // namespace

std::vector<View> read_views(const std::vector<Member>& section, const RenderEnvironment& environment,
                             const Values& values) {
  std::vector<View> views;
  for (const Member& member : section)
    read_view(member, environment.most_pixels, values,
              views.emplace_back(View{.name = member.name, .place = member.place}));
  return views;
}

void number_views(Config& config, const RenderEnvironment& environment, Problems& problems) {
  std::vector<std::size_t> numbers(config.views.size() + 1);  // the camera's stays 0
  std::vector<View> named;
  for (std::size_t old = 1; old < numbers.size(); ++old) {
    if (std::ranges::find(config.frame, old, &Pass::view) == config.frame.end()) continue;
    named.push_back(std::move(config.views[old - 1]));
    numbers[old] = named.size();
  }
  for (Pass& pass : config.frame) pass.view = numbers[pass.view];
  config.views = std::move(named);
  if (config.views.size() > environment.most_views)
    problems.add(config.views[environment.most_views].place,
                 fmt::format("expected at most {} views, found {}", environment.most_views, config.views.size()));
}

}  // namespace lab::render_config
