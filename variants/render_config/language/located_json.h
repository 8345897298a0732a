/// JSON whose values know the file and the line where they stand, for errors that a person can find.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"

namespace lab::render_config {

/// A line of a file, from 1. `file` is as the user named it.
struct Place {
  std::string file;
  int line = 0;
};

/// The error of a configuration: "deferred.json:12: expected ..., found ..." with ExitStatus::kUsage.
Error problem_at(const Place& place, const std::string& sentence, std::string hint = "");

struct Node;
struct Member;

/// A value. Comments and commas before a closing bracket are allowed; a name that an object has twice is an error.
struct Node {
  enum class Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  Place place;
  bool boolean = false;
  double number = 0;
  std::string text;             ///< of a string
  std::vector<Node> items;      ///< of an array
  std::vector<Member> members;  ///< of an object, in the order of the file

  const Node* find(std::string_view name) const;  ///< null: the object does not have it
};
struct Member {
  std::string name;
  Place place;  ///< of the name
  Node value;
};

/// What a value is, for an error: "a number 3", "an object".
std::string describe(const Node& node);

/// At most 1 MB, and 32 values deep.
Expected<Node> parse_located(std::string_view text, const std::string& file);

}  // namespace lab::render_config
