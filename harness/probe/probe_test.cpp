// Complete runs with the pinned lavapipe and with fake drivers that misbehave (testing/fake_icd.cpp).
#include "harness/probe/probe.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <random>

#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/probe/driver_query.h"
#include "harness/probe/sweeps.h"

namespace lab::probe {

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using results::DriverColumn;

const fs::path kBuild = LAB_BUILD_DIR;
const fs::path kSource = LAB_SOURCE_DIR;
const fs::path kSweeps = kSource / "harness/probe/sweeps";

class Probe : public testing::Test {
 protected:
  void SetUp() override {
    spec_ = {.lib = kSource / "lib",
             .generated = dir_ / "generated",
             .child = kBuild / "vulkan_probe_child",
             .sweep_files = {kSweeps / "article.json"},
             .environment = {{"PATH", "/usr/bin:/bin"},
                             // Under the sanitizers a child must still die of its signal.
                             {"ASAN_OPTIONS", "handle_segv=0:detect_leaks=0"},
                             {"TSAN_OPTIONS", "handle_segv=0"}},
             .root = dir_,
             .silence = std::chrono::seconds(static_cast<int>(kPatience)),
             .on_progress = [this](const std::string& line) { progress_ += line + "\n"; }};
  }

  // Replaces the pinned driver by fake drivers of the machine, each named after its behaviour.
  void only_fakes(const std::vector<std::string>& behaviours) {
    fs::create_directories(dir_ / "lib");
    fs::create_directory_symlink(pinned_package(kSource / "lib", "vulkan-loader"), dir_ / "lib/vulkan-loader-1");
    spec_.lib = dir_ / "lib";
    for (const std::string& behaviour : behaviours) add_fake(behaviour);
  }
  void add_fake(const std::string& behaviour) {
    fs::create_directories(dir_ / "fakes");
    fs::create_symlink(kBuild / "tests/fake_icd.so", dir_ / "fakes" / (behaviour + ".so"));
    add_manifest(behaviour, dir_ / "fakes" / (behaviour + ".so"));
  }
  void add_manifest(const std::string& name, const std::string& library) {
    fs::create_directories(dir_ / "etc/vulkan/icd.d");
    std::ofstream(dir_ / "etc/vulkan/icd.d" / (name + ".json"))
        << R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.2.0", "library_path": ")" << library << "\"}}";
  }

  void add_sweep(const std::string& content) {
    const fs::path file = dir_ / "own.json";
    std::ofstream(file) << content;
    spec_.sweep_files.push_back(file);
  }

  // A package with a dynamic linker of its own, a script that records the chips; and a driver without a device.
  void add_simulated_devices() {
    const fs::path package = dir_ / "lib/mesa-drivers-own-1.2.3";
    fs::create_directories(package);
    fs::create_symlink(kBuild / "tests/fake_icd.so", package / "libvulkan_radeon.so");
    fs::create_symlink(kBuild / "tests/fake_icd.so", package / "none.so");
    fs::create_symlink(fs::path(loader_library(kSource / "lib")), package / "libvulkan.so.1");
    scratch_.write(
        "lib/mesa-drivers-own-1.2.3/ld-linux-x86-64.so.2",
        fmt::format("#!/bin/sh\nshift 3\necho \"$CHIP\" >>'{}'\nexec \"$@\"\n", (dir_ / "started").string()));
    fs::permissions(package / "ld-linux-x86-64.so.2", fs::perms::owner_all);
    scratch_.write("shims/built", "");
    spec_.shims = dir_ / "shims";
    spec_.simulated_devices = dir_ / "devices.json";
    scratch_.write("devices.json", R"({"schema": 1, "drivers": [
        {"package": "mesa-drivers-own", "library": "libvulkan_radeon.so", "shim": "fake_shim", "devices": [
          {"chip": "navi10", "environment": {"CHIP": "10"}}, {"chip": "navi21", "environment": {"CHIP": "21"}}]},
        {"package": "mesa-drivers-own", "library": "none.so", "shim": "fake_shim", "devices": [
          {"chip": "none", "environment": {}}]}]})");
  }

  std::vector<DriverColumn> run() {
    Expected<std::vector<DriverColumn>> columns = probe(spec_);
    EXPECT_TRUE(columns) << columns.error().what;
    return columns ? std::move(*columns) : std::vector<DriverColumn>();
  }
  static std::string failure(const DriverColumn& c) {
    return c.failure ? c.failure->kind + ": " + c.failure->detail : "";
  }
  // "name: images, buffers; failure"
  static std::vector<std::string> summaries(const std::vector<DriverColumn>& columns) {
    std::vector<std::string> found;
    for (const DriverColumn& c : columns)
      found.push_back(c.name + ": " + std::to_string(c.images.size()) + ", " + std::to_string(c.buffers.size()) +
                      (c.failure ? "; " + failure(c) : ""));
    return found;
  }

  ScratchFolder scratch_;
  const fs::path& dir_ = scratch_.path();
  ProbeSpec spec_;
  std::string progress_;
};

const results::ImageRow* row_of(const DriverColumn& column, std::uint64_t width, std::uint64_t height) {
  const auto found =
      std::ranges::find_if(column.images, [&](const auto& r) { return r.width == width && r.height == height; });
  return found == column.images.end() ? nullptr : &*found;
}

std::vector<std::string> some_sizes_that_are_no_powers_of_two(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts;
  while (texts.size() < 2 * count) {
    const std::uint32_t edge = 1 + random() % 4096;
    if ((edge & (edge - 1)) != 0) texts.push_back(std::to_string(edge));
  }
  return texts;
}

}  // namespace

TEST_F(Probe, measures_the_articles_sizes_with_the_pinned_lavapipe) {
  const std::vector<DriverColumn> columns = run();
  ASSERT_EQ(columns.size(), 1u) << progress_;
  const DriverColumn& c = columns[0];
  EXPECT_EQ(c.name, "lavapipe-22.3.6");
  EXPECT_EQ(failure(c), "");
  EXPECT_TRUE(c.driver.pinned);
  EXPECT_EQ(c.driver.id, "VK_DRIVER_ID_MESA_LLVMPIPE");
  EXPECT_EQ(c.driver.device_type, "cpu");
  EXPECT_EQ(c.driver.library, "lib/lavapipe-22.3.6/libvulkan_lvp.so");
  EXPECT_EQ(c.probe.at("loader"), "lib/vulkan-loader-1.3.239/libvulkan.so.1");
  EXPECT_EQ(c.images.size(), 169u);
  EXPECT_EQ(c.buffers.size(), 36u);
  ASSERT_TRUE(row_of(c, 128, 16) && row_of(c, 4096, 4096));
  EXPECT_EQ(row_of(c, 128, 16)->size, 8192u);
  EXPECT_EQ(row_of(c, 4096, 4096)->size, 67108864u);
  EXPECT_TRUE(c.refused.empty());
  ASSERT_FALSE(c.heaps.empty());
  ASSERT_FALSE(c.memory_types.empty());
  EXPECT_EQ(c.memory_types[0].flags,
            (std::vector<std::string>{"device local", "host visible", "host coherent", "host cached"}));
  // 106 of VkPhysicalDeviceLimits, two of maintenance 3, one of maintenance 4.
  EXPECT_EQ(c.limits.size(), 106u + 3u);
  for (const char* limit : {"maxMemoryAllocationCount", "maxMemoryAllocationSize", "maxImageDimension2D",
                            "bufferImageGranularity", "nonCoherentAtomSize", "minMemoryMapAlignment", "maxBufferSize"})
    EXPECT_GE(c.limit(limit).value_or(0), 1u) << limit;
  // The specification requires these of every driver.
  for (const results::ImageRow& r : c.images) {
    EXPECT_GE(r.size, r.width * r.height * 4);
    EXPECT_TRUE(r.alignment != 0 && (r.alignment & (r.alignment - 1)) == 0);
    EXPECT_TRUE(r.memory_type_bits != 0 && r.memory_type_bits >> c.memory_types.size() == 0);
  }
  for (const results::BufferRow& r : c.buffers) {
    EXPECT_GE(r.size, r.length);
    EXPECT_EQ(r.alignment % c.limit("minStorageBufferOffsetAlignment").value(), 0u);
  }
}

TEST_F(Probe, gives_the_same_result_twice) {
  const auto facts = [](DriverColumn c) {
    c.probed_at.clear();
    c.seconds = 0;
    return boost::json::serialize(to_json(c, true));
  };
  EXPECT_EQ(facts(run().at(0)), facts(run().at(0)));
}

TEST_F(Probe, is_valid_for_the_validation_layers) {
  spec_.validate = true;
  const std::vector<DriverColumn> columns = run();
  ASSERT_EQ(columns.size(), 1u);
  EXPECT_EQ(failure(columns[0]), "");
  EXPECT_EQ(columns[0].images.size(), 169u);
  EXPECT_EQ(columns[0].validation, std::vector<std::string>());
}

TEST_F(Probe, reports_the_messages_of_the_validation_layers) {
  // An image that is never stored cannot be sampled later.
  spec_.validate = true;
  add_sweep(R"({"schema": 2, "images": [{"formats": ["VK_FORMAT_R8G8B8A8_UNORM"], "tilings": ["optimal"],
      "usages": [["transient attachment", "color attachment", "sampled"]], "sizes": [[4, 4]]}]})");
  const std::vector<DriverColumn> columns = run();
  ASSERT_EQ(columns.size(), 1u);
  ASSERT_FALSE(columns[0].validation.empty());
  EXPECT_NE(columns[0].validation[0].find("TRANSIENT_ATTACHMENT"), std::string::npos) << columns[0].validation[0];
}

TEST_F(Probe, agrees_with_another_program_on_50_sizes_that_are_not_powers_of_two) {
  const std::vector<std::string> edges = some_sizes_that_are_no_powers_of_two(50, 20221231);
  std::string sizes;
  for (std::size_t i = 0; i < edges.size(); i += 2) sizes += (i ? ", [" : "[") + edges[i] + ", " + edges[i + 1] + "]";
  add_sweep(R"({"schema": 2, "images": [{"formats": ["VK_FORMAT_R8G8B8A8_UNORM"], "tilings": ["optimal"],
      "usages": [["sampled"]], "sizes": [)" +
            sizes + "]}]}");
  const std::vector<DriverColumn> columns = run();
  ASSERT_EQ(columns.size(), 1u);
  std::vector<std::string> ours;
  for (const results::ImageAnswer& r : columns[0].sweeps.at(0).images.at(0).rows)
    ours.push_back(
        fmt::format("{},{},{},{},{}", r.width, r.height, r.needs.size, r.needs.alignment, r.needs.memory_type_bits));

  const auto pinned = pinned_manifests(spec_.lib, spec_.generated);
  ASSERT_TRUE(pinned && pinned->size() == 1);
  QuerySpec query;
  query.environment = spec_.environment;
  ChildSpec other;
  other.command = {kBuild / "tests/vulkan_second_opinion", loader_library(spec_.lib)};
  other.command.insert(other.command.end(), edges.begin(), edges.end());
  other.inherits_environment = false;
  for (const auto& [name, value] : child_environment(pinned->front(), query))
    other.environment.push_back(fmt::format("{}={}", name, value));
  other.timeout_seconds = 300;
  std::vector<std::string> theirs;
  other.on_line = [&](std::string_view line) { theirs.emplace_back(line); };
  const ChildOutcome outcome = run_child(other);
  ASSERT_TRUE(outcome.end == ChildEnd::kExited && outcome.code == 0) << outcome.error_tail;
  EXPECT_EQ(theirs.size(), 50u);
  EXPECT_EQ(ours, theirs);
}

TEST_F(Probe, queries_every_device_of_a_driver_and_numbers_equal_names) {
  only_fakes({"good"});
  EXPECT_EQ(summaries(run()), (std::vector<std::string>{"radv-1.2.3-fake: 169, 36", "radv-1.2.3-fake-2: 169, 36"}));
}

TEST_F(Probe, records_a_crash_with_the_results_before_it_and_continues) {
  only_fakes({"crash_image", "good"});
  const std::vector<DriverColumn> columns = run();
  EXPECT_EQ(summaries(columns),
            (std::vector<std::string>{
                "radv-1.2.3-fake: 10, 0; crash: SIGSEGV in vkCreateImage of 1x1024 R8G8B8A8_UNORM, optimal, sampled",
                "radv-1.2.3-fake-2: 169, 36", "radv-1.2.3-fake-3: 169, 36", "radv-1.2.3-fake-4: 169, 36"}));
  ASSERT_TRUE(columns[0].failure);
  EXPECT_NE(columns[0].failure->output_tail.find("fake driver: about to crash"), std::string::npos);
  EXPECT_EQ(columns[0].heaps.size(), 1u);
}

TEST_F(Probe, records_a_hang_and_queries_the_next_device) {
  only_fakes({"hang_image"});
  EXPECT_TRUE(succeeds_given_time(0.5, [&](double seconds) {
    spec_.silence = std::chrono::ceil<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
    return summaries(run()) ==
           std::vector<std::string>{
               fmt::format("radv-1.2.3-fake: 10, 0; timeout: no answer for {:g} s in vkCreateImage of 1x1024 "
                           "R8G8B8A8_UNORM, optimal, sampled",
                           seconds),
               "radv-1.2.3-fake-2: 169, 36"};
  }));
}

TEST_F(Probe, records_every_other_failure_before_a_device_is_known) {
  only_fakes({"crash_instance", "crash_load", "exit_image"});
  std::ofstream(dir_ / "fakes/libvulkan_radeon.so") << "no library at all";
  add_manifest("unloadable", dir_ / "fakes/libvulkan_radeon.so");
  std::ofstream(dir_ / "etc/vulkan/icd.d/zz.json") << "no JSON";
  const std::vector<DriverColumn> columns = run();
  const std::vector<std::string> found = summaries(columns);
  const std::string opening = (dir_ / "fakes/crash_load.so").string();
  ASSERT_EQ(found.size(), 6u) << progress_;
  EXPECT_EQ(found[0], "crashinstance-failed: 0, 0; crash: SIGSEGV in vkCreateInstance");
  EXPECT_EQ(found[1], "crashload-failed: 0, 0; crash: SIGSEGV in dlopen of '" + opening + "'");
  EXPECT_EQ(found[2],
            "radv-1.2.3-fake: 10, 0; exit: exit status 3 in vkCreateImage of 1x1024 R8G8B8A8_UNORM, optimal, sampled");
  EXPECT_EQ(found[3], "radv-1.2.3-fake-2: 169, 36");
  EXPECT_TRUE(found[4].starts_with("radv-failed: 0, 0; unloadable: ")) << found[4];
  EXPECT_EQ(found[5], "zz-failed: 0, 0; unloadable: the manifest: not JSON: byte 0: syntax error before 'no JSON'");
}

TEST_F(Probe, gives_valid_text_whatever_bytes_a_driver_writes) {
  only_fakes({"bytes"});
  spec_.environment["RADV_DEBUG"] = "\xff";
  const std::vector<DriverColumn> columns = run();
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].driver.device_name, "Caf?");
  ASSERT_TRUE(columns[0].failure);
  EXPECT_TRUE(columns[0].failure->output_tail.ends_with("?t?\n")) << columns[0].failure->output_tail;
  EXPECT_EQ(columns[0].environment.at("RADV_DEBUG"), "?");
}

TEST_F(Probe, names_a_device_without_a_name_by_its_numbers) {
  only_fakes({"nameless"});
  EXPECT_EQ(summaries(run()),
            (std::vector<std::string>{"radv-1.2.3-1002.0001: 169, 36", "radv-1.2.3-1002.0002: 169, 36"}));
}

TEST_F(Probe, shortens_names_to_fit_a_folder) {
  only_fakes({"long"});
  const std::vector<DriverColumn> columns = run();
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[1].name.size(), 202u);
  EXPECT_TRUE(columns[1].name.ends_with("1-2"));
}

TEST_F(Probe, keeps_the_answers_of_a_driver_that_shrinks_their_memory) {
  only_fakes({"shrink"});
  const std::vector<DriverColumn> columns = run();
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].images.size(), 10u);
  ASSERT_TRUE(columns[0].failure);
  EXPECT_NE(columns[0].failure->output_tail.find("a file keeps its size"), std::string::npos);
}

TEST_F(Probe, refuses_sweeps_whose_answers_it_could_not_keep) {
  const auto complaint = [&] {
    const auto columns = probe(spec_);
    spec_.sweep_files.resize(1);
    return columns ? "" : columns.error().what;
  };
  spec_.sweep_files.emplace_back("/elsewhere/article.json");
  EXPECT_EQ(complaint(), "--sweep: expected files with different names, found 'article' twice");
  spec_.sweep_files.emplace_back("/dev/null");
  EXPECT_EQ(complaint(), "--sweep '/dev/null': expected a regular file, which is read more than once");
  spec_.sweep_files.emplace_back("\xff.json");
  EXPECT_EQ(complaint(), "--sweep '?.json': expected a name in printable UTF-8");
}

TEST_F(Probe, asks_the_wide_sweep_in_both_ways_and_twice_without_a_contradiction) {
  spec_.sweep_files.push_back(kSweeps / "wide.json");
  const DriverColumn c = run().at(0);
  EXPECT_EQ(failure(c), "");
  EXPECT_EQ(c.contradicted, 0u);
  EXPECT_EQ(c.entry_points,
            (std::vector<std::string>{"vkGetImageMemoryRequirements2", "vkGetBufferMemoryRequirements2",
                                      "vkGetDeviceImageMemoryRequirements", "vkGetDeviceBufferMemoryRequirements"}));
  ASSERT_EQ(c.sweeps.size(), 1u);
  const results::SweepAnswers& wide = c.sweeps[0];
  EXPECT_EQ(wide.name, "wide");
  const Expected<Sweep> asked = load_sweep(kSweeps / "wide.json");
  EXPECT_EQ(wide.image_rows(), asked->image_count());
  EXPECT_EQ(wide.buffer_rows(), asked->buffer_count());
  std::size_t answered = 0, refused = 0;
  for (const results::ImageTable& table : wide.images)
    for (const results::ImageAnswer& row : table.rows) {
      ++(row.needs.refusal == 0 ? answered : refused);
      EXPECT_EQ(row.needs.refusal == 0, row.needs.size != 0) << describe(table.kind, row.width, row.height);
    }
  EXPECT_GT(answered, wide.image_rows() / 2);
  // Lavapipe supports neither ASTC nor sparse images.
  EXPECT_GT(refused, 10u);
  EXPECT_NE(std::ranges::find(wide.refusals, "VK_ERROR_FORMAT_NOT_SUPPORTED"), wide.refusals.end());
}

TEST_F(Probe, accepts_a_limit_that_is_infinite) {
  only_fakes({"good"});
  const DriverColumn c = run().at(0);
  EXPECT_EQ(failure(c), "");
  EXPECT_EQ(c.name, "radv-1.2.3-fake");
  EXPECT_TRUE(c.limits.at("timestampPeriod").is_null());
}

TEST_F(Probe, reports_a_driver_that_contradicts_itself) {
  only_fakes({"lie"});
  const DriverColumn c = run().at(0);
  EXPECT_EQ(failure(c), "");
  EXPECT_EQ(c.images.size(), 169u);
  EXPECT_EQ(c.contradicted, 1u);
  EXPECT_EQ(c.contradictions, (std::vector<results::Contradiction>{
                                  {"64x64 R8G8B8A8_UNORM, optimal, sampled",
                                   "16384 bytes at 4096, memory types 0x1 of the created object",
                                   "20480 bytes at 4096, memory types 0x1 of the created object, the second time"}}));
  EXPECT_NE(progress_.find("; contradictory answers: 1\n"), std::string::npos) << progress_;
}

TEST_F(Probe, records_the_variables_that_change_layouts) {
  only_fakes({"good"});
  spec_.environment["RADV_DEBUG"] = "nodcc";
  spec_.environment["MESA_SHADER_CACHE_DIR"] = "/home/somebody";
  spec_.environment["HOME"] = dir_;
  std::ofstream(dir_ / ".drirc") << "<driconf/>";
  const DriverColumn c = run().at(0);
  EXPECT_EQ(c.environment, (std::map<std::string, std::string>{{"RADV_DEBUG", "nodcc"}}));
  EXPECT_EQ(c.name, "radv-1.2.3-fake-nodcc");
  EXPECT_EQ(c.driconf.back(), "~/.drirc");
}

TEST_F(Probe, keeps_the_rows_of_refused_sizes) {
  only_fakes({"refuse"});
  const DriverColumn c = run().at(0);
  EXPECT_EQ(c.images.size(), 169u);
  ASSERT_TRUE(row_of(c, 1024, 1) && row_of(c, 2048, 2048) && row_of(c, 1, 4096));
  EXPECT_EQ(*row_of(c, 1024, 1), (results::ImageRow{1024, 1, 0, 0, 0}));
  EXPECT_EQ(row_of(c, 2048, 2048)->size, 16777216u);
  // 13 that the driver refuses, and those above its limits: 13 + 12, of which one is counted already.
  EXPECT_EQ(c.refused.size(), 13u + 13u + 12u - 1u);
  EXPECT_EQ(c.refused[0], (results::Refusal{"image 1x4096", "at most 2048x2048"}));
  EXPECT_NE(std::ranges::find(c.refused, results::Refusal{"image 1024x1", "VK_ERROR_OUT_OF_DEVICE_MEMORY"}),
            c.refused.end());
}

TEST_F(Probe, distinguishes_the_machines_lavapipe_from_the_pinned_one) {
  add_fake("twin");
  EXPECT_EQ(summaries(run()), (std::vector<std::string>{"lavapipe-22.3.6: 169, 36", "lavapipe-22.3.6-host: 169, 36"}));
}

TEST_F(Probe, accepts_a_machine_without_driver_or_device) {
  only_fakes({});
  EXPECT_EQ(run().size(), 0u);
  add_fake("none");
  EXPECT_EQ(run().size(), 0u);
  EXPECT_NE(progress_.find("none.json: no device\n"), std::string::npos) << progress_;
}

TEST_F(Probe, ignores_drivers_for_another_word_size) {
  only_fakes({});
  // The first bytes of a 32-bit shared library.
  const std::string elf32(
      "\x7f"
      "ELF\1\1\1\0\0\0\0\0\0\0\0\0\3\0\3\0\1\0\0\0",
      24);
  fs::create_directories(dir_ / "fakes");
  std::ofstream(dir_ / "fakes/lib32.so") << elf32 << std::string(200, '\0');
  add_manifest("intel_icd.i686", dir_ / "fakes/lib32.so");
  EXPECT_EQ(run().size(), 0u);
  EXPECT_NE(progress_.find("intel_icd.i686.json: for another word size\n"), std::string::npos) << progress_;
}

TEST_F(Probe, does_not_start_drivers_that_were_not_selected) {
  only_fakes({"good"});
  // Would crash if it were queried; its library's name says that it is lavapipe.
  fs::create_symlink(kBuild / "tests/fake_icd.so", dir_ / "fakes/libvulkan_lvp.so");
  add_manifest("lvp", dir_ / "fakes/libvulkan_lvp.so");
  spec_.driver = "radv-1.2.3-fake-2";
  EXPECT_EQ(summaries(run()), std::vector<std::string>{"radv-1.2.3-fake-2: 169, 36"});
  EXPECT_EQ(progress_.find("libvulkan_lvp"), std::string::npos) << progress_;
  EXPECT_EQ(progress_.find("lvp.json"), std::string::npos) << progress_;
}

TEST_F(Probe, names_the_columns_of_simulated_devices_after_their_chips) {
  only_fakes({});
  add_simulated_devices();
  EXPECT_EQ(summaries(run()),
            (std::vector<std::string>{"radv-1.2.3-navi10-simulated: 169, 36", "radv-1.2.3-navi21-simulated: 169, 36",
                                      "mesa-drivers-own-none-failed: 0, 0; error: the driver does not find the "
                                      "simulated device"}));
  const DriverColumn c = run().at(0);
  EXPECT_EQ(c.driver.simulated, (results::SimulatedDevice{"navi10", "fake_shim", {{"CHIP", "10"}}}));
  EXPECT_TRUE(c.driver.pinned);
  // The memory and the time of such a device mean nothing.
  EXPECT_TRUE(c.heaps.empty());
  EXPECT_EQ(c.seconds, 0);
  EXPECT_EQ(c.probe.at("loader"), "lib/mesa-drivers-own-1.2.3/libvulkan.so.1");
  EXPECT_NE(progress_.find("radv-1.2.3-navi10-simulated: 169 images and 36 buffers\n"), std::string::npos) << progress_;
}

TEST_F(Probe, asks_only_the_simulated_devices_that_were_selected) {
  only_fakes({});
  add_simulated_devices();
  for (const char* prefix : {"radv-1.2.3-navi21", "radv-1.2.3-navi21-simulated"}) {
    spec_.driver = prefix;
    EXPECT_EQ(summaries(run()), std::vector<std::string>{"radv-1.2.3-navi21-simulated: 169, 36"});
    EXPECT_EQ(*read_file(dir_ / "started"), "21\n\n");  // a library with an unknown name is always asked
    fs::remove(dir_ / "started");
  }
  // No such chip, and no such version of this package.
  for (const char* prefix : {"radv-1.2.3-navi30", "radv-1.2.4"}) {
    spec_.driver = prefix;
    EXPECT_FALSE(probe(spec_));
    EXPECT_EQ(*read_file(dir_ / "started"), "\n");
    fs::remove(dir_ / "started");
  }
  spec_.environment["RADV_DEBUG"] = "nodcc";
  spec_.driver = "radv-1.2.3-navi21-nodcc";
  EXPECT_EQ(summaries(run()), std::vector<std::string>{"radv-1.2.3-navi21-nodcc-simulated: 169, 36"});
}

TEST_F(Probe, suggests_the_nearest_name_for_an_unknown_driver) {
  const auto error_of = [&](const std::string& driver) {
    spec_.driver = driver;
    const auto columns = probe(spec_);
    return columns ? "" : columns.error().what + " | " + columns.error().hint;
  };
  EXPECT_EQ(error_of("lavapip"), "");
  EXPECT_EQ(error_of("lavpipe"), "no driver is called 'lavpipe' | did you mean 'lavapipe'?");
  EXPECT_EQ(error_of("lavapipe-22.3.7"), "no driver is called 'lavapipe-22.3.7' | did you mean 'lavapipe-22.3.6'?");
  EXPECT_EQ(error_of("quantum"), "no driver is called 'quantum' | one of lavapipe");
  EXPECT_EQ(probe(spec_).error().status, ExitStatus::kUsage);
}

TEST_F(Probe, reports_in_one_sentence_what_is_missing) {
  const auto error_of = [&] {
    const auto columns = probe(spec_);
    return columns ? "" : columns.error().what;
  };
  spec_.sweep_files = {dir_ / "none.json"};
  EXPECT_EQ(error_of(), "opening '" + (dir_ / "none.json").string() + "': No such file or directory");
  std::ofstream(dir_ / "bad.json") << "{}";
  spec_.sweep_files = {dir_ / "bad.json"};
  EXPECT_EQ(error_of(), "reading '" + (dir_ / "bad.json").string() + "': schema: missing");
  spec_.sweep_files = {kSweeps / "article.json"};
  spec_.child = dir_ / "child";
  EXPECT_EQ(error_of(), "no probe executable: expected '" + (dir_ / "child").string() + "'");
  spec_.child = kBuild / "vulkan_probe_child";
  // The file under the name of the pinned loader is not a library.
  fs::create_directories(dir_ / "lib/vulkan-loader-9");
  std::ofstream(dir_ / "lib/vulkan-loader-9/libvulkan.so.1") << "text";
  spec_.lib = dir_ / "lib";
  add_fake("good");
  EXPECT_TRUE(error_of().starts_with("no Vulkan loader: opening the Vulkan loader: ")) << error_of();
}

TEST(ChildEnvironment, has_pinned_libraries_only_for_the_pinned_driver) {
  QuerySpec spec;
  spec.environment = {{"LD_LIBRARY_PATH", "/user"},
                      {"VK_INSTANCE_LAYERS", "overlay"},
                      {"VK_ADD_DRIVER_FILES", "/more.json"},
                      {"HOME", "/home/a"}};
  Manifest host;
  host.file = "/etc/vulkan/icd.d/radeon.json";
  const EnvironmentVariables for_host = child_environment(host, spec);
  EXPECT_EQ(for_host.at("LD_LIBRARY_PATH"), "/user");
  EXPECT_EQ(for_host.at("VK_DRIVER_FILES"), "/etc/vulkan/icd.d/radeon.json");
  EXPECT_EQ(for_host.at("VK_ICD_FILENAMES"), "/etc/vulkan/icd.d/radeon.json");
  EXPECT_EQ(for_host.at("VK_LOADER_LAYERS_DISABLE"), "~implicit~");
  EXPECT_EQ(for_host.at("HOME"), "/home/a");
  EXPECT_FALSE(for_host.contains("VK_INSTANCE_LAYERS") || for_host.contains("VK_ADD_DRIVER_FILES"));
  Manifest pinned = host;
  pinned.libraries = {"/lib/lavapipe", "/lib/runtime"};
  EXPECT_EQ(child_environment(pinned, spec).at("LD_LIBRARY_PATH"), "/lib/lavapipe:/lib/runtime");
  // A simulated device is the one that its column names.
  spec.environment["RADV_FORCE_FAMILY"] = "gfx1100";
  spec.environment["INTEL_STUB_GPU_JSON"] = "other.json";
  EXPECT_TRUE(child_environment(host, spec).contains("RADV_FORCE_FAMILY"));
  pinned.simulated = results::SimulatedDevice{"navi10", "amdgpu_noop_drm_shim", {{"AMDGPU_GPU_ID", "navi10"}}};
  const EnvironmentVariables simulated = child_environment(pinned, spec);
  EXPECT_FALSE(simulated.contains("RADV_FORCE_FAMILY") || simulated.contains("INTEL_STUB_GPU_JSON"));
  EXPECT_EQ(simulated.at("AMDGPU_GPU_ID"), "navi10");
}

}  // namespace lab::probe
