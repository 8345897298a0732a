/// Makes a Variant from a way to count.
#pragma once

#include <string>

#include "harness/bench/task.h"
#include "variants/object_visibility/family/counter.h"

namespace lab::object_visibility {

/// What a variant says besides its card.
struct Ability {
  bool parallel = false;                   ///< it divides the image among the workers of the pool
  std::string (*unsupported)() = nullptr;  ///< why this machine cannot run it; "" if it can; null: every machine can
  bool on_device = false;                  ///< it counts on a Vulkan device
  bool as_the_article = false;             ///< it also has the workload of the article's loop in Python
};
/// As `unsupported`.
std::string why_unsupported(const Ability& ability);

bench::Variant& make_variant(const char* name, const bench::Card& card, MakeCounter make, const Ability& ability = {});

}  // namespace lab::object_visibility
