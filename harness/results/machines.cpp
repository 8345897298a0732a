#include "harness/results/machines.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/json_fields.h"
#include "harness/base/utc.h"

namespace lab::results {

namespace fs = std::filesystem;

template <typename Fields>
void fields(Fields& f, KnownMachine& machine) {
  f.added("was", machine.was);
  f.added("retired", machine.retired);
  f.added("class", machine.class_name);
  f.added("every_hours", machine.every_hours);
}

namespace {

constexpr const char* kExample = R"({"farm-12": {"was": ["farm-12-old"], "retired": "2026-11-01"}})";

Error wrong(std::string what) {
  return Error{std::move(what), fmt::format("for example {}", kExample), ExitStatus::kUsage};
}

/// What is wrong in one machine's entry; "" if nothing is.
std::string problem_of(const std::string& name, const KnownMachine& machine) {
  if (machine.retired && !seconds_of(*machine.retired + "T00:00:00Z"))
    return fmt::format("{}.retired: expected a day such as 2026-11-01, found '{}'", name, *machine.retired);
  if (machine.every_hours && !(*machine.every_hours > 0))
    return fmt::format("{}.every_hours: expected a number above 0, found {}", name, *machine.every_hours);
  return "";
}

}  // namespace

Expected<KnownMachines> KnownMachines::of(std::map<std::string, KnownMachine> machines) {
  KnownMachines known;
  for (const auto& [name, machine] : machines) {
    if (const std::string problem = problem_of(name, machine); !problem.empty()) return wrong(problem);
    for (const std::string& earlier : machine.was) {
      if (machines.contains(earlier))
        return wrong(
            fmt::format("{}.was: expected a name that is not in use, found '{}', another machine", name, earlier));
      if (const auto [other, added] = known.present_.emplace(earlier, name); !added)
        return wrong(fmt::format("{}.was: expected a name of this machine alone, found '{}', also of {}", name, earlier,
                                 other->second));
    }
  }
  known.machines_ = std::move(machines);
  return known;
}

const std::string& KnownMachines::present(const std::string& name) const {
  const auto found = present_.find(name);
  return found == present_.end() ? name : found->second;
}

const KnownMachine& KnownMachines::at(const std::string& machine) const {
  static const KnownMachine kNothing;
  const auto found = machines_.find(machine);
  return found == machines_.end() ? kNothing : found->second;
}

Expected<KnownMachines> load_known_machines(const fs::path& results) {
  const fs::path file = results / kMachinesName;
  std::error_code missing;
  if (!fs::exists(file, missing)) return KnownMachines{};
  const Expected<std::string> text = read_file(file);
  if (!text) return text.error();
  const Expected<json::value> value = parse_printable_json(*text, file.string());
  if (!value) return value.error();
  if (!value->is_object())
    return wrong(fmt::format("'{}': expected an object with the names of machines", file.string()));
  std::map<std::string, KnownMachine> machines;
  for (const auto& [name, entry] : value->get_object()) {
    Expected<KnownMachine> machine = from_json<KnownMachine>(entry);
    if (!machine) return in_context(fmt::format("'{}': {}", file.string(), std::string(name)), machine.error());
    machines.emplace(name, std::move(*machine));
  }
  Expected<KnownMachines> known = KnownMachines::of(std::move(machines));
  if (!known) return in_context(fmt::format("'{}'", file.string()), known.error());
  return known;
}

}  // namespace lab::results
