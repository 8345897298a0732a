/// The parts of vulkan_memory_child's work, and its output: one JSON object per line, written as soon as it is known.
///
///   {"event": "doing", "what": "vkAllocateMemory of 64 x 65536 bytes"}   in which a crash or a hang then happens
///   {"event": "note", "text": "no compute queue: nothing is sampled"}     left out, because the device lacks it
///   {"event": "policy" | "limit" | "texture" | "timing", ...}             a finding
///   (harness/results/memory_findings.h)
///   {"event": "validation", "text": "..."}                               a message of the validation layers
///   {"event": "problem", "text": "vkCreateDevice: VK_ERROR_..."}         ended early
///   {"event": "done"}
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "harness/base/json_fields.h"
#include "harness/results/memory_findings.h"

namespace lab::probe {

/// Each part is a process of its own, so that a crash costs only that part. In the order in which they run.
inline constexpr std::array<std::string_view, 5> kMemoryParts{"policy", "allocation", "access", "textures", "limit"};

/// One line. Its name determines which other field it has.
struct MemoryEvent {
  std::string event;
  std::string text = {};  ///< of doing, note, validation, problem
  results::PolicyCheck policy = {};
  results::AllocationCount limit = {};
  results::SampledTexture texture = {};
  results::MemoryTiming timing = {};
};

void fields(auto& f, MemoryEvent& e) {
  f("event", e.event);
  if (e.event == "doing") {
    f("what", e.text);
  } else if (e.event == "note" || e.event == "validation" || e.event == "problem") {
    f("text", e.text);
  } else if (e.event == "policy") {
    fields(f, e.policy);
  } else if (e.event == "limit") {
    fields(f, e.limit);
  } else if (e.event == "texture") {
    fields(f, e.texture);
  } else if (e.event == "timing") {
    fields(f, e.timing);
  }
}

}  // namespace lab::probe
