/// Makes a Variant from a way to make frame renderers.
#pragma once

#include <memory>

#include "harness/bench/task.h"

namespace lab::render_config {

class FrameMaker;

/// Frames that are written in C++.
std::unique_ptr<FrameMaker> coded_maker();
/// Frames that are read from files: a plan, or the configuration walked by its names.
std::unique_ptr<FrameMaker> plan_maker();
std::unique_ptr<FrameMaker> named_maker();

struct Renderer {
  std::unique_ptr<FrameMaker> (*make_maker)();
  bool reloads = false;  ///< an edit of its files is on screen while it runs
};

bench::Variant& make_variant(const char* name, const bench::Card& card, const Renderer& renderer);

}  // namespace lab::render_config
