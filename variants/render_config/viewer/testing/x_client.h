/// For tests of windows: what a window manager or a user does to them, and what is on the screen.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <xcb/xcb.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/layout.h"
#include "variants/render_config/viewer/xcb_functions.h"

namespace lab::render_config {

using Colour = std::array<std::uint8_t, 4>;  ///< red, green, blue, opacity

/// What a window shows, rows from the top.
struct ScreenPicture {
  std::uint32_t width = 0, height = 0;
  std::vector<Colour> pixels;
  const Colour& at(std::uint32_t x, std::uint32_t y) const { return pixels[std::size_t{y} * width + x]; }
};

#define LAB_CALL(function) reinterpret_cast<decltype(&::function)>(::dlsym(library_, #function))

/// A connection of its own to the server that DISPLAY names.
class XClient {
 public:
  XClient() {
    // Opens the pinned library where the machine has none; from then on the linker knows its name.
    EXPECT_TRUE(XcbFunctions::open(lib_dir()));
    library_ = ::dlopen("libxcb.so.1", RTLD_NOW);
    EXPECT_NE(library_, nullptr);
    connection_ = LAB_CALL(xcb_connect)(nullptr, nullptr);
  }
  ~XClient() { LAB_CALL(xcb_disconnect)(connection_); }
  XClient(const XClient&) = delete;
  XClient& operator=(const XClient&) = delete;

  /// The windows of programs that the user can see.
  std::vector<xcb_window_t> windows() {
    const auto root = LAB_CALL(xcb_setup_roots_iterator)(LAB_CALL(xcb_get_setup)(connection_)).data->root;
    const auto tree =
        answer(LAB_CALL(xcb_query_tree_reply)(connection_, LAB_CALL(xcb_query_tree)(connection_, root), nullptr));
    std::vector<xcb_window_t> found;
    if (!tree) return found;
    const auto* const children = reinterpret_cast<const xcb_window_t*>(tree.get() + 1);
    std::copy_if(children, children + tree->children_len, std::back_inserter(found), [&](xcb_window_t window) {
      const auto cookie = LAB_CALL(xcb_get_window_attributes)(connection_, window);
      const auto about = answer(LAB_CALL(xcb_get_window_attributes_reply)(connection_, cookie, nullptr));
      return about && about->map_state == XCB_MAP_STATE_VIEWABLE;
    });
    return found;
  }

  void resize(xcb_window_t window, std::uint32_t width, std::uint32_t height) {
    const std::uint32_t values[] = {width, height};
    LAB_CALL(xcb_configure_window)(connection_, window, XCB_CONFIG_WINDOW_WIDTH | XCB_CONFIG_WINDOW_HEIGHT, values);
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

  /// The key with this symbol.
  xcb_keycode_t key_of(xcb_keysym_t symbol) {
    const xcb_setup_t& setup = *LAB_CALL(xcb_get_setup)(connection_);
    const auto count = static_cast<std::uint8_t>(setup.max_keycode - setup.min_keycode + 1);
    const auto cookie = LAB_CALL(xcb_get_keyboard_mapping)(connection_, setup.min_keycode, count);
    const auto reply = answer(LAB_CALL(xcb_get_keyboard_mapping_reply)(connection_, cookie, nullptr));
    if (!reply) return 0;
    const auto* const symbols = reinterpret_cast<const xcb_keysym_t*>(reply.get() + 1);
    const auto* const found = std::find(symbols, symbols + reply->length, symbol);
    return static_cast<xcb_keycode_t>(setup.min_keycode + (found - symbols) / reply->keysyms_per_keycode);
  }

  std::string title(xcb_window_t window) {
    const auto cookie =
        LAB_CALL(xcb_get_property)(connection_, 0, window, atom("_NET_WM_NAME"), XCB_GET_PROPERTY_TYPE_ANY, 0, 1000);
    const auto reply = answer(LAB_CALL(xcb_get_property_reply)(connection_, cookie, nullptr));
    return reply ? std::string(reinterpret_cast<const char*>(reply.get() + 1), reply->value_len) : "no reply";
  }

  /// What is on the screen there; nothing if that cannot be read.
  std::optional<Colour> pixel(xcb_window_t window, std::int16_t x, std::int16_t y) {
    const auto found = part(window, x, y, 1, 1);
    return found ? std::optional(found->pixels.front()) : std::nullopt;
  }

  /// The whole window; nothing if it has gone or is not whole on the screen.
  std::optional<ScreenPicture> picture(xcb_window_t window) {
    const auto cookie = LAB_CALL(xcb_get_geometry)(connection_, window);
    const auto size = answer(LAB_CALL(xcb_get_geometry_reply)(connection_, cookie, nullptr));
    return size ? part(window, 0, 0, size->width, size->height) : std::nullopt;
  }

 private:
  // libxcb's answers come from malloc.
  template <typename Answer>
  static std::unique_ptr<Answer, decltype(&std::free)> answer(Answer* reply) {
    return {reply, &std::free};
  }

  std::optional<ScreenPicture> part(xcb_window_t window, std::int16_t x, std::int16_t y, std::uint16_t width,
                                    std::uint16_t height) {
    const auto cookie =
        LAB_CALL(xcb_get_image)(connection_, XCB_IMAGE_FORMAT_Z_PIXMAP, window, x, y, width, height, ~0u);
    const auto reply = answer(LAB_CALL(xcb_get_image_reply)(connection_, cookie, nullptr));
    if (!reply) return std::nullopt;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(reply.get() + 1);
    ScreenPicture found{width, height, std::vector<Colour>(std::size_t{width} * height)};
    for (std::size_t i = 0; i < found.pixels.size(); ++i)
      found.pixels[i] = {bytes[4 * i + 2], bytes[4 * i + 1], bytes[4 * i], 255};
    return found;
  }

  void flush() { LAB_CALL(xcb_flush)(connection_); }

  xcb_atom_t atom(std::string_view name) {
    const auto cookie = LAB_CALL(xcb_intern_atom)(connection_, 0, static_cast<std::uint16_t>(name.size()), name.data());
    const auto reply = answer(LAB_CALL(xcb_intern_atom_reply)(connection_, cookie, nullptr));
    return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
  }

  // An event has 32 bytes.
  template <typename Event>
  void send(xcb_window_t window, std::uint32_t mask, const Event& event) {
    static_assert(sizeof event == 32);
    LAB_CALL(xcb_send_event)(connection_, 0, window, mask, reinterpret_cast<const char*>(&event));
    flush();
  }

  void* library_ = nullptr;
  xcb_connection_t* connection_ = nullptr;
};

#undef LAB_CALL

}  // namespace lab::render_config
