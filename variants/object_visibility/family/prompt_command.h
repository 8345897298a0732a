/// The command that users call: an image and a list of objects to a prompt and a properties file.
#pragma once

#include <string>
#include <vector>

#include "harness/base/error.h"

namespace lab::object_visibility {

inline constexpr const char* kPromptUsage =
    "usage: object_visibility_prompt IMAGE.npy OBJECTS.json --out PREFIX [--threshold SHARE] [--truncate|--round]\n"
    "                                [--channels N]\n"
    "Writes PREFIX.prompt.txt and PREFIX.properties: the objects that cover more than SHARE (0.005) of the image, "
    "nearest\n"
    "first. --truncate (as the article's script) or --round: of pixels with fractions. --channels: of a flat array.\n";

/// Writes both files. Returns what to print: the pixels of each id, and which are visible.
Expected<std::string> write_prompt(const std::vector<std::string>& words);

}  // namespace lab::object_visibility
