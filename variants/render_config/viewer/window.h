/// A window of an X server. Nothing links libxcb, so everything builds and starts without X.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "variants/render_config/viewer/xcb_functions.h"

namespace lab::render_config {

struct WindowEvent {
  enum class Kind : std::uint8_t {
    kClosed,  ///< by the window manager, by Escape or q, or because the X server has gone
    kResized
  };
  Kind kind;
  std::uint32_t width = 0, height = 0;  ///< if it was resized
  bool operator==(const WindowEvent&) const = default;
};

/// Not thread-safe.
class Window {
 public:
  /// A mapped window with an inside of this many pixels, on the display that DISPLAY names. An error with kUnfit: there
  /// is no libxcb, or no X server. From then on the process ignores SIGPIPE, because the server may go away while
  /// anybody, as the Vulkan driver, writes to it.
  static Expected<std::unique_ptr<Window>> open(std::uint32_t width, std::uint32_t height, const std::string& title);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// What has happened since the last call; of several new sizes, only the last. Does not wait. Once it is closed,
  /// every call says so.
  std::vector<WindowEvent> poll();
  /// In UTF-8.
  void set_title(const std::string& title);

  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }

  /// For a Vulkan surface.
  xcb_connection_t* connection() const { return connection_; }
  xcb_window_t window() const { return window_; }

 private:
  explicit Window(const XcbFunctions& xcb) : xcb_(xcb) {}
  Expected<void> connect();
  Expected<void> create(const std::string& title);
  xcb_atom_t atom(const std::string& name);
  void set_property(xcb_atom_t property, xcb_atom_t type, const std::string& text);
  void read_closing_keys();
  void handle(const xcb_generic_event_t& event);

  XcbFunctions xcb_;
  xcb_connection_t* connection_ = nullptr;
  xcb_window_t window_ = XCB_WINDOW_NONE;
  xcb_atom_t delete_ = XCB_ATOM_NONE, utf8_ = XCB_ATOM_NONE, net_name_ = XCB_ATOM_NONE;
  std::vector<xcb_keycode_t> closing_keys_;
  std::uint32_t width_ = 0, height_ = 0;
  bool closed_ = false;
};

}  // namespace lab::render_config
