#include "variants/command_bucket/family/keys.h"

namespace lab::command_bucket {

namespace {

template <KeyLayout kLayout>
std::uint64_t made_by_shifting(const Scene&, Layer layer, const Component& component) {
  return shifted_key<kLayout>(layer, component);
}

}  // namespace

FunctionPointerKeys::Any::Make FunctionPointerKeys::Any::function_for(KeyLayout layout) {
  switch (layout) {
    case KeyLayout::kByDepth:
      return made_by_shifting<KeyLayout::kByDepth>;
    case KeyLayout::kByMaterial:
      return made_by_shifting<KeyLayout::kByMaterial>;
    case KeyLayout::kByShortDepth:
      return made_by_shifting<KeyLayout::kByShortDepth>;
    default:
      return scattered_key;
  }
}

}  // namespace lab::command_bucket
