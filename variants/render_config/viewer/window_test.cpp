// A window on a screen that is not there: Xvfb, without which these tests are skipped.
#include "variants/render_config/viewer/window.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/layout.h"
#include "harness/base/patience_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/spawn.h"
#include "variants/vulkan/presenter.h"
#include "variants/vulkan/resources.h"
#include "variants/vulkan/staging.h"
#include "variants/vulkan/testing/on_driver.h"

namespace lab::render_config {

namespace {

namespace fs = std::filesystem;

using Kind = WindowEvent::Kind;
using Colour = std::array<std::uint8_t, 4>;  // red, green, blue, opacity

constexpr Colour kOrange{250, 120, 10, 255}, kBlue{10, 60, 240, 255};
constexpr WindowEvent kClosed{Kind::kClosed};

std::string find_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path found = fs::path(folder) / name; fs::exists(found, ignored)) return found;
  return "";
}

// An X server on a free display, on which DISPLAY points to it. It dies with this process.
class XServer {
 public:
  XServer() {
    // Not in the environment of the driver, whose libraries are others.
    SpawnSpec spec{.command = {find_program("Xvfb"), "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten",
                               "tcp", "-noreset"},
                   .environment = {"PATH=/usr/bin:/bin"},
                   .cpu = {}};
    auto spawned = spawn(spec);
    if (!spawned) return;
    process_.emplace(std::move(*spawned));
    std::string display;
    while (display.find('\n') == std::string::npos && drain(process_->output, display)) {
    }
    std::string said;
    if (display.empty()) drain(process_->error, said);
    EXPECT_NE(display, "") << said;
    ::setenv("DISPLAY", fmt::format(":{}", display.substr(0, display.find('\n'))).c_str(), 1);
  }
  ~XServer() { end(); }
  XServer(const XServer&) = delete;
  XServer& operator=(const XServer&) = delete;

  void end() {
    if (process_) end_group(process_->id);
    process_.reset();
  }

 private:
  std::optional<Spawned> process_;
};

// A window manager, or a user, on a connection of its own.
class Peer {
 public:
  Peer() : library_(::dlopen("libxcb.so.1", RTLD_NOW)) {
    EXPECT_NE(library_, nullptr);
    connection_ = call<decltype(&::xcb_connect)>("xcb_connect")(nullptr, nullptr);
  }
  ~Peer() { call<decltype(&::xcb_disconnect)>("xcb_disconnect")(connection_); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void resize(xcb_window_t window, std::uint32_t width, std::uint32_t height) {
    const std::uint32_t values[] = {width, height};
    call<decltype(&::xcb_configure_window)>("xcb_configure_window")(
        connection_, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
    flush();
  }

  void ask_to_close(xcb_window_t window) {
    xcb_client_message_event_t message{};
    message.response_type = XCB_CLIENT_MESSAGE;
    message.format = 32;
    message.window = window;
    message.type = atom("WM_PROTOCOLS");
    message.data.data32[0] = atom("WM_DELETE_WINDOW");
    send(window, XCB_EVENT_MASK_NO_EVENT, message);
  }

  void press(xcb_window_t window, xcb_keycode_t key) {
    xcb_key_press_event_t press{};
    press.response_type = XCB_KEY_PRESS;
    press.detail = key;
    press.event = window;
    send(window, XCB_EVENT_MASK_KEY_PRESS, press);
  }

  // The key with this symbol.
  xcb_keycode_t key_of(xcb_keysym_t symbol) {
    const xcb_setup_t& setup = *call<decltype(&::xcb_get_setup)>("xcb_get_setup")(connection_);
    const auto count = static_cast<std::uint8_t>(setup.max_keycode - setup.min_keycode + 1);
    const auto reply = call<decltype(&::xcb_get_keyboard_mapping_reply)>("xcb_get_keyboard_mapping_reply")(
        connection_,
        call<decltype(&::xcb_get_keyboard_mapping)>("xcb_get_keyboard_mapping")(connection_, setup.min_keycode, count),
        nullptr);
    const auto* const symbols = reinterpret_cast<const xcb_keysym_t*>(reply + 1);
    const auto* const found = std::find(symbols, symbols + reply->length, symbol);
    const auto key = static_cast<xcb_keycode_t>(setup.min_keycode + (found - symbols) / reply->keysyms_per_keycode);
    std::free(reply);
    return key;
  }

  std::string title(xcb_window_t window) {
    const auto cookie = call<decltype(&::xcb_get_property)>("xcb_get_property")(
        connection_, 0, window, atom("_NET_WM_NAME"), XCB_GET_PROPERTY_TYPE_ANY, 0, 100);
    const auto reply =
        call<decltype(&::xcb_get_property_reply)>("xcb_get_property_reply")(connection_, cookie, nullptr);
    if (reply == nullptr) return "no reply";
    const std::string text(reinterpret_cast<const char*>(reply + 1), reply->value_len);
    std::free(reply);
    return text;
  }

  // What is on the screen there; nothing if that cannot be read.
  std::optional<Colour> pixel(xcb_window_t window, std::int16_t x, std::int16_t y) {
    const auto cookie = call<decltype(&::xcb_get_image)>("xcb_get_image")(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP,
                                                                          window, x, y, 1, 1, ~0u);
    const auto reply = call<decltype(&::xcb_get_image_reply)>("xcb_get_image_reply")(connection_, cookie, nullptr);
    if (reply == nullptr) return std::nullopt;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(reply + 1);
    const Colour found{bytes[2], bytes[1], bytes[0], 255};
    std::free(reply);
    return found;
  }

 private:
  template <typename Function>
  Function call(const char* name) {
    return reinterpret_cast<Function>(::dlsym(library_, name));
  }
  void flush() { call<decltype(&::xcb_flush)>("xcb_flush")(connection_); }

  xcb_atom_t atom(std::string_view name) {
    const auto cookie = call<decltype(&::xcb_intern_atom)>("xcb_intern_atom")(
        connection_, 0, static_cast<std::uint16_t>(name.size()), name.data());
    const auto reply = call<decltype(&::xcb_intern_atom_reply)>("xcb_intern_atom_reply")(connection_, cookie, nullptr);
    const xcb_atom_t found = reply->atom;
    std::free(reply);
    return found;
  }

  // An event has 32 bytes.
  template <typename Event>
  void send(xcb_window_t window, std::uint32_t mask, const Event& event) {
    static_assert(sizeof event == 32);
    call<decltype(&::xcb_send_event)>("xcb_send_event")(connection_, 0, window, mask,
                                                        reinterpret_cast<const char*>(&event));
    flush();
  }

  void* library_;
  xcb_connection_t* connection_ = nullptr;
};

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
    if (find_program("Xvfb").empty()) GTEST_SKIP() << "no Xvfb";
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
    Peer peer;
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
    Peer peer;
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
