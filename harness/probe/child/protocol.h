/// The output of vulkan_probe_child: one JSON object per line, written as soon as it is known. The answers themselves
/// are in memory that it shares with its parent (../answers.h).
///
///   {"event": "doing", "what": "vkCreateInstance"}             the next call, in which a crash or hang then happens
///   {"event": "loader", "version": "1.3.239"}                  the loader was opened
///   {"event": "devices", "count": 2}
///   {"event": "device", "driver": {}, "heaps": [], "memory_types": [], "limits": {}}
///   {"event": "entry points", "names": ["vkGetImageMemoryRequirements2", "vkGetDeviceImageMemoryRequirements"]}
///   {"event": "refusal", "number": 1, "reason": "VK_ERROR_..."}   what this number means in the answers that follow
///   {"event": "contradiction", "query": 17, "first": "...", "second": "..."}   two answers to one query
///   {"event": "alive"}                                         about every second while it asks
///   {"event": "validation", "message": "..."}
///   {"event": "problem", "kind": "no loader" | "unloadable" | "foreign" | "error", "detail": "..."}
///   {"event": "done", "contradictions": 0}                     all queries are complete
#pragma once

#include <cstdint>
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
  std::string text = {};     ///< of doing, loader, refusal, validation, problem; the first answer of a contradiction
  std::string kind = {};     ///< of problem; the second answer of a contradiction
  std::uint64_t number = 0;  ///< of devices, refusal, contradiction, done
  DeviceProperties device = {};
  std::vector<std::string> names = {};  ///< of entry points
};

void fields(auto& f, ProbeEvent& e) {
  f("event", e.event);
  if (e.event == "doing") {
    f("what", e.text);
  } else if (e.event == "loader") {
    f("version", e.text);
  } else if (e.event == "devices") {
    f("count", e.number);
  } else if (e.event == "device") {
    fields(f, e.device);
  } else if (e.event == "entry points") {
    f("names", e.names);
  } else if (e.event == "refusal") {
    f("number", e.number);
    f("reason", e.text);
  } else if (e.event == "contradiction") {
    f("query", e.number);
    f("first", e.text);
    f("second", e.kind);
  } else if (e.event == "validation") {
    f("message", e.text);
  } else if (e.event == "problem") {
    f("kind", e.kind);
    f("detail", e.text);
  } else if (e.event == "done") {
    f("contradictions", e.number);
  }
}

/// Writes these lines in the child; the driver's own output goes to standard error.
class EventWriter {
 public:
  /// Takes over standard output and redirects descriptor 1 to standard error.
  EventWriter();
  /// Writes any value as one line.
  void write_line(const json::value& value) const;
  void write(const ProbeEvent& event) const { write_line(to_json(event)); }
  void doing(std::string_view what) const;
  void problem(std::string_view kind, std::string_view detail) const;

 private:
  int file_;
};

}  // namespace lab::probe
