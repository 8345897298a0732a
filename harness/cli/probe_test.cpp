#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/scratch_folder.h"
#include "harness/cli/captured_test.h"
#include "harness/cli/commands.h"
#include "harness/judge/driver_claim.h"
#include "harness/results/atlas.h"

namespace lab::cli {

namespace {

namespace fs = std::filesystem;

// Every run sees the pinned lavapipe and one driver of the machine's own, which does as its name says.
class ProbeCommand : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("VK_DRIVER_FILES", (dir_ / "fake.json").c_str(), 1);
    // Under the sanitizers a child must still die of its signal.
    ::setenv("ASAN_OPTIONS", "handle_segv=0:detect_leaks=0", 1);
    ::setenv("TSAN_OPTIONS", "handle_segv=0", 1);
    own_driver("none");
    // Without the simulated devices that a developer may have installed.
    fs::create_directory(dir_ / "lib");
    for (const auto& package : fs::directory_iterator(lib_dir()))
      if (const fs::path name = package.path().filename(); !name.string().starts_with("mesa-drivers"))
        fs::create_directory_symlink(package.path(), dir_ / "lib" / name);
    ::setenv("SPM_LIB", (dir_ / "lib").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"VK_DRIVER_FILES", "LAB_ROOT", "ASAN_OPTIONS", "TSAN_OPTIONS", "SPM_LIB"})
      ::unsetenv(name);
  }

  void own_driver(const std::string& behaviour) const {
    fs::remove(dir_ / (behaviour + ".so"));
    fs::create_symlink(build_dir() / "tests/fake_icd.so", dir_ / (behaviour + ".so"));
    std::ofstream(dir_ / "fake.json") << R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.2.0",
        "library_path": "./)" << behaviour
                                      << ".so\"}}";
  }

  // The exit status; what was printed is in out_ and err_.
  int run(std::vector<std::string> arguments, bool with_out = true) {
    if (with_out) arguments.insert(arguments.begin(), {"--out", atlas_});
    arguments.insert(arguments.begin(), "probe");
    const Captured done = captured(probe_command(), arguments);
    out_ = done.out;
    err_ = done.err;
    return done.status;
  }

  std::vector<std::string> written() const {
    std::vector<std::string> files;
    std::error_code none;
    for (const auto& entry : fs::recursive_directory_iterator(atlas_, none))
      files.push_back(entry.path().lexically_relative(atlas_));
    std::sort(files.begin(), files.end());
    return files;
  }

  ScratchFolder scratch_;
  const fs::path& dir_ = scratch_.path();
  ScratchFolder for_atlas_;
  std::string atlas_ = for_atlas_.path() / "atlas";  // not there before the command
  std::string out_, err_;
};

}  // namespace

// What a column's folder holds, and these.
std::vector<std::string> column_files(std::vector<std::string> names) {
  names.insert(names.end(), {"", "/asked.json", "/buffers.csv", "/column.json", "/images.csv", "/wide-buffers.csv",
                             "/wide-images.csv"});
  for (std::string& name : names) name = "lavapipe-22.3.6" + (name.empty() || name[0] == '/' ? name : "/" + name);
  std::ranges::sort(names);
  return names;
}

TEST_F(ProbeCommand, writes_a_folder_for_each_column_and_prints_it) {
  EXPECT_EQ(run({}), 0) << err_;
  EXPECT_EQ(out_, atlas_ + "/lavapipe-22.3.6\n");
  EXPECT_EQ(written(), column_files({}));
  EXPECT_NE(err_.find("fake.json: no device\n"), std::string::npos) << err_;
}

TEST_F(ProbeCommand, writes_the_articles_files_on_request) {
  EXPECT_EQ(run({"--format", "io7m", "--driver", "lavapipe"}), 0) << err_;
  EXPECT_EQ(written(), column_files({"buffer-sizes.txt", "image-sizes.txt"}));
  EXPECT_TRUE(
      read_file(atlas_ + "/lavapipe-22.3.6/image-sizes.txt")->starts_with("# Width Height Size Alignment\n1 1 "));
}

TEST_F(ProbeCommand, allocates_on_request_and_a_later_probe_keeps_the_findings) {
  EXPECT_EQ(run({"--allocate"}), 0) << err_;
  EXPECT_EQ(out_, atlas_ + "/lavapipe-22.3.6\n");
  EXPECT_NE(err_.find("lavapipe-22.3.6: real allocations, timed on a CPU driver: this is the CPU's memory\n"),
            std::string::npos)
      << err_;
  const std::string memory = atlas_ + "/lavapipe-22.3.6/memory.json";
  const auto found = read_file(memory);
  ASSERT_TRUE(found) << found.error().what;
  EXPECT_EQ(run({}), 0) << err_;
  EXPECT_EQ(*read_file(memory), *found);
}

TEST_F(ProbeCommand, prints_whole_columns_as_json) {
  own_driver("good");
  EXPECT_EQ(run({"--format=json", "--driver", "radv"}), 0) << err_;
  const std::size_t end = out_.find('\n');
  const boost::json::value first = boost::json::parse(out_.substr(0, end));
  EXPECT_EQ(first.at("name"), "radv-1.2.3-fake");
  EXPECT_EQ(first.at("images").as_array().size(), 169u);
  EXPECT_EQ(first.at("buffers").as_array().size(), 36u);
  EXPECT_EQ(boost::json::parse(out_.substr(end + 1)).at("name"), "radv-1.2.3-fake-2");
}

TEST_F(ProbeCommand, records_a_crash_until_the_driver_answers) {
  own_driver("crash_instance");
  EXPECT_EQ(run({}), 1);
  EXPECT_EQ(out_, atlas_ + "/lavapipe-22.3.6\n" + atlas_ + "/fake-failed\n");
  EXPECT_NE(err_.find("probe: fake-failed: crash: SIGSEGV in vkCreateInstance\n"), std::string::npos) << err_;
  const auto columns = results::load_atlas(atlas_);
  ASSERT_TRUE(columns) << columns.error().what;
  ASSERT_EQ(columns->size(), 2u);
  EXPECT_EQ((*columns)[0].failure->kind, "crash");
  EXPECT_EQ((*columns)[1].images.size(), 169u);

  own_driver("good");
  EXPECT_EQ(run({}), 0) << err_;
  EXPECT_FALSE(fs::exists(atlas_ + "/fake-failed"));
}

TEST_F(ProbeCommand, a_crash_of_a_driver_that_is_not_chosen_does_not_matter) {
  own_driver("crash_instance");
  EXPECT_EQ(run({"--driver", "lavapipe"}), 0) << err_;
  EXPECT_EQ(out_, atlas_ + "/lavapipe-22.3.6\n");
}

TEST_F(ProbeCommand, names_a_driver_that_contradicts_itself) {
  own_driver("lie");
  EXPECT_EQ(run({"--driver", "radv"}), 1);
  EXPECT_NE(
      err_.find("probe: radv-1.2.3-fake: 64x64 R8G8B8A8_UNORM, optimal, sampled: first 16384 bytes at 4096, memory "
                "types 0x1 of the created object, then 20480 bytes"),
      std::string::npos)
      << err_;
}

TEST_F(ProbeCommand, imports_tables_in_the_articles_format) {
  EXPECT_EQ(run({"--format", "io7m", "--driver", "lavapipe"}), 0) << err_;
  EXPECT_EQ(run({"--import", atlas_ + "/lavapipe-22.3.6"}), 0) << err_;
  EXPECT_EQ(out_, atlas_ + "/lavapipe-22.3.6-imported\n");
  const auto asked = results::load_column(atlas_ + "/lavapipe-22.3.6");
  const auto imported = results::load_column(atlas_ + "/lavapipe-22.3.6-imported");
  ASSERT_TRUE(asked && imported);
  EXPECT_EQ(imported->images.size(), 169u);
  EXPECT_EQ(imported->buffers, asked->buffers);
  EXPECT_EQ(run({"--import", atlas_ + "/lavapipe-22.3.6", "--import", atlas_ + "/lavapipe-22.3.6"}), 2);
  EXPECT_NE(err_.find("expected folders of different names, found 'lavapipe-22.3.6-imported' twice"),
            std::string::npos);
  EXPECT_EQ(run({"--import", atlas_ + "/none"}), 2);
  EXPECT_NE(err_.find("expected image-sizes.txt or buffer-sizes.txt, found neither"), std::string::npos) << err_;
}

// Chromium's software driver does not tile and its mock driver invents its answers: what holds for every driver that
// lays out images must fail here. Both are replaced weekly, so they are used where they are, and not pinned.
TEST_F(ProbeCommand, tells_chromiums_drivers_from_others) {
  const fs::path chromium = "/usr/lib/chromium";
  if (!fs::exists(chromium / "libvk_swiftshader.so") || !fs::exists(chromium / "libVkICD_mock_icd.so"))
    GTEST_SKIP() << "needs Chromium's Vulkan drivers";
  for (const char* library : {"libvk_swiftshader.so", "libVkICD_mock_icd.so"})
    std::ofstream(dir_ / (std::string(library) + ".json"))
        << R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.0.0", "library_path": ")"
        << (chromium / library).string() << "\"}}";
  ::setenv("VK_DRIVER_FILES",
           fmt::format("{0}/libvk_swiftshader.so.json:{0}/libVkICD_mock_icd.so.json", dir_.string()).c_str(), 1);
  EXPECT_EQ(run({}), 1) << err_;
  const results::DriverCheck same{.kind = "same image storage", .images = {{2, 4096}, {4, 4096}}};
  std::map<std::string, std::optional<bool>> tiles;
  const std::vector<results::DriverColumn> atlas = *results::load_atlas(atlas_);
  for (const results::DriverColumn& column : atlas)
    tiles[column.driver.short_name] = judge::check_claim(same, column, {}).holds;
  EXPECT_EQ(tiles["lavapipe"], std::optional(true));
  EXPECT_EQ(tiles["swiftshader"], std::optional(false));
  EXPECT_NE(err_.find("vulkanmockdevice: breaks the rule that"), std::string::npos) << err_;
  EXPECT_EQ(err_.find("lavapipe-22.3.6: breaks"), std::string::npos) << err_;
}

TEST_F(ProbeCommand, accepts_a_machine_without_a_driver) {
  fs::create_directories(dir_ / "harness/probe");
  fs::copy(root_dir() / "harness/probe/sweeps", dir_ / "harness/probe/sweeps");
  fs::copy_file(root_dir() / "harness/probe/simulated_devices.json", dir_ / "harness/probe/simulated_devices.json");
  for (const auto& package : fs::directory_iterator(dir_ / "lib"))
    if (package.path().filename().string().starts_with("lavapipe-")) fs::remove(package);
  ::setenv("LAB_ROOT", dir_.c_str(), 1);
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(out_, "");
  EXPECT_NE(err_.find("probe: no Vulkan driver on this machine has a device; nothing was written\n"),
            std::string::npos);
  EXPECT_EQ(written(), std::vector<std::string>());
}

// The article's example: a heap of 8 GB, K = 62 and M = 64 MB.
constexpr const char* kExample = R"({"schema": 1, "heap_bytes": 8000000000,
    "images": [{"name": "albedo", "format": "r8g8b8a8 unorm", "usage": ["sampled"], "width": 2048, "height": 2048,
                "count": 10}]})";

TEST_F(ProbeCommand, advises_a_program_and_tells_of_the_articles_erratum) {
  scratch_.write("program.json", kExample);
  const std::string file = dir_ / "program.json";
  EXPECT_EQ(run({"--driver", "lavapipe", "--advise", file}, false), 0) << err_;
  EXPECT_EQ(
      out_.substr(0, out_.find("\n\n")),
      "lavapipe-22.3.6: 2 allocations, 0 of them dedicated: < 0.1 % of maxMemoryAllocationCount, 4,294,967,295\n"
      "heap 0: 8,000,000,000 bytes, as the file says, 258,064,516 of them in allocations (3.2 %)\n"
      "  an allocation: max(M, H / K) = max(64,000,000, 8,000,000,000 / 62 = 129,032,258) = 129,032,258 bytes\n"
      "an erratum of the article: Share of a heap of 8 GB for K = 62: it prints 133,333,333 bytes, but 8e9 / 62 = "
      "129,032,258 (8 GiB: 138,547,332); 133,333,333 is 8e9 / 60");
  EXPECT_EQ(written(), std::vector<std::string>());
  EXPECT_EQ(run({"--driver", "lavapipe", "--advise", file, "--format", "json"}, false), 0) << err_;
  const boost::json::value advice = boost::json::parse(out_);
  EXPECT_EQ(advice.at("column"), "lavapipe-22.3.6");
  EXPECT_EQ(advice.at("buckets").at(0).at("allocation_bytes"), 129032258);
  EXPECT_EQ(advice.at("errata").as_array().size(), 1u);
}

TEST_F(ProbeCommand, advises_for_a_column_of_an_atlas_if_that_was_asked) {
  EXPECT_EQ(run({"--driver", "lavapipe"}), 0) << err_;
  const std::string column = atlas_ + "/lavapipe-22.3.6";
  scratch_.write("program.json", kExample);
  const std::string file = dir_ / "program.json";
  EXPECT_EQ(run({"--advise", file, "--column", column}, false), 0) << err_;
  EXPECT_TRUE(out_.starts_with("lavapipe-22.3.6: 2 allocations, ")) << out_;
  EXPECT_EQ(err_, "") << "a driver was asked";
  scratch_.write("program.json", R"({"schema": 1, "buffers": [
      {"name": "odd", "usage": ["vertex buffer"], "length": 12345}]})");
  EXPECT_EQ(run({"--advise", file, "--column", column}, false), 2);
  EXPECT_EQ(err_,
            "harness: error: column 'lavapipe-22.3.6' was not asked for 'odd' (12345 bytes, vertex buffer)\n"
            "hint: python3 make.py probe --advise " +
                file + " --driver lavapipe-22.3.6\n");
  // What the hint says has an answer.
  EXPECT_EQ(run({"--advise", file, "--driver", "lavapipe-22.3.6"}, false), 0) << err_;

  // A simulated device that nothing simulates here is installed first.
  const fs::path root = root_dir();
  ::setenv("LAB_ROOT", root.c_str(), 1);
  ::setenv("LAB_BUILD", (scratch_.path() / "build/none").c_str(), 1);
  EXPECT_EQ(run({"--advise", file, "--column", root / "results/reference/atlas/anv-25.0.7-hd620-simulated"}, false), 2);
  ::unsetenv("LAB_BUILD");
  ::unsetenv("LAB_ROOT");
  EXPECT_EQ(err_,
            "harness: error: column 'anv-25.0.7-hd620-simulated' was not asked for 'odd' (12345 bytes, vertex "
            "buffer)\nhint: python3 make.py spm install-group simulated-devices && python3 make.py build && "
            "python3 make.py probe --advise " +
                file + " --driver anv-25.0.7-hd620-simulated\n");
}

TEST_F(ProbeCommand, advises_for_the_other_drivers_if_one_crashes) {
  own_driver("crash_instance");
  scratch_.write("program.json", kExample);
  EXPECT_EQ(run({"--advise", dir_ / "program.json"}, false), 1);
  EXPECT_TRUE(out_.starts_with("lavapipe-22.3.6: 2 allocations, ")) << out_;
  EXPECT_NE(err_.find("probe: fake-failed: no advice: SIGSEGV in vkCreateInstance\n"), std::string::npos) << err_;
}

TEST_F(ProbeCommand, rejects_options_that_have_no_use_for_advice) {
  scratch_.write("program.json", kExample);
  const std::string file = dir_ / "program.json";
  EXPECT_EQ(run({"--advise", file}), 2);
  EXPECT_EQ(err_,
            "harness: error: --advise writes no column and asks for the program's resources alone: --out has no use\n"
            "hint: python3 make.py probe --help\n");
  EXPECT_EQ(run({"--advise", file, "--allocate"}, false), 2);
  EXPECT_TRUE(
      err_.ends_with("asks for the program's resources alone: --allocate has no use\n"
                     "hint: python3 make.py probe --help\n"))
      << err_;
  EXPECT_EQ(run({"--advise", file, "--format", "csv"}, false), 2);
  EXPECT_TRUE(err_.starts_with("harness: error: --advise: expected --format json or no --format, found 'csv'\n"))
      << err_;
  EXPECT_EQ(run({"--advise", file, "--column", atlas_, "--driver", "lavapipe"}, false), 2);
  EXPECT_TRUE(err_.starts_with("harness: error: expected --column or --driver, found both\n")) << err_;
  EXPECT_EQ(run({"--column", atlas_}), 2);
  EXPECT_EQ(err_, "harness: error: --column is only for --advise\nhint: probe --advise FILE --column FOLDER\n");
  scratch_.write("program.json", R"({"schema": 1, "textures": []})");
  EXPECT_EQ(run({"--advise", file}, false), 2);
  EXPECT_EQ(err_, "harness: error: reading '" + file + "': the document: unknown field 'textures'\n" +
                      "hint: python3 make.py probe --help\n");
}

TEST_F(ProbeCommand, rejects_errors_with_one_line_and_a_hint) {
  EXPECT_EQ(run({"--format", "jsno"}), 2);
  EXPECT_EQ(err_,
            "harness: error: --format: expected one of csv, json, io7m, found 'jsno'\nhint: did you mean 'json'?\n");
  EXPECT_EQ(run({"--driver", "lavapip3"}), 2);
  EXPECT_TRUE(err_.ends_with("harness: error: no driver is called 'lavapip3'\nhint: did you mean 'lavapipe'?\n"))
      << err_;
  EXPECT_EQ(run({"lavapipe"}), 2);
  EXPECT_EQ(err_, "harness: error: probe takes no argument, found 'lavapipe'\nhint: probe --driver PREFIX\n");
  EXPECT_EQ(run({"--out", ""}), 2);
  EXPECT_EQ(err_, "harness: error: --out needs a value\nhint: --out DIR\n");
  EXPECT_EQ(run({"--sweep", atlas_ + "/none.json"}), 2);
  EXPECT_EQ(err_, "harness: error: opening '" + atlas_ +
                      "/none.json': No such file or directory\n"
                      "hint: python3 make.py probe --help\n");
  EXPECT_EQ(written(), std::vector<std::string>());
}

}  // namespace lab::cli
