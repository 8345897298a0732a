#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/scratch_folder.h"
#include "harness/cli/captured_test.h"
#include "harness/cli/commands.h"
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
  }
  void TearDown() override {
    for (const char* name : {"VK_DRIVER_FILES", "LAB_ROOT", "ASAN_OPTIONS", "TSAN_OPTIONS"}) ::unsetenv(name);
  }

  void own_driver(const std::string& behaviour) const {
    fs::remove(dir_ / (behaviour + ".so"));
    fs::create_symlink(build_dir() / "tests/fake_icd.so", dir_ / (behaviour + ".so"));
    std::ofstream(dir_ / "fake.json") << R"({"file_format_version": "1.0.0", "ICD": {"api_version": "1.2.0",
        "library_path": "./)" << behaviour
                                      << ".so\"}}";
  }

  // The exit status; what was printed is in out_ and err_.
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"probe", "--out", atlas_});
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

TEST_F(ProbeCommand, writes_a_folder_for_each_column_and_prints_it) {
  EXPECT_EQ(run({}), 0) << err_;
  EXPECT_EQ(out_, atlas_ + "/lavapipe-22.3.6\n");
  EXPECT_EQ(written(), (std::vector<std::string>{"lavapipe-22.3.6", "lavapipe-22.3.6/buffers.csv",
                                                 "lavapipe-22.3.6/column.json", "lavapipe-22.3.6/images.csv"}));
  EXPECT_NE(err_.find("fake.json: no device\n"), std::string::npos) << err_;
}

TEST_F(ProbeCommand, writes_the_articles_files_on_request) {
  EXPECT_EQ(run({"--format", "io7m", "--driver", "lavapipe"}), 0) << err_;
  EXPECT_EQ(written(), (std::vector<std::string>{"lavapipe-22.3.6", "lavapipe-22.3.6/buffer-sizes.txt",
                                                 "lavapipe-22.3.6/buffers.csv", "lavapipe-22.3.6/column.json",
                                                 "lavapipe-22.3.6/image-sizes.txt", "lavapipe-22.3.6/images.csv"}));
  EXPECT_TRUE(
      read_file(atlas_ + "/lavapipe-22.3.6/image-sizes.txt")->starts_with("# Width Height Size Alignment\n1 1 "));
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

TEST_F(ProbeCommand, accepts_a_machine_without_a_driver) {
  fs::create_directories(dir_ / "lib");
  fs::create_directories(dir_ / "harness/probe");
  fs::copy_file(root_dir() / "harness/probe/sweeps.json", dir_ / "harness/probe/sweeps.json");
  for (const auto& entry : fs::directory_iterator(root_dir() / "lib"))
    if (entry.path().filename().string().starts_with("vulkan-loader-"))
      fs::create_directory_symlink(fs::canonical(entry.path()), dir_ / "lib" / entry.path().filename());
  ::setenv("LAB_ROOT", dir_.c_str(), 1);
  EXPECT_EQ(run({}), 0);
  EXPECT_EQ(out_, "");
  EXPECT_NE(err_.find("probe: no Vulkan driver on this machine has a device; nothing was written\n"),
            std::string::npos);
  EXPECT_EQ(written(), std::vector<std::string>());
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
