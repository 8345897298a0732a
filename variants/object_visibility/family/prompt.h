/// From counts to what is written: which objects are visible, nearest first, as the article's script does it.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/json_struct.h"
#include "variants/object_visibility/family/object_visibility.h"

namespace lab::object_visibility {

using Location = std::array<double, 3>;

/// Several objects may have one index: the article wants it for those with the same text.
struct SceneObject {
  std::uint32_t index = 0;  ///< in the image; an object with 0 is left out
  std::string name, description;
  Location location{};  ///< its origin
};
struct Camera {
  Location location{};
};
/// The file of a user: {"camera": {"location"}, "objects": [{"index", "name", "description", "location"}]}.
struct SceneFile {
  Camera camera;
  std::vector<SceneObject> objects;
};
LAB_JSON_STRUCT(Camera, location)
LAB_JSON_STRUCT(SceneObject, index, name, description, location)
LAB_JSON_STRUCT(SceneFile, camera, objects)

/// Refuses an index beyond kMostId, and a name or description of several lines: each is one line of a file.
Expected<void> check_scene(const SceneFile& scene);

struct PlacedObject {
  SceneObject object;
  double distance = 0;  ///< of its origin from the camera
};
/// Those with an index, nearest first; equally far ones stay in their order.
std::vector<PlacedObject> nearest_first(const SceneFile& scene);
/// 0: there is none.
std::uint32_t largest_index(const SceneFile& scene);

/// More of all pixels than this, the background included.
inline constexpr double kThreshold = 0.005;
/// The ids that cover more than `threshold` of `pixels`, whether an object has them or not.
std::set<std::uint32_t> visible_ids(const Counts& counts, std::uint64_t pixels, double threshold = kThreshold);

/// A line for each visible object, in their order: its description and a comma.
std::string prompt_text(const std::vector<PlacedObject>& objects, const std::set<std::uint32_t>& visible);
/// Four lines for each object, visible or not. Objects with one index have the same keys.
std::string properties_text(const std::vector<PlacedObject>& objects);
/// As Python prints a float: the shortest digits that are read back as the same value.
std::string python_float(double value);

}  // namespace lab::object_visibility
