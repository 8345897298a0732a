// A window on a screen that is not there: Xvfb, without which these tests are skipped.
#include "variants/render_config/viewer/window.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include "harness/base/layout.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "variants/render_config/viewer/testing/x_client.h"
#include "variants/render_config/viewer/testing/x_server.h"
#include "variants/vulkan/presenter.h"
#include "variants/vulkan/resources.h"
#include "variants/vulkan/staging.h"
#include "variants/vulkan/testing/on_driver.h"

namespace lab::render_config {

namespace {

using Kind = WindowEvent::Kind;

constexpr Colour kOrange{250, 120, 10, 255}, kBlue{10, 60, 240, 255};
constexpr WindowEvent kClosed{Kind::kClosed};

std::vector<WindowEvent> next_events(Window& window) {
  std::vector<WindowEvent> events;
  EXPECT_TRUE(comes_true([&] {
    events = window.poll();
    return !events.empty();
  }));
  return events;
}

class OnScreen : public vulkan::OnDriver {
 protected:
  OnScreen() : OnDriver({.draws = true, .presents = true}) {}

  static void run_there() {
    if (!XServer::is_installed()) GTEST_SKIP() << "needs Xvfb";
    OnDriver::run_there();
  }

  // An image of one colour.
  vulkan::PlacedImage image_of(vulkan::Resources& resources, const Colour& colour) {
    constexpr std::uint32_t kWidth = 64, kHeight = 48;
    auto image = resources.image(
        kWidth, kHeight, VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
        VK_FORMAT_R8G8B8A8_UNORM);
    const auto staging = vulkan::Staging::create(device(), kWidth * kHeight * sizeof colour);
    EXPECT_TRUE(image && staging);
    for (std::size_t i = 0; i < staging->bytes().size(); ++i) staging->bytes()[i] = std::byte{colour[i % 4]};
    EXPECT_TRUE(staging->to(image->image));
    return std::move(*image);
  }
};

}  // namespace

TEST(XcbFunctions, come_from_the_machine_or_from_the_pinned_package_and_without_both_it_is_unfit) {
  const ScratchFolder empty;
  EXPECT_TRUE(XcbFunctions::open(lib_dir(), "libnone.so.1"));
  const auto missing = XcbFunctions::open(empty.path(), "libnone.so.1");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().status, ExitStatus::kUnfit);
  EXPECT_TRUE(missing.error().what.starts_with("opening libxcb: libnone.so.1: ")) << missing.error().what;
  EXPECT_EQ(missing.error().hint, "python3 make.py spm install libxcb");
  EXPECT_EQ(XcbFunctions::open(empty.path(), "libc.so.6").error().what, "libxcb has no function xcb_connect");
}

TEST(Window, of_a_machine_without_an_x_server_is_unfit) {
  const char* const former = std::getenv("DISPLAY");
  const std::string restored = former != nullptr ? former : "";
  ::setenv("DISPLAY", "unix:987", 1);
  const auto wrong = Window::open(100, 100, "");
  ::unsetenv("DISPLAY");
  const auto none = Window::open(100, 100, "");
  if (former != nullptr) ::setenv("DISPLAY", restored.c_str(), 1);
  ASSERT_TRUE(!wrong && !none);
  EXPECT_EQ(wrong.error().status, ExitStatus::kUnfit);
  EXPECT_EQ(wrong.error().what, "no X server answers on DISPLAY 'unix:987'");
  EXPECT_EQ(none.error().status, ExitStatus::kUnfit);
  EXPECT_EQ(none.error().what, "no X server: DISPLAY is not set");
}

TEST_F(OnScreen, a_window_shows_images_follows_its_size_and_is_closed_by_the_window_manager) {
  if (!is_there()) return run_there();
  const XServer server;
  for (const vulkan::Pace pace : {vulkan::Pace::kRefresh, vulkan::Pace::kUnthrottled}) {
    const auto window = Window::open(320, 240, "first");
    ASSERT_TRUE(window) << window.error().what;
    XClient peer;
    vulkan::Resources resources(device());
    const vulkan::PlacedImage orange = image_of(resources, kOrange), blue = image_of(resources, kBlue);
    const auto presenter = vulkan::Presenter::create(device(), {(*window)->connection(), (*window)->window()}, pace);
    ASSERT_TRUE(presenter) << presenter.error().what;
    const auto shows = [&](const vulkan::PlacedImage& image) {
      const auto shown = (*presenter)->present(image.handle(), image.image.width, image.image.height);
      EXPECT_TRUE(shown) << shown.error().what;
      return shown && *shown;
    };
    const auto is_on_screen = [&](std::int16_t x, std::int16_t y, const Colour& colour) {
      return comes_true([&] { return peer.pixel((*window)->window(), x, y) == colour; });
    };
    for (int frame = 0; frame < 10; ++frame) ASSERT_TRUE(shows(frame % 2 == 0 ? blue : orange));
    EXPECT_TRUE(is_on_screen(0, 0, kOrange));
    EXPECT_TRUE(is_on_screen(319, 239, kOrange));
    EXPECT_EQ((*presenter)->swapchains(), 1u);
    EXPECT_EQ((*presenter)->mode() == VK_PRESENT_MODE_FIFO_KHR, pace == vulkan::Pace::kRefresh);

    EXPECT_EQ(peer.title((*window)->window()), "first");
    (*window)->set_title("größer");
    EXPECT_TRUE(comes_true([&] { return peer.title((*window)->window()) == "größer"; }));

    EXPECT_EQ((*window)->poll(), std::vector<WindowEvent>());
    peer.resize((*window)->window(), 500, 400);
    EXPECT_EQ(next_events(**window), (std::vector<WindowEvent>{{Kind::kResized, 500, 400}}));
    (*presenter)->resized();
    for (int frame = 0; frame < 3; ++frame) ASSERT_TRUE(shows(blue));
    EXPECT_EQ((*presenter)->width(), 500u);
    EXPECT_EQ((*presenter)->height(), 400u);
    EXPECT_EQ((*presenter)->swapchains(), 2u);
    EXPECT_TRUE(is_on_screen(499, 399, kBlue));

    // Nobody says that it has another size: the driver notices, or shows a part.
    peer.resize((*window)->window(), 90, 70);
    EXPECT_EQ(next_events(**window), (std::vector<WindowEvent>{{Kind::kResized, 90, 70}}));
    for (int frame = 0; frame < 5; ++frame) static_cast<void>(shows(orange));
    EXPECT_TRUE(is_on_screen(89, 69, kOrange));

    peer.ask_to_close((*window)->window());
    EXPECT_EQ(next_events(**window), (std::vector<WindowEvent>{kClosed}));
    EXPECT_EQ((*window)->poll(), (std::vector<WindowEvent>{kClosed}));
  }
}

TEST_F(OnScreen, escape_and_q_close_a_window_and_another_key_does_not) {
  if (!is_there()) return run_there();
  const XServer server;
  for (const xcb_keysym_t symbol : {xcb_keysym_t{0xff1b}, xcb_keysym_t{'q'}}) {
    const auto window = Window::open(100, 80, "keys");
    ASSERT_TRUE(window) << window.error().what;
    XClient peer;
    peer.press((*window)->window(), peer.key_of('w'));
    // After the key, so that this is not too early to tell.
    peer.resize((*window)->window(), 120, 80);
    EXPECT_EQ(next_events(**window), (std::vector<WindowEvent>{{Kind::kResized, 120, 80}}));
    peer.press((*window)->window(), peer.key_of(symbol));
    EXPECT_EQ(next_events(**window), (std::vector<WindowEvent>{kClosed}));
  }
}

TEST_F(OnScreen, a_window_is_closed_when_the_x_server_goes_and_presenting_is_an_error) {
  if (!is_there()) return run_there();
  XServer server;
  const auto window = Window::open(100, 80, "gone");
  ASSERT_TRUE(window) << window.error().what;
  vulkan::Resources resources(device());
  const vulkan::PlacedImage blue = image_of(resources, kBlue);
  const auto presenter =
      vulkan::Presenter::create(device(), {(*window)->connection(), (*window)->window()}, vulkan::Pace::kUnthrottled);
  ASSERT_TRUE(presenter) << presenter.error().what;
  ASSERT_TRUE((*presenter)->present(blue.handle(), 64, 48));
  server.end();
  EXPECT_EQ(next_events(**window), (std::vector<WindowEvent>{kClosed}));
  (*window)->set_title("nobody reads it");
  EXPECT_TRUE(comes_true([&] { return !(*presenter)->present(blue.handle(), 64, 48); }));
  (*presenter)->resized();
  EXPECT_FALSE((*presenter)->present(blue.handle(), 64, 48));
}

}  // namespace lab::render_config
