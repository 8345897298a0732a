#include "harness/results/result.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/result_fixture.h"

namespace lab::results {

namespace {

/// The error of a fixture result's text in which `from` was replaced by `to`.
std::string complaint(const std::string& from, const std::string& to) {
  std::string text = serialize(fixture_result(1));
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "no such text: " + from;
  text.replace(at, from.size(), to);
  const Expected<Result> result = parse_result(text, "a.json");
  return result ? "" : result.error().what;
}

std::string complaint_about(std::string_view text) {
  const Expected<Result> result = parse_result(text, "a.json");
  return result ? "" : result.error().what;
}

}  // namespace

TEST(Result, has_a_head_that_is_read_alone) {
  Result written = fixture_result(3);
  written.arms = {{"head", written.build, written.pins, written.source, {{"shelf/quick", "ab12"}}, {}}};
  const std::string text = serialize(written);
  const ScratchFolder folder;
  folder.write("a.json", text);
  // Also of a file that is damaged later.
  folder.write("b.json", text.substr(0, text.find("\"real_time\"")));
  folder.write("c.json", "{\"schema\": 1");
  Result head = written;
  for (const char* name : {"a.json", "b.json"}) {
    const Expected<Result> read = load_result_head(folder.path() / name);
    ASSERT_TRUE(read) << read.error().what;
    head.processes.clear();
    head.unsupported.clear();
    EXPECT_EQ(serialize(*read), serialize(head));
  }
  EXPECT_FALSE(load_result_head(folder.path() / "c.json"));
  EXPECT_FALSE(load_result_head(folder.path() / "d.json"));
}

TEST(Result, survives_a_round_trip) {
  Result written = fixture_result(2);
  written.answers = {{"shelf/plain/store", 7, "00000000000000aa"}};
  written.failures = {{"shelf/slow/store", 1, 1, "crash", "signal 11", "bang\n\"quoted\""}};
  written.source = {};
  written.arms = {
      {"head", written.build, written.pins, written.source, {{"shelf/quick", "ab12"}}, {{"shelf/store", 2}}}};
  written.processes[1].cpu.reset();
  written.processes[1].real_time = 0.1 + 0.2;
  written.processes[1].warmup = {12, 0.25, false};
  written.session.disturbances = {{0, 2.5, 0.5, 0.125}};
  written.session.waiting = {{"shelf/plain/drop", 0.25}, {"shelf/quick/drop", std::nullopt}};
  written.workloads[0].phase_operations = {{"get", 5}};
  const Expected<Result> read = parse_result(serialize(written), "a.json");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(serialize(*read), serialize(written));
  EXPECT_EQ(read->processes[1].real_time, 0.1 + 0.2);
  EXPECT_FALSE(read->processes[1].cpu);
  EXPECT_FALSE(read->processes[1].warmup->stationary);
  EXPECT_EQ(read->session.disturbances[0].stolen, 0.125);
  EXPECT_EQ(read->session.waiting[0].process_seconds, 0.25);
  EXPECT_EQ(operations_of(read->workloads[0], "get"), 5u);
  EXPECT_EQ(operations_of(read->workloads[0], "put"), 10u);
  EXPECT_FALSE(read->source.dirty);
  EXPECT_EQ(read->failures[0].output_tail, "bang\n\"quoted\"");
}

TEST(Result, of_an_older_version_without_arms_is_read) {
  std::string text = serialize(fixture_result(1));
  const std::string line = "  \"arms\": [],\n";
  ASSERT_NE(text.find(line), std::string::npos);
  text.erase(text.find(line), line.size());
  const Expected<Result> read = parse_result(text, "a.json");
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_TRUE(read->arms.empty());
}

TEST(Result, has_its_fields_in_a_fixed_order) {
  EXPECT_EQ(serialize(fixture_result(1)), R"({
  "schema": 2,
  "context": {"date":"2026-08-02T23:15:00Z","host_name":"farm","executable":"harness","num_cpus":8,"mhz_per_cpu":3400,"cpu_scaling_enabled":true,"caches":[{"type":"Data","level":1,"size":32768,"num_sharing":2}],"load_avg":[1E-1,2E-1,3E-1],"library_build_type":"release"},
  "machine": {"id":"0123456789ab","name":"","cpu_model":"Some CPU @ 3.40GHz","architecture":"x86_64","sockets":1,"physical_cores":4,"logical_cores":8,"memory_gib":16,"virtual":false,"gpus":["Intel 8086:5916"],"installation":""},
  "facts": {"kernel":"6.1.0","microcode":"0xf0","governor":"powersave","turbo":"on","smt":"on","aslr":"full","transparent_huge_pages":"madvise","libc":"glibc 2.36","distribution":"Debian 12","load_avg":[1E-1,2E-1,3E-1],"libc_build":""},
  "build": {"toolchain":"system","config":"release","march":"x86-64-v2","compiler":"GNU 12.2.0","flags":"-O2","fetched":""},
  "pins": {"benchmark":"ab12","fmt":"cd34"},
  "source": {"commit":"1a2b3c4d5e6f7a8b9c0d1a2b3c4d5e6f7a8b9c0d","dirty":false,"state":"clean"},
  "session": {"id":"20260802T231500Z-1a2b3c4d5e6f","started":"2026-08-02T23:15:00Z","ended":"2026-08-02T23:17:00Z","seed":7,"mode":"quick","budget_seconds":120,"blocks":1,"protocol":1,"state":"complete","unusual":["turbo is on"],"wall_seconds":0,"timed_seconds":0,"disturbances":[],"waiting":[],"medians_only":false},
  "arms": [],
  "workloads": [
    {"family":"shelf","name":"store","title":"Put and get","version":2,"phases":["put","get"],"operations":10,"operation":"pair","parallel":false,"phase_operations":{},"metrics":[],"primary":"time","axis":null,"tolerance":null,"exhibits":[]}
  ],
  "variants": [
    {"family":"shelf","name":"plain","reference":true,"idea":"i","cost":"c","source":"s","weakness":"w","traits":{"moves":"no"}},
    {"family":"shelf","name":"quick","reference":false,"idea":"i","cost":"c","source":"s","weakness":"w","traits":{}}
  ],
  "benchmarks": [
    {"name":"shelf/plain/store","run_name":"shelf/plain/store","run_type":"iteration","repetitions":3,"iterations":30,"real_time":100,"cpu_time":125,"time_unit":"ns","process":0,"block":0,"position":0,"arm":"head","cpu":1,"threads":1,"seed":7,"checksum":"00000000000000aa","operations":10,"wall_seconds":5E-1,"timed_seconds":0,"samples":{"get":[400,400,1],"put":[600,600,700]},"counters":{"metadata_bytes":128},"warmup":null,"points":[],"device":"","layout":0},
    {"name":"shelf/quick/store","run_name":"shelf/quick/store","run_type":"iteration","repetitions":3,"iterations":30,"real_time":50,"cpu_time":6.25E1,"time_unit":"ns","process":0,"block":0,"position":0,"arm":"head","cpu":1,"threads":1,"seed":7,"checksum":"00000000000000aa","operations":10,"wall_seconds":5E-1,"timed_seconds":0,"samples":{"get":[200,200,1],"put":[300,300,350]},"counters":{"metadata_bytes":128},"warmup":null,"points":[],"device":"","layout":0}
  ],
  "answers": [],
  "unsupported": [
    {"benchmark":"shelf/quick/drop","reason":"it never forgets"}
  ],
  "failures": [],
  "exhibits": []
}
)");
}

TEST(Result, ignores_unknown_fields) {
  EXPECT_EQ(complaint(R"("schema": 2,)", R"("schema": 2, "weather": {"rain": true},)"), "");
  EXPECT_EQ(complaint(R"("sockets":1)", R"("sockets":1,"cooling":"water")"), "");
}

TEST(Result, refuses_unreadable_text_with_one_sentence) {
  EXPECT_EQ(complaint_about(""), "a.json: empty");
  EXPECT_EQ(complaint_about(" \n\t"), "a.json: empty");
  EXPECT_EQ(complaint_about("{}"), "a.json: not a result: it has no 'schema'");
  EXPECT_EQ(complaint_about("[1, 2]"), "a.json: not a result: it has no 'schema'");
  EXPECT_EQ(complaint_about(R"({"context": {}, "benchmarks": []})"),
            "a.json: a Google Benchmark file, expected a result of run");
  EXPECT_EQ(complaint_about(R"({"schema": 1)"), "a.json: truncated: the JSON does not end within 12 bytes");
  EXPECT_EQ(complaint_about("<html>"), "a.json: not JSON: byte 0: syntax error before '<html>'");
  EXPECT_EQ(complaint_about("{} {}"), "a.json: not JSON: byte 3: extra data before '{}'");
  EXPECT_EQ(complaint(R"("schema": 2)", R"("schema": 3)"), "a.json: schema 3, this build reads 1 to 2");
  EXPECT_EQ(complaint(R"("schema": 2)", R"("schema": "1")"), "a.json: schema \"1\", this build reads 1 to 2");
  EXPECT_EQ(complaint(R"("sockets":1)", R"("sockets":"one")"),
            "a.json: machine.sockets: expected a whole number, found a string");
  EXPECT_EQ(complaint(R"("sockets":1)", R"("sockets":1.5)"),
            "a.json: machine.sockets: expected a whole number, found 1.5E0");
  EXPECT_EQ(complaint(R"("sockets":1,)", ""), "a.json: machine.sockets: missing");
  EXPECT_EQ(complaint(R"(["Intel 8086:5916"])", "[4]"), "a.json: machine.gpus[0]: expected a string, found 4");
  EXPECT_EQ(complaint(R"("seed":7,"mode")", R"("seed":-7,"mode")"),
            "a.json: session.seed: expected a whole number from 0, found -7");
}

TEST(Result, refuses_impossible_numbers) {
  EXPECT_EQ(complaint(R"("real_time":100)", R"("real_time":NaN)").substr(0, 22), "a.json: not JSON: byte");
  EXPECT_EQ(complaint(R"("real_time":100)", R"("real_time":null)"),
            "a.json: benchmarks[0].real_time: expected a finite number, found null");
  EXPECT_NE(complaint(R"("real_time":100)", R"("real_time":1e999)"), "");
  EXPECT_EQ(complaint(R"("real_time":100)", R"("real_time":0)"),
            "a.json: shelf/plain/store, process 0: real_time is 0, expected more than 0");
  EXPECT_EQ(complaint(R"("real_time":100)", R"("real_time":-3)"),
            "a.json: shelf/plain/store, process 0: real_time is -3, expected more than 0");
  EXPECT_EQ(complaint("[600,600,700]", "[600,-1,700]"),
            "a.json: shelf/plain/store, process 0: phase 'put' has a negative time");
  EXPECT_EQ(complaint("[600,600,700]", "[]"), "a.json: shelf/plain/store, process 0: phase 'put' has no samples");
}

TEST(Result, is_refused_if_truncated_at_any_byte) {
  const std::string text = serialize(fixture_result(1));
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    EXPECT_FALSE(parse_result(std::string_view(text).substr(0, length), "a.json")) << length;
}

TEST(Result, finds_its_parts_by_name) {
  const BenchmarkParts parts = benchmark_parts("allocator/buddy/random_replace");
  EXPECT_EQ(parts.family, "allocator");
  EXPECT_EQ(parts.variant, "buddy");
  EXPECT_EQ(parts.workload, "random_replace");
  EXPECT_EQ(benchmark_parts("allocator").variant, "");
  EXPECT_EQ(benchmark_parts("allocator/buddy").workload, "");
  const Result result = fixture_result(1);
  EXPECT_EQ(find_variant(result, "shelf/bent/store"), nullptr);
  EXPECT_TRUE(find_variant(result, "shelf/plain/store")->reference);
}

TEST(Result, has_no_duplicate_process) {
  const auto complaint_of = [](const auto& change) {
    Result result = fixture_result(4);
    change(result);
    const Expected<Result> read = parse_result(serialize(result), "a.json");
    EXPECT_TRUE(read || read.error().status == ExitStatus::kUsage);
    return read ? "" : read.error().what;
  };
  const auto copied = [](Result& result, int times) {
    for (int i = 0; i < times; ++i) result.processes.push_back(result.processes[0]);
  };
  EXPECT_EQ(complaint_of([&](Result& r) { copied(r, 7); }),
            "a.json: shelf/plain/store: process 0 appears 8 times, expected once");
  EXPECT_EQ(complaint_of([&](Result& r) {
              copied(r, 1);
              r.processes.back().process = 4;
            }),
            "a.json: shelf/plain/store: block 0 appears 2 times, expected once");
  EXPECT_EQ(complaint_of([&](Result& r) {
              copied(r, 1);
              r.processes.back().arm = kBase;
            }),
            "");
  EXPECT_EQ(complaint_of([&](Result& r) {
              copied(r, 2);
              for (std::size_t i : {8u, 9u}) r.processes[i].arm = kBase;
            }),
            "a.json: shelf/plain/store (base): process 0 appears 2 times, expected once");
  EXPECT_EQ(complaint_of([](Result& r) {
              r.arms.resize(1);
              r.arms[0].name = kHead;
              r.processes[2].arm = kBase;
            }),
            "a.json: shelf/plain/store, process 1: expected an arm of the session (head), found 'base'");
  EXPECT_EQ(complaint_of([](Result& r) {
              r.arms.resize(2);
              r.arms[0].name = r.arms[1].name = kHead;
            }),
            "a.json: arms: 'head' appears twice, expected once");
  EXPECT_EQ(complaint_of([](Result& r) { r.processes[0].block = -1; }),
            "a.json: shelf/plain/store, process 0: it is process 0 of block -1, expected numbers from 0");
  EXPECT_EQ(complaint_of([](Result& r) {
              r.session.disturbances = {{0, 1, -1, 0}};
            }),
            "a.json: disturbance of block 0: foreign is -1, expected 0 or more");
}

}  // namespace lab::results
