/// The output of vulkan_probe_child: one JSON object per line, written as soon as it is known, so that results before a
/// crash are kept.
///
///   {"event": "doing", "what": "vkCreateInstance"}             the next call, in which a crash or hang then happens
///   {"event": "loader", "version": "1.3.239"}                  the loader was opened
///   {"event": "devices", "count": 2}
///   {"event": "asking", "index": 0}                            the next events are of this device
///   {"event": "device", "driver": {}, "heaps": [], "memory_types": [], "limits": {}}
///   {"event": "image", "width", "height", "size", "alignment", "memory_type_bits", "refused": null or "VK_ERROR_..."}
///   {"event": "buffer", "length", "size", "alignment", "memory_type_bits", "refused": null or "VK_ERROR_..."}
///   {"event": "validation", "message": "..."}
///   {"event": "problem", "kind": "no loader" | "unloadable" | "foreign" | "error", "detail": "..."}
///   {"event": "done"}                                          all queries are complete
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/results/atlas.h"

namespace lab::probe {

/// The properties of a physical device.
struct DeviceProperties {
  results::DriverIdentity driver;  ///< without manifest and library, which the parent fills in
  std::vector<results::MemoryHeap> heaps;
  std::vector<results::MemoryType> memory_types;
  json::object limits;
};

LAB_JSON_STRUCT(DeviceProperties, driver, heaps, memory_types, limits)

/// One line. Its name determines which other fields it has.
struct ProbeEvent {
  std::string event;
  std::string text = {};     ///< of doing, loader, validation, problem
  std::string kind = {};     ///< of problem
  std::uint32_t number = 0;  ///< of devices, asking
  DeviceProperties device = {};
  results::ImageRow image = {};
  results::BufferRow buffer = {};
  std::uint32_t buffer_memory_type_bits = 0;
  std::optional<std::string> refused = {};  ///< of image, buffer
};

template <typename F>
void fields(F& f, ProbeEvent& e) {
  f("event", e.event);
  if (e.event == "doing") {
    f("what", e.text);
  } else if (e.event == "loader") {
    f("version", e.text);
  } else if (e.event == "devices") {
    f("count", e.number);
  } else if (e.event == "asking") {
    f("index", e.number);
  } else if (e.event == "device") {
    fields(f, e.device);
  } else if (e.event == "image") {
    fields(f, e.image);
    f("refused", e.refused);
  } else if (e.event == "buffer") {
    fields(f, e.buffer);
    f("memory_type_bits", e.buffer_memory_type_bits);
    f("refused", e.refused);
  } else if (e.event == "validation") {
    f("message", e.text);
  } else if (e.event == "problem") {
    f("kind", e.kind);
    f("detail", e.text);
  }
}

/// Writes these lines in the child; the driver's own output goes to standard error.
class EventWriter {
 public:
  /// Takes over standard output and redirects descriptor 1 to standard error.
  EventWriter();
  void write(const ProbeEvent& event) const;
  void doing(std::string_view what) const;
  void problem(std::string_view kind, std::string_view detail) const;

 private:
  int file_;
};

}  // namespace lab::probe
