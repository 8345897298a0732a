/// A program that runs something on a real device: its flags, the driver's environment, what the validation layer says,
/// and its output of one line of JSON and a sentence.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/json_fields.h"
#include "harness/base/json_struct.h"
#include "harness/vulkan/device.h"
#include "harness/vulkan/memory.h"

namespace lab::vulkan {

/// Something that should not be: how often, and the first in one sentence.
struct Finding {
  std::uint64_t count = 0;
  std::string first;
  void add(const std::string& sentence);
};
LAB_JSON_STRUCT(Finding, count, first)

/// What a program's report has beside its own fields. `Report` has these members too, which a macro of JSON fields
/// needs.
template <typename Report>
concept WatchedReport = requires(Report& report, const Report& read) {
  report.device = std::string();
  report.driver = std::string();
  report.validated = true;
  report.planted = report.caught = std::string();
  report.validation.add(std::string());
  { read.passed() } -> std::same_as<bool>;
  { read.sentence() } -> std::same_as<std::string>;
};

/// Opens the device, lets the validation layer catch a planted violation, calls run(device), and adds what the layer
/// has said once the device has ended.
template <WatchedReport Report, typename Run>
Expected<void> watch(const DeviceSpec& spec, Report& report, const Run& run) {
  Validation validation;
  {
    const auto device = Device::open(spec, validation);
    if (!device) return device.error();
    report.device = (*device)->name();
    report.driver = (*device)->driver_info();
    report.validated = validation.active();
    if (report.validated) {
      const auto planted = plant_violation(**device);
      if (!planted) return in_context("planting a violation", planted.error());
      report.planted = planted->what;
      report.caught = planted->caught;
    }
    if (const Expected<void> ran = run(**device); !ran) return ran.error();
  }
  for (const std::string& message : validation.messages()) report.validation.add(message);
  return {};
}

/// Whether the validation layer was silent after it caught the planted violation, or was not there.
template <WatchedReport Report>
bool is_silent(const Report& report) {
  return report.validation.count == 0 && (!report.validated || !report.caught.empty());
}

/// The end of a report's sentence.
std::string validation_sentence(bool validated, const std::string& caught, const Finding& validation);
template <WatchedReport Report>
std::string validation_sentence(const Report& report) {
  return validation_sentence(report.validated, report.caught, report.validation);
}

/// The flags of a program, each with a value. --driver and --loader are every program's.
struct Flags {
  struct Number {
    std::uint32_t value, least = 0, most = std::numeric_limits<std::uint32_t>::max();
  };
  struct Text {
    std::string value;
    std::vector<std::string> choices = {};  ///< none: anything
  };
  std::map<std::string_view, Number> numbers;
  std::map<std::string_view, Text> texts;

  std::uint32_t number(std::string_view flag) const { return numbers.at(flag).value; }
  const std::string& text(std::string_view flag) const { return texts.at(flag).value; }
};

struct Program {
  std::string name;
  std::string usage;  ///< ends with a newline
  Flags flags;        ///< with their defaults
};

/// What a program prints: `json` to standard output, `sentence` to standard error.
struct ProgramOutput {
  std::string json, sentence;
  bool passed = false;
};
template <WatchedReport Report>
ProgramOutput output_of(const Report& report) {
  return {json::serialize(to_json(report)), report.sentence(), report.passed()};
}

/// The whole of main(): starts itself again in the driver's environment, where it calls `run` with the loader. Returns
/// the exit status: 0; 1: not passed, or an error; 2: wrong usage; 4: no driver or device here.
int run_program(Program program, int argc, char** argv,
                const std::function<Expected<ProgramOutput>(const Flags& flags, const std::string& loader)>& run);

}  // namespace lab::vulkan
