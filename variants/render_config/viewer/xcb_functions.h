/// The functions of libxcb that a window needs, without a library at link time: it is opened at run time.
#pragma once

#include <xcb/xcb.h>

#include <filesystem>
#include <string>

#include "harness/base/error.h"

namespace lab::render_config {

#define LAB_XCB_FUNCTIONS(X)        \
  X(xcb_connect)                    \
  X(xcb_connection_has_error)       \
  X(xcb_disconnect)                 \
  X(xcb_get_setup)                  \
  X(xcb_setup_roots_iterator)       \
  X(xcb_generate_id)                \
  X(xcb_flush)                      \
  X(xcb_intern_atom)                \
  X(xcb_intern_atom_reply)          \
  X(xcb_create_window)              \
  X(xcb_map_window)                 \
  X(xcb_destroy_window)             \
  X(xcb_change_property)            \
  X(xcb_get_keyboard_mapping)       \
  X(xcb_get_keyboard_mapping_reply) \
  X(xcb_poll_for_event)

#define LAB_XCB_MEMBER(name) decltype(&::name) name = nullptr;

struct XcbFunctions {
  LAB_XCB_FUNCTIONS(LAB_XCB_MEMBER)

  /// The library that the dynamic linker finds, otherwise the pinned one in the folder `lib` of packages. It stays open
  /// until the process ends. An error with kUnfit: neither is there.
  static Expected<XcbFunctions> open(const std::filesystem::path& lib, const std::string& name = "libxcb.so.1");
};

#undef LAB_XCB_MEMBER

}  // namespace lab::render_config
