// The viewer as users start it: in a window of Xvfb, and without a display. Skipped without the pinned driver, and
// those with a window without Xvfb.
#include "variants/render_config/viewer/viewer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/child.h"
#include "harness/base/files.h"
#include "harness/base/layout.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/spawn.h"
#include "harness/base/vulkan_driver.h"
#include "harness/bench/exhibits.h"
#include "variants/render_config/engine/overlay.h"
#include "variants/render_config/viewer/testing/x_client.h"
#include "variants/render_config/viewer/testing/x_server.h"
#include "variants/vulkan/driver_process.h"

namespace lab::render_config {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::uint32_t kWidth = 320, kHeight = 180;
constexpr const char* kViewer = LAB_BUILD_DIR "/render_config_view";

// Its image depends on no time, and every pixel is known: red is x, green is y, both modulo 256. So one that was
// scaled, moved or cut differs.
constexpr const char* kPattern = R"({
  "shader_libraries": ["pattern_library.json"],
  "settings": {"blue": 0.2},
  "global_resources": {"image": {"format": "rgba8"}},
  "resource_generators": {
    "all": [{"fullscreen": "pattern", "constants": {"blue": "$blue"}, "targets": ["image"]}]
  },
  "frame": ["all"],
  "output": "image"
}
)";
constexpr const char* kPatternLibrary =
    R"({"shaders": {"pattern": {"vertex": "shaders/fullscreen.vert", "fragment": "pattern.frag"}}})";
constexpr const char* kPatternShader = R"(#version 450
#extension GL_GOOGLE_include_directive : require
#define PASS_CONSTANTS float blue;
#include "shaders/frame.glsl"
layout(location = 0) out vec4 shown;
void main() { shown = vec4(mod(floor(gl_FragCoord.xy), 256.0) / 255.0, pass.blue, 1.0); }
)";
constexpr Colour kDark{13, 13, 20, 255};  // before any configuration

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

ScreenPicture plain(std::uint32_t width, std::uint32_t height, const Colour& colour) {
  return {width, height, std::vector<Colour>(std::size_t{width} * height, colour)};
}

ScreenPicture pattern(std::uint32_t width, std::uint32_t height, std::uint8_t blue) {
  ScreenPicture made = plain(width, height, {0, 0, blue, 255});
  for (std::size_t i = 0; i < made.pixels.size(); ++i) {
    made.pixels[i][0] = static_cast<std::uint8_t>(i % width);
    made.pixels[i][1] = static_cast<std::uint8_t>(i / width);
  }
  return made;
}

// With white text on a dark box in the upper left corner.
ScreenPicture under_text(ScreenPicture picture, const Words& lines) {
  const std::vector<Rectangle> rectangles = text_rectangles(lines, picture.width, picture.height);
  for (std::size_t i = 0; i < rectangles.size(); ++i) {
    const auto [left, top, right, bottom] = rectangles[i];
    for (auto y = static_cast<std::uint32_t>(top); y < std::min(static_cast<std::uint32_t>(bottom), picture.height);
         ++y)
      for (auto x = static_cast<std::uint32_t>(left); x < std::min(static_cast<std::uint32_t>(right), picture.width);
           ++x)
        for (std::size_t channel = 0; channel < 3; ++channel) {
          std::uint8_t& value = picture.pixels[std::size_t{y} * picture.width + x][channel];
          value = i == 0 ? static_cast<std::uint8_t>(value * 0.4 + 0.5) : std::uint8_t{255};
        }
  }
  return picture;
}

// But for rounding.
bool is_same(const ScreenPicture& a, const ScreenPicture& b) {
  return a.width == b.width && a.height == b.height &&
         std::ranges::equal(a.pixels, b.pixels, [](const Colour& one, const Colour& other) {
           for (std::size_t i = 0; i < one.size(); ++i)
             if (std::abs(one[i] - other[i]) > 1) return false;
           return true;
         });
}

bool is_grey(const ScreenPicture& picture) {
  return std::ranges::all_of(picture.pixels, [](const Colour& colour) {
    const auto [least, most] = std::minmax({colour[0], colour[1], colour[2]});
    return most - least <= 1;
  });
}

std::size_t colours_of(const ScreenPicture& picture) {
  std::vector<Colour> found = picture.pixels;
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found.size();
}

std::string png(const ScreenPicture& picture) {
  bench::Picture made{picture.width, picture.height, 3, {}};
  for (const Colour& colour : picture.pixels) made.pixels.insert(made.pixels.end(), colour.begin(), colour.begin() + 3);
  return bench::png_of(made);
}

std::string content_of(const fs::path& file) {
  const auto text = read_file(file);
  return text ? *text : "";
}

// What it said, without what differs from run to run.
std::string tidy(std::string text, const fs::path& folder) {
  text = replaced(std::move(text), folder.string(), "DIR");
  for (std::size_t at = 0; (at = text.find(" in ", at)) != std::string::npos; ++at)
    if (text.substr(0, at).ends_with("view: loaded")) text.erase(at, text.find('\n', at) - at);
  return text;
}

// A driver's leaks and locks are its own.
EnvironmentVariables environment_with(const std::optional<std::string>& display) {
  EnvironmentVariables environment = current_environment();
  environment.erase("DISPLAY");
  if (display) environment["DISPLAY"] = *display;
  environment.emplace("ASAN_OPTIONS", "detect_leaks=0");
  environment.emplace("TSAN_OPTIONS", "ignore_noninstrumented_modules=1:detect_deadlocks=0");
  return environment;
}

Words words_of(const EnvironmentVariables& environment) {
  Words words;
  for (const auto& [name, value] : environment) words.push_back(fmt::format("{}={}", name, value));
  return words;
}

// One that runs beside the test.
class RunningViewer {
 public:
  RunningViewer(Words command, fs::path folder, const std::optional<std::string>& display = {})
      : folder_(std::move(folder)) {
    auto spawned = spawn({.command = std::move(command),
                          .environment = words_of(environment_with(display)),
                          .cpu = {},
                          .core_dump = false});
    if (!spawned) std::abort();
    process_.emplace(std::move(*spawned));
    for (const File* const file : {&process_->output, &process_->error}) ::fcntl(file->get(), F_SETFL, O_NONBLOCK);
  }
  ~RunningViewer() {
    if (process_) end_group(process_->id);
  }
  RunningViewer(const RunningViewer&) = delete;
  RunningViewer& operator=(const RunningViewer&) = delete;

  std::string output() { return read(process_->output, output_); }
  std::string errors() { return read(process_->error, errors_); }
  void read_no_output() { process_->output.close(); }
  void read_no_errors() { process_->error.close(); }
  void signal(int number) const { ::kill(process_->id, number); }
  bool has_ended() const { return lab::has_ended(process_->id); }

  // Whether it becomes so before the viewer has ended.
  template <typename Condition>
  testing::AssertionResult comes(Condition condition) {
    bool met = false;
    comes_true([&] { return (met = condition()) || has_ended(); });
    if (met || condition()) return testing::AssertionSuccess();
    return testing::AssertionFailure() << (has_ended() ? "it has ended" : "no patience is left") << "; it said:\n"
                                       << (process_->error.get() < 0 ? "" : errors());
  }
  testing::AssertionResult says(const std::string& all) {
    return comes([&] { return errors() == all; });
  }
  testing::AssertionResult writes(const std::string& all) {
    return comes([&] { return output() == all; });
  }

  // Its exit status once it ends; negative: the signal that ended it.
  int end() {
    EXPECT_TRUE(comes_true([&] { return has_ended(); }));
    if (process_->error.get() >= 0) errors();
    if (process_->output.get() >= 0) output();
    const int status = end_group(process_->id);
    process_.reset();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  // After the end.
  std::string said() const { return tidy(errors_, folder_); }

 private:
  std::string read(const File& file, std::string& all) const {
    for (std::size_t before = all.size() + 1; before != all.size();) {
      before = all.size();
      drain(file, all);
    }
    return tidy(all, folder_);
  }

  fs::path folder_;
  std::optional<Spawned> process_;
  std::string output_, errors_;
};

// A folder with the family's configurations and the pattern.
class ViewerWithoutDisplay : public testing::Test {
 protected:
  void SetUp() override {
    if (!vulkan::has_pinned_driver()) GTEST_SKIP() << "needs the package lavapipe";
    fs::copy(LAB_SOURCE_DIR "/variants/render_config/configurations", path(""), fs::copy_options::recursive);
    edit("pattern.json", kPattern);
    edit("pattern_library.json", kPatternLibrary);
    edit("pattern.frag", kPatternShader);
  }

  fs::path path(const std::string& name) const { return folder_.path() / name; }

  // At once, so that no moment has half a file.
  void edit(const std::string& name, const std::string& text) const {
    const auto written = write_file(path(name), text);
    EXPECT_TRUE(written) << written.error().what;
  }
  void replace(const std::string& name, const std::string& what, const std::string& with) const {
    const std::string text = content_of(path(name));
    EXPECT_NE(text.find(what), std::string::npos) << name;
    edit(name, replaced(text, what, with));
  }

  Words command(const std::string& config, Words more = {}) const {
    Words words{kViewer, path(config), "--size", fmt::format("{}x{}", kWidth, kHeight)};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  struct Run {
    int status = 0;  // negative: the signal that ended it
    std::string output, errors;
    bool operator==(const Run&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Run& run) {
      return out << run.status << "\n" << run.output << run.errors;
    }
  };
  Run run(Words words, const std::optional<std::string>& display = {}) const {
    ChildSpec spec{.command = std::move(words), .cpu = {}, .environment = words_of(environment_with(display))};
    spec.inherits_environment = false;
    spec.core_dump = false;
    spec.timeout_seconds = kPatience;
    const ChildOutcome outcome = run_child(spec);
    return {outcome.end == ChildEnd::kExited ? outcome.code : -outcome.code, tidy(outcome.output, folder_.path()),
            tidy(outcome.error_tail, folder_.path())};
  }
  Run write_frames(const std::string& config, Words more = {}) const {
    Words words = command(config, {"--display", "none", "--out", path("out")});
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  }

  const fs::path& folder() const { return folder_.path(); }

 private:
  ScratchFolder folder_;
};

class ViewerOnScreen : public ViewerWithoutDisplay {
 protected:
  void SetUp() override {
    if (!XServer::is_installed()) GTEST_SKIP() << "needs Xvfb";
    ViewerWithoutDisplay::SetUp();
  }
  void TearDown() override { ::unsetenv("DISPLAY"); }
};

// A window, as the user sees it.
struct Screen {
  XServer server;
  XClient client;

  xcb_window_t window_of(RunningViewer& viewer) {
    EXPECT_TRUE(viewer.comes([&] { return client.windows().size() == 1; }));
    const auto windows = client.windows();
    return windows.empty() ? xcb_window_t{XCB_WINDOW_NONE} : windows.front();
  }
  testing::AssertionResult shows(RunningViewer& viewer, xcb_window_t window,
                                 const std::function<bool(const ScreenPicture&)>& condition) {
    return viewer.comes([&] {
      const auto picture = client.picture(window);
      return picture && condition(*picture);
    });
  }
  testing::AssertionResult shows(RunningViewer& viewer, xcb_window_t window, const ScreenPicture& expected) {
    return shows(viewer, window, [&](const ScreenPicture& found) { return is_same(found, expected); });
  }
};

}  // namespace

TEST_F(ViewerOnScreen, a_window_follows_the_files_and_its_size_and_shows_what_is_wrong_over_the_last_good_image) {
  Screen screen;
  RunningViewer viewer(command("pattern.json"), folder(), screen.server.display());
  const xcb_window_t window = screen.window_of(viewer);
  EXPECT_TRUE(screen.shows(viewer, window, pattern(kWidth, kHeight, 51)));
  std::string said = "view: loaded\n";
  EXPECT_TRUE(viewer.says(said));

  replace("pattern.json", R"("blue": 0.2)", R"("blue": 0.4)");
  EXPECT_TRUE(screen.shows(viewer, window, pattern(kWidth, kHeight, 102)));
  said += "view: loaded\n";
  EXPECT_TRUE(viewer.says(said));

  replace("pattern.json", R"("blue": "$blue")", R"("blue": ["$blue", {}])");
  const std::string broken = ":6: expected a number from -1000000000 to 1000000000, found an object";
  said += "view: error: DIR/pattern.json" + broken + "\n";
  EXPECT_TRUE(viewer.says(said));
  const Words lines{path("pattern.json").string() + broken};
  EXPECT_TRUE(screen.shows(viewer, window, under_text(pattern(kWidth, kHeight, 102), lines)));

  // It is still broken, but the image is one of the new size.
  screen.client.resize(window, 200, 300);
  EXPECT_TRUE(screen.shows(viewer, window, under_text(pattern(200, 300, 102), lines)));

  edit("pattern.json", kPattern);
  EXPECT_TRUE(screen.shows(viewer, window, pattern(200, 300, 51)));
  said += "view: loaded\n";
  EXPECT_TRUE(viewer.says(said));
  screen.client.resize(window, 437, 263);
  EXPECT_TRUE(screen.shows(viewer, window, pattern(437, 263, 51)));

  // Both at once.
  viewer.signal(SIGSTOP);
  screen.client.resize(window, 310, 290);
  edit("pattern.frag", replaced(kPatternShader, "shown = ", "shwn = "));
  viewer.signal(SIGCONT);
  const std::string undeclared = ":6: expected GLSL, found: 'shwn' : undeclared identifier";
  said += "view: error: DIR/pattern.frag" + undeclared + "\n";
  EXPECT_TRUE(viewer.says(said));
  EXPECT_TRUE(
      screen.shows(viewer, window, under_text(pattern(310, 290, 51), {path("pattern.frag").string() + undeclared})));

  screen.client.ask_to_close(window);
  EXPECT_EQ(viewer.end(), 0);
  EXPECT_EQ(viewer.said(), said);
}

TEST_F(ViewerOnScreen, the_scene_changes_with_settings_configurations_and_shaders) {
  Screen screen;
  RunningViewer viewer(command("settings.json"), folder(), screen.server.display());
  const xcb_window_t window = screen.window_of(viewer);
  EXPECT_TRUE(screen.shows(viewer, window,
                           [](const ScreenPicture& found) { return !is_grey(found) && colours_of(found) > 1000; }));

  edit("settings.json", R"({"render_config": "greyscale/greyscale.json", "settings": {"greyscale_amount": 1}})");
  EXPECT_TRUE(screen.shows(viewer, window,
                           [](const ScreenPicture& found) { return is_grey(found) && colours_of(found) > 50; }));

  edit("settings.json", R"({"render_config": "forward.json", "settings": {"exposure": 0}})");
  EXPECT_TRUE(screen.shows(viewer, window, plain(kWidth, kHeight, {0, 0, 0, 255})));

  std::string said = "view: loaded\nview: loaded\nview: loaded\n";
  EXPECT_TRUE(viewer.says(said));
  const std::string shader = content_of(path("shaders/show.frag"));
  edit("shaders/show.frag", replaced(shader, "light *= pass.exposure;", "light *= pass.exposre;"));
  const auto before = shader.begin() + static_cast<std::ptrdiff_t>(shader.find("light *="));
  const std::string what = fmt::format(":{}: expected GLSL, found: 'exposre' : no such field in structure 'pass'",
                                       1 + std::count(shader.begin(), before, '\n'));
  EXPECT_TRUE(viewer.says(said + "view: error: DIR/shaders/show.frag" + what + "\n"));
  const ScreenPicture black = plain(kWidth, kHeight, {0, 0, 0, 255});
  EXPECT_TRUE(screen.shows(viewer, window, under_text(black, {path("shaders/show.frag").string() + what})));
  edit("shaders/show.frag", shader);
  EXPECT_TRUE(screen.shows(viewer, window, black));
  viewer.signal(SIGINT);
  EXPECT_EQ(viewer.end(), 0);
}

TEST_F(ViewerOnScreen, a_configuration_that_is_broken_from_the_start_is_a_text_on_a_dark_window_until_it_is_mended) {
  edit("pattern.json", replaced(kPattern, "\"fullscreen\": \"pattern\"", "\"fullscreen\": \"patern\""));
  Screen screen;
  RunningViewer viewer(command("pattern.json"), folder(), screen.server.display());
  const xcb_window_t window = screen.window_of(viewer);
  const std::string what = ":6: expected a shader (pattern), found 'patern'", hint = "did you mean 'pattern'?";
  std::string said = fmt::format("view: error: DIR/pattern.json{}\nhint: {}\n", what, hint);
  EXPECT_TRUE(viewer.says(said));
  const Words lines{path("pattern.json").string() + what, hint};
  EXPECT_TRUE(screen.shows(viewer, window, under_text(plain(kWidth, kHeight, kDark), lines)));
  screen.client.resize(window, 500, 100);
  EXPECT_TRUE(screen.shows(viewer, window, under_text(plain(500, 100, kDark), lines)));
  edit("pattern.json", kPattern);
  EXPECT_TRUE(screen.shows(viewer, window, pattern(500, 100, 51)));
  said += "view: loaded\n";
  EXPECT_TRUE(viewer.says(said));
  screen.client.press(window, screen.client.key_of('q'));
  EXPECT_EQ(viewer.end(), 0);
}

TEST_F(ViewerOnScreen, it_ends_by_itself_when_the_x_server_goes) {
  for (const bool broken : {false, true}) {
    edit("pattern.json", broken ? "{" : kPattern);
    Screen screen;
    RunningViewer viewer(command("pattern.json"), folder(), screen.server.display());
    const xcb_window_t window = screen.window_of(viewer);
    EXPECT_TRUE(screen.shows(viewer, window, [&](const ScreenPicture& found) {
      return broken ? colours_of(found) > 2 : is_same(found, pattern(kWidth, kHeight, 51));
    }));
    screen.server.end();
    EXPECT_EQ(viewer.end(), 0);
    EXPECT_EQ(viewer.said(), broken ? "view: error: DIR/pattern.json:1: expected more JSON, found the end of the file\n"
                                    : "view: loaded\n");
  }
}

TEST_F(ViewerOnScreen, a_signal_ends_a_view_without_an_end_well_and_interrupts_one_that_owes_frames) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    for (const bool owes : {false, true}) {
      Screen screen;
      RunningViewer viewer(command("pattern.json", owes ? Words{"--frames", "1000000000"} : Words{}), folder(),
                           screen.server.display());
      const xcb_window_t window = screen.window_of(viewer);
      EXPECT_TRUE(screen.shows(viewer, window, pattern(kWidth, kHeight, 51)));
      EXPECT_TRUE(viewer.says("view: loaded\n"));
      viewer.signal(signal);
      EXPECT_EQ(viewer.end(), owes ? 130 : 0);
      EXPECT_EQ(viewer.said(), owes ? "view: loaded\nview: error: interrupted\n" : "view: loaded\n");
    }
}

TEST_F(ViewerOnScreen, it_goes_on_when_nobody_reads_its_messages) {
  Screen screen;
  RunningViewer viewer(command("pattern.json"), folder(), screen.server.display());
  const xcb_window_t window = screen.window_of(viewer);
  viewer.read_no_errors();
  EXPECT_TRUE(screen.shows(viewer, window, pattern(kWidth, kHeight, 51)));
  edit("pattern.json", "{");
  EXPECT_TRUE(screen.shows(viewer, window, [](const ScreenPicture& found) {
    return found.at(0, 0) == Colour{0, 0, 20, 255} && found.at(kWidth - 1, kHeight - 1) == Colour{63, 179, 51, 255};
  }));
  edit("pattern.json", replaced(kPattern, "0.2", "0.4"));
  EXPECT_TRUE(screen.shows(viewer, window, pattern(kWidth, kHeight, 102)));
  screen.client.ask_to_close(window);
  EXPECT_EQ(viewer.end(), 0);
}

TEST_F(ViewerOnScreen, a_number_of_frames_counts_and_writes_those_of_the_configuration_alone) {
  const XServer server;
  const auto in_window = [&] {
    return run(command("pattern.json", {"--frames", "2", "--out", path("out")}), server.display());
  };
  EXPECT_EQ(in_window(), (Run{0, "DIR/out/frame-0000.png\nDIR/out/frame-0001.png\n", "view: loaded\n"}));
  for (const char* const name : {"out/frame-0000.png", "out/frame-0001.png"})
    EXPECT_EQ(content_of(path(name)), png(pattern(kWidth, kHeight, 51)));
  fs::remove_all(path("out"));
  edit("pattern.json", "[]");
  EXPECT_EQ(in_window(), (Run{2, "",
                              "view: error: DIR/pattern.json:1: expected an object, found an array\n"
                              "hint: python3 make.py view --help\n"}));
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(ViewerWithoutDisplay, frames_are_files_whose_paths_are_announced) {
  EXPECT_EQ(write_frames("pattern.json", {"--frames", "3"}),
            (Run{0, "DIR/out/frame-0000.png\nDIR/out/frame-0001.png\nDIR/out/frame-0002.png\n", "view: loaded\n"}));
  for (const char* const name : {"out/frame-0000.png", "out/frame-0001.png", "out/frame-0002.png"})
    EXPECT_EQ(content_of(path(name)), png(pattern(kWidth, kHeight, 51))) << name;
  EXPECT_EQ(std::distance(fs::directory_iterator(path("out")), fs::directory_iterator()), 3);
}

TEST_F(ViewerWithoutDisplay, the_scene_moves_and_each_run_has_the_same_frames) {
  std::vector<std::string> frames;
  for (int pass = 0; pass < 2; ++pass) {
    EXPECT_EQ(write_frames("settings.json", {"--frames", "3"}).status, 0);
    for (const char* const name : {"out/frame-0000.png", "out/frame-0001.png", "out/frame-0002.png"})
      frames.push_back(content_of(path(name)));
    fs::remove_all(path("out"));
  }
  EXPECT_EQ(frames[0].substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_NE(frames[0], frames[1]);
  EXPECT_NE(frames[1], frames[2]);
  EXPECT_TRUE(std::equal(frames.begin(), frames.begin() + 3, frames.begin() + 3));
}

TEST_F(ViewerWithoutDisplay, one_frame_is_written_where_no_x_server_answers) {
  const std::string end = "; frames are written as files\nview: loaded\n", file = "DIR/out/frame-0000.png\n";
  EXPECT_EQ(run(command("pattern.json", {"--out", path("out")})),
            (Run{0, file, "view: no X server: DISPLAY is not set" + end}));
  EXPECT_EQ(run(command("pattern.json", {"--out", path("out")}), "unix:987"),
            (Run{0, file, "view: no X server answers on DISPLAY 'unix:987'" + end}));
}

TEST_F(ViewerWithoutDisplay, frames_without_a_folder_lie_in_the_build_folder_and_not_in_the_working_folder) {
  const fs::path file = place_in_build(build_dir(), "view/pattern/frame-0000.png");
  fs::remove(file);
  EXPECT_EQ(run(command("pattern.json", {"--display", "none"})), (Run{0, file.string() + "\n", "view: loaded\n"}));
  EXPECT_EQ(content_of(file), png(pattern(kWidth, kHeight, 51)));
  EXPECT_FALSE(fs::exists("frame-0000.png"));
}

TEST_F(ViewerWithoutDisplay, a_file_follows_the_configuration_until_a_signal_comes) {
  RunningViewer viewer(command("pattern.json", {"--display", "none", "--frames", "0", "--out", path("out")}), folder());
  std::string written = "DIR/out/frame.png\n", said = "view: loaded\n";
  EXPECT_TRUE(viewer.writes(written));
  EXPECT_EQ(content_of(path("out/frame.png")), png(pattern(kWidth, kHeight, 51)));
  EXPECT_TRUE(viewer.says(said));

  replace("pattern.json", R"("blue": 0.2)", R"("blue": 0.4)");
  EXPECT_TRUE(viewer.writes(written += "DIR/out/frame.png\n"));
  EXPECT_EQ(content_of(path("out/frame.png")), png(pattern(kWidth, kHeight, 102)));
  EXPECT_TRUE(viewer.says(said += "view: loaded\n"));

  edit("pattern.json", "[]");
  EXPECT_TRUE(viewer.writes(written += "DIR/out/frame.png\n"));
  EXPECT_NE(content_of(path("out/frame.png")), png(pattern(kWidth, kHeight, 102)));
  EXPECT_TRUE(viewer.says(said += "view: error: DIR/pattern.json:1: expected an object, found an array\n"));

  fs::remove(path("pattern.json"));
  EXPECT_TRUE(viewer.writes(written += "DIR/out/frame.png\n"));
  EXPECT_TRUE(viewer.says(said += "view: error: DIR/pattern.json: No such file or directory\n"));

  edit("pattern.json", kPattern);
  EXPECT_TRUE(viewer.says(said += "view: loaded\n"));
  EXPECT_TRUE(viewer.comes([&] { return content_of(path("out/frame.png")) == png(pattern(kWidth, kHeight, 51)); }));
  viewer.signal(SIGTERM);
  EXPECT_EQ(viewer.end(), 0);
  EXPECT_EQ(viewer.said(), said);
}

TEST_F(ViewerWithoutDisplay, a_configuration_that_cannot_be_read_is_one_error_and_no_file) {
  const auto fails = [&](const std::string& config, const std::string& what) {
    EXPECT_EQ(write_frames(config),
              (Run{2, "", fmt::format("view: error: {}\nhint: python3 make.py view --help\n", what)}))
        << config;
    EXPECT_FALSE(fs::exists(path("out")));
  };
  edit("empty.json", "");
  edit("broken.json", "{\n  \"frame\": [\"deferred\"\n}\n");
  edit("shaderless.json", replaced(kPattern, "pattern_library.json", "none.json"));
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  fails("none.json", "DIR/none.json: No such file or directory");
  fails("shaders", "DIR/shaders: not a regular file");
  fails("pipe", "DIR/pipe: not a regular file");
  fails("/dev/null", "/dev/null: not a regular file");
  fails("empty.json", "DIR/empty.json:1: expected an object, found an empty file");
  fails("broken.json", "DIR/broken.json:3: expected JSON, found: syntax error");
  fails("shaderless.json",
        "DIR/shaderless.json:2: expected a shader library, found no 'DIR/none.json': No such file or directory");
}

TEST_F(ViewerWithoutDisplay, a_path_may_have_spaces_and_letters_of_any_language) {
  const fs::path there = path("größe und Farbe 色");
  fs::create_directory(there);
  for (const char* const name : {"shaders", "pattern.json", "pattern_library.json", "pattern.frag"})
    fs::copy(path(name), there / name, fs::copy_options::recursive);
  EXPECT_EQ(run({kViewer, there / "pattern.json", "--display=none", "--size=64x48", "--out", there / "out put"}),
            (Run{0, "DIR/größe und Farbe 色/out put/frame-0000.png\n", "view: loaded\n"}));
  EXPECT_EQ(content_of(there / "out put/frame-0000.png"), png(pattern(64, 48, 51)));
}

TEST_F(ViewerWithoutDisplay, a_frame_that_cannot_be_written_is_an_error) {
  const std::string help = "hint: python3 make.py view --help\n";
  edit("file", "");
  EXPECT_EQ(run(command("pattern.json", {"--display", "none", "--out", path("file/out")})),
            (Run{2, "", "view: loaded\nview: error: creating 'DIR/file/out': Not a directory\n" + help}));
  fs::create_directories(path("folder/frame-0000.png"));
  EXPECT_EQ(run(command("pattern.json", {"--display", "none", "--out", path("folder")})),
            (Run{2, "", "view: loaded\nview: error: writing 'DIR/folder/frame-0000.png': Is a directory\n" + help}));
  // Always full.
  fs::create_directory(path("full"));
  fs::create_symlink("/dev/full", path("full/frame-0000.png"));
  EXPECT_EQ(run(command("pattern.json", {"--display", "none", "--out", path("full")})),
            (Run{1, "",
                 "view: loaded\nview: error: writing '/dev/full': No space left on device\n"
                 "hint: free some space on the disk of /dev\n"}));
  Words words{"sh", "-c", "exec \"$0\" \"$@\" >/dev/full"};
  for (const std::string& word : command("pattern.json", {"--display", "none", "--out", path("out")}))
    words.push_back(word);
  EXPECT_EQ(run(words),
            (Run{1, "", "view: loaded\nview: error: writing to standard output: No space left on device\n"}));
}

TEST_F(ViewerWithoutDisplay, it_ends_silently_when_nobody_reads_the_paths) {
  // Signals of a pipe are ignored once a window was tried.
  RunningViewer viewer(command("pattern.json", {"--out", path("out"), "--frames", "1000000000"}), folder(), "unix:987");
  viewer.read_no_output();
  EXPECT_EQ(viewer.end(), 141);
  EXPECT_EQ(viewer.said(),
            "view: no X server answers on DISPLAY 'unix:987'; frames are written as files\nview: loaded\n");
}

}  // namespace lab::render_config
