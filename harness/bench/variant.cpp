#include "harness/bench/variant.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/bench/answer.h"
#include "harness/bench/conformance.h"
#include "harness/bench/exhibits.h"
#include "harness/bench/preload.h"
#include "harness/bench/protocol.h"
#include "harness/bench/recorder.h"

namespace lab::bench {

Task::~Task() = default;

std::vector<float> Task::answer() const {
  return {};
}

std::map<std::string, double> Task::counters() const {
  return {};
}

std::map<std::string, double> Task::costly_counters() const {
  return {};
}

VariantCard variant_card(const char* family, const char* name, const Card& card) {
  return {.family = family,
          .name = name,
          .idea = card.idea,
          .cost = card.cost,
          .source = card.source,
          .weakness = card.weakness};
}

Variant& keep(Variant&& variant) {
  static std::list<Variant> kept;
  return kept.emplace_back(std::move(variant));
}

namespace {

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
}

int usage(const std::string& what, const std::string& hint) {
  fmt::print(stderr, "variant: error: {}\n", what);
  if (!hint.empty()) fmt::print(stderr, "hint: {}\n", hint);
  return 2;
}

void print(const boost::json::object& object) {
  fmt::print("{}\n", boost::json::serialize(object));
}

/// Whether this process also collects metrics that cost a few repetitions (protocol.h).
bool wants_exact() {
  const char* const asked = std::getenv("LAB_EXACT");
  return asked != nullptr && std::string_view(asked) == "1";
}

int fail(const Error& error) {
  fmt::print(stderr, "variant: error: {}\n", error.what);
  return 1;
}

/// The options of --run, --answer and --exhibit.
struct Options {
  Case inputs{.seed = 1, .threads = usable_cores()};
  double seconds = 1;
  std::size_t points = SIZE_MAX;  ///< of a sweep, the first ones
  std::string reference;          ///< file of the reference's answers; "": none
  std::string out;
};

int run_workload(const Variant& variant, const Workload& workload, const Options& options) {
  Answers reference;
  if (!options.reference.empty()) {
    Expected<Answers> read = read_answers(options.reference);
    if (!read) return fail(read.error());
    reference = std::move(*read);
  }
  const Expected<Measurement> measurement =
      measure(variant, workload, options.inputs,
              {options.seconds, wants_exact(), options.reference.empty() ? nullptr : &reference, options.points});
  if (!measurement) return fail(measurement.error());
  print(to_json(*measurement));
  return 0;
}

int write_answer(const Variant&, const Workload& workload, const Options& options) {
  if (!workload.tolerance) return usage(fmt::format("{} has no tolerance, so no answer", workload.name), "");
  const Expected<Answers> answers = answers_of(workload, options.inputs);
  if (!answers) return fail(answers.error());
  const Expected<void> written = write_answers(options.out, *answers);
  return written ? 0 : fail(written.error());
}

int write_exhibits(const Variant&, const Workload& workload, const Options& options) {
  if (!workload.exhibit) return usage(fmt::format("{} has no exhibits", workload.name), "");
  ExhibitFiles files(options.out, workload.exhibits);
  workload.exhibit(options.inputs, files);
  const Expected<void> written = files.finish();
  return written ? 0 : fail(written.error());
}

/// "family/variant/workload", with "/axis:value" for a point of a sweep.
void register_benchmark(const Variant& variant, const Workload& workload, const Case& inputs) {
  std::string name = fmt::format("{}/{}/{}", variant.family, variant.name, workload.name);
  if (workload.axis) name += fmt::format("/{}:{}", workload.axis->name, inputs.point);
  const auto run = [&workload, inputs](::benchmark::State& state) {
    const std::unique_ptr<Task> task = workload.prepare(inputs);
    for (auto _ : state) {
      PhaseClock clock(workload.phases.size());
      task->repeat(clock);
      state.SetIterationTime(std::accumulate(clock.nanoseconds().begin(), clock.nanoseconds().end(), 0.0) * 1e-9);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(workload.operations));
  };
  ::benchmark::RegisterBenchmark(name.c_str(), run)->UseManualTime();
}

/// Started by hand, an executable is an ordinary Google Benchmark program with all of its workloads.
int run_google_benchmark(int argc, char** argv, const Variant& variant) {
  ::benchmark::Initialize(&argc, argv);
  if (::benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const Workload& workload : variant.workloads)
    if (workload.unsupported.empty())
      for (const Case& inputs : cases_of(workload, {.seed = 1, .threads = usable_cores()}))
        register_benchmark(variant, workload, inputs);
  ::benchmark::RunSpecifiedBenchmarks();
  return 0;
}

template <typename Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && rest == text.data() + text.size();
}

bool parse_option(std::string_view flag, std::string_view value, Options& options) {
  if (value.empty()) return false;
  const auto text = [value](std::string& into) {
    into = value;
    return true;
  };
  if (flag == "--seed") return parse_number(value, options.inputs.seed);
  if (flag == "--threads") return parse_number(value, options.inputs.threads) && options.inputs.threads > 0;
  if (flag == "--seconds") return parse_number(value, options.seconds) && options.seconds >= 0;
  if (flag == "--points") return parse_number(value, options.points) && options.points > 0;
  if (flag == "--device") return text(options.inputs.device);
  if (flag == "--assets") return text(options.inputs.assets);
  if (flag == "--reference") return text(options.reference);
  return flag == "--out" && text(options.out);
}

/// What an executable does with one workload.
struct WorkloadVerb {
  std::string_view name;
  int (*run)(const Variant&, const Workload&, const Options&);
  bool needs_out;
  std::string_view usage;
};
constexpr WorkloadVerb kWorkloadVerbs[] = {
    {"--run", run_workload, false,
     "--run WORKLOAD [--seed N] [--seconds S] [--points N] [--threads N] [--device NAME] [--assets DIR] "
     "[--reference FILE]"},
    {"--answer", write_answer, true,
     "--answer WORKLOAD --out FILE [--seed N] [--threads N] [--device NAME] [--assets DIR]"},
    {"--exhibit", write_exhibits, true,
     "--exhibit WORKLOAD --out DIR [--seed N] [--threads N] [--device NAME] [--assets DIR]"}};

/// --conformance [CHECK] [--seconds S]
int conformance(int argc, char** argv, const Variant& variant) {
  std::optional<std::string_view> check;
  std::optional<double> seconds;
  for (int i = 2; i < argc; ++i) {
    const std::string_view word = argv[i];
    double number = 0;
    if (word == "--seconds" && i + 1 < argc && parse_number(argv[i + 1], number) && number > 0) {
      seconds = number;
      ++i;
    } else if (!check && !word.starts_with("--")) {
      check = word;
    } else {
      return usage(fmt::format("unknown argument '{}'", word), "--conformance [CHECK] [--seconds S]");
    }
  }
  return check ? run_check(variant, *check, seconds.value_or(0))
               : run_checks(variant, argv[0], seconds.value_or(kCheckSeconds));
}

}  // namespace

int variant_main(int argc, char** argv, const Variant& built) {
  Variant variant = built;
  if (const char* const name = std::getenv(kPreloadedAs); name != nullptr) variant.name = name;
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "--describe") {
    print(describe(variant));
    return 0;
  }
  if (verb == "--conformance") return conformance(argc, argv, variant);
  const auto found = std::ranges::find(kWorkloadVerbs, verb, &WorkloadVerb::name);
  if (found == std::end(kWorkloadVerbs)) return run_google_benchmark(argc, argv, variant);

  Options options;
  for (int i = 3; i < argc; i += 2) {
    const std::string_view flag = argv[i];
    const std::string_view value = i + 1 < argc ? argv[i + 1] : "";
    if (!parse_option(flag, value, options))
      return usage(fmt::format("unknown argument '{} {}'", flag, value), std::string(found->usage));
  }
  if (found->needs_out && options.out.empty())
    return usage(fmt::format("{}: expected --out", verb), std::string(found->usage));
  const std::string_view wanted = argc > 2 ? argv[2] : "";
  std::vector<std::string> names;
  for (const Workload& workload : variant.workloads) {
    names.push_back(workload.name);
    if (workload.name != wanted) continue;
    if (!workload.unsupported.empty())
      return usage(fmt::format("{} does not support {}: {}", variant.name, workload.name, workload.unsupported), "");
    if (workload.operations == 0)
      return usage(fmt::format("{} does not say how many operations a repetition is", workload.name),
                   "workload.operations = N in its family");
    return found->run(variant, workload, options);
  }
  const std::string near = nearest_name(wanted, names);
  return usage(
      fmt::format("{} has no workload '{}'", variant.name, wanted),
      near.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : fmt::format("did you mean '{}'?", near));
}

}  // namespace lab::bench
