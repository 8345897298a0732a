/// What vulkan_probe_child prints: one JSON object a line, each as soon as it is known, so that what was answered
/// before a crash is kept.
///
///   {"event": "doing", "what": "vkCreateInstance"}             the call that comes next: where a crash or hang
///   happened
///   {"event": "loader", "version": "1.3.239"}                  the loader answers
///   {"event": "devices", "count": 2}
///   {"event": "asking", "index": 0}                            what follows is of this device
///   {"event": "device", "driver": {}, "heaps": [], "memory_types": [], "limits": {}}
///   {"event": "image", "width", "height", "size", "alignment", "memory_type_bits", "refused": null or "VK_ERROR_..."}
///   {"event": "buffer", "length", "size", "alignment", "memory_type_bits", "refused": null or "VK_ERROR_..."}
///   {"event": "validation", "message": "..."}
///   {"event": "problem", "kind": "no loader" | "unloadable" | "foreign" | "error", "detail": "..."}
///   {"event": "done"}                                          everything was asked; what follows means nothing
#pragma once

#include <boost/json/object.hpp>
#include <string_view>

namespace lab::probe {

/// Where the child says these lines; whatever the driver itself prints goes to standard error.
class Speaker {
 public:
  /// Takes standard output for itself and points descriptor 1 at standard error.
  Speaker();
  void say(const boost::json::object& event) const;
  void doing(std::string_view what) const;
  void problem(std::string_view kind, std::string_view detail) const;

 private:
  int file_;
};

}  // namespace lab::probe
