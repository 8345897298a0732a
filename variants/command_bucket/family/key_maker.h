/// How a version makes keys, by itself: those of one layer of a scene.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "variants/command_bucket/family/keys.h"

namespace lab::command_bucket {

/// Writes the key of each mesh of the scene as the G-buffer sees it.
using MakeKeys = void (*)(const Scene& scene, std::span<std::uint64_t> keys);

template <typename Keys, KeyLayout kLayout>
void make_keys_of(const Scene& scene, std::span<std::uint64_t> keys) {
  const typename Keys::template Of<kLayout> key(scene);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key(kGBuffer, scene.meshes[i]);
}

/// For the layout of the scene, which has one.
template <typename Keys>
void make_keys(const Scene& scene, std::span<std::uint64_t> keys) {
  if (scene.keys == KeyLayout::kByMaterial) return make_keys_of<Keys, KeyLayout::kByMaterial>(scene, keys);
  if (scene.keys == KeyLayout::kByShortDepth) return make_keys_of<Keys, KeyLayout::kByShortDepth>(scene, keys);
  make_keys_of<Keys, KeyLayout::kByDepth>(scene, keys);
}

}  // namespace lab::command_bucket
