#include "variants/render_config/viewer/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <span>

#include "harness/base/layout.h"

namespace lab::render_config {

namespace {

constexpr xcb_keysym_t kClosingKeys[] = {0xff1b, 'q'};  // Escape
constexpr std::uint8_t kNotFromServer = 0x80;           // in a response's type: another program has sent it

// libxcb's answers come from malloc.
template <typename Answer>
std::unique_ptr<Answer, decltype(&std::free)> owned(Answer* answer) {
  return {answer, &std::free};
}

std::string display_name() {
  const char* const name = std::getenv("DISPLAY");
  return name != nullptr ? name : "";
}

}  // namespace

Expected<std::unique_ptr<Window>> Window::open(std::uint32_t width, std::uint32_t height, const std::string& title) {
  const auto functions = XcbFunctions::open(lib_dir());
  if (!functions) return functions.error();
  std::unique_ptr<Window> window(new Window(*functions));
  window->width_ = width;
  window->height_ = height;
  std::signal(SIGPIPE, SIG_IGN);
  if (const auto connected = window->connect(); !connected) return connected.error();
  if (const auto created = window->create(title); !created) return created.error();
  return window;
}

Window::~Window() {
  if (connection_ == nullptr) return;
  if (window_ != XCB_WINDOW_NONE) xcb_.xcb_destroy_window(connection_, window_);
  xcb_.xcb_disconnect(connection_);  // also what is left of one that has an error
}

Expected<void> Window::connect() {
  const std::string display = display_name();
  connection_ = xcb_.xcb_connect(nullptr, nullptr);
  if (xcb_.xcb_connection_has_error(connection_) == 0) return {};
  return Error{
      display.empty() ? "no X server: DISPLAY is not set" : fmt::format("no X server answers on DISPLAY '{}'", display),
      "--display none renders without a window", ExitStatus::kUnfit};
}

Expected<void> Window::create(const std::string& title) {
  const xcb_setup_t* const setup = xcb_.xcb_get_setup(connection_);
  if (setup == nullptr || setup->roots_len == 0) return Error{"the X server has no screen", "", ExitStatus::kUnfit};
  const xcb_screen_t& screen = *xcb_.xcb_setup_roots_iterator(setup).data;
  window_ = xcb_.xcb_generate_id(connection_);
  const std::uint32_t events = XCB_EVENT_MASK_KEY_PRESS | XCB_EVENT_MASK_STRUCTURE_NOTIFY;
  const std::uint32_t values[] = {screen.black_pixel, events};  // in the order of their bits
  xcb_.xcb_create_window(connection_, XCB_COPY_FROM_PARENT, window_, screen.root, 0, 0,
                         static_cast<std::uint16_t>(width_), static_cast<std::uint16_t>(height_), 0,
                         XCB_WINDOW_CLASS_INPUT_OUTPUT, screen.root_visual, XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK,
                         values);
  delete_ = atom("WM_DELETE_WINDOW");
  utf8_ = atom("UTF8_STRING");
  net_name_ = atom("_NET_WM_NAME");
  xcb_.xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, window_, atom("WM_PROTOCOLS"), XCB_ATOM_ATOM, 32, 1,
                           &delete_);
  set_title(title);
  read_closing_keys();
  xcb_.xcb_map_window(connection_, window_);
  xcb_.xcb_flush(connection_);
  return {};
}

xcb_atom_t Window::atom(const std::string& name) {
  const auto cookie = xcb_.xcb_intern_atom(connection_, 0, static_cast<std::uint16_t>(name.size()), name.c_str());
  const auto reply = owned(xcb_.xcb_intern_atom_reply(connection_, cookie, nullptr));
  return reply ? reply->atom : xcb_atom_t{XCB_ATOM_NONE};
}

void Window::set_property(xcb_atom_t property, xcb_atom_t type, const std::string& text) {
  xcb_.xcb_change_property(connection_, XCB_PROP_MODE_REPLACE, window_, property, type, 8,
                           static_cast<std::uint32_t>(text.size()), text.data());
}

void Window::set_title(const std::string& title) {
  set_property(XCB_ATOM_WM_NAME, utf8_, title);
  set_property(net_name_, utf8_, title);
  xcb_.xcb_flush(connection_);
}

// Which key is Escape, or q, is the user's choice.
void Window::read_closing_keys() {
  const xcb_setup_t* const setup = xcb_.xcb_get_setup(connection_);
  if (setup == nullptr) return;  // the server has gone
  const auto count = static_cast<std::uint8_t>(setup->max_keycode - setup->min_keycode + 1);
  const auto cookie = xcb_.xcb_get_keyboard_mapping(connection_, setup->min_keycode, count);
  const auto reply = owned(xcb_.xcb_get_keyboard_mapping_reply(connection_, cookie, nullptr));
  closing_keys_.clear();
  if (!reply || reply->keysyms_per_keycode == 0) return;
  // The symbols follow the reply, as many for each key; the first is that without Shift.
  const std::span symbols(reinterpret_cast<const xcb_keysym_t*>(reply.get() + 1), reply->length);
  for (std::size_t at = 0; at < symbols.size(); at += reply->keysyms_per_keycode)
    if (std::ranges::find(kClosingKeys, symbols[at]) != std::end(kClosingKeys))
      closing_keys_.push_back(static_cast<xcb_keycode_t>(setup->min_keycode + at / reply->keysyms_per_keycode));
}

std::vector<WindowEvent> Window::poll() {
  const std::uint32_t width = width_, height = height_;
  while (const auto event = owned(xcb_.xcb_poll_for_event(connection_))) handle(*event);
  if (xcb_.xcb_connection_has_error(connection_) != 0) closed_ = true;
  std::vector<WindowEvent> events;
  if (width != width_ || height != height_) events.push_back({WindowEvent::Kind::kResized, width_, height_});
  if (closed_) events.push_back({WindowEvent::Kind::kClosed});
  return events;
}

void Window::handle(const xcb_generic_event_t& event) {
  switch (event.response_type & ~kNotFromServer) {
    case XCB_CONFIGURE_NOTIFY: {
      const auto& changed = reinterpret_cast<const xcb_configure_notify_event_t&>(event);
      width_ = changed.width;
      height_ = changed.height;
      break;
    }
    case XCB_CLIENT_MESSAGE: {
      const auto& message = reinterpret_cast<const xcb_client_message_event_t&>(event);
      if (message.format == 32 && message.data.data32[0] == delete_) closed_ = true;
      break;
    }
    case XCB_KEY_PRESS: {
      const auto& key = reinterpret_cast<const xcb_key_press_event_t&>(event);
      if (std::ranges::find(closing_keys_, key.detail) != closing_keys_.end()) closed_ = true;
      break;
    }
    case XCB_MAPPING_NOTIFY:
      read_closing_keys();
      break;
    case XCB_DESTROY_NOTIFY:
      closed_ = true;
      window_ = XCB_WINDOW_NONE;
      break;
    default:  // errors, too: whatever is wrong with one request, the next frame shows
      break;
  }
}

}  // namespace lab::render_config
