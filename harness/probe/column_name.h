/// How a driver column is called: "lavapipe-22.3.6" for a driver that is its own chip, "radv-22.3.6-navi10" for
/// hardware.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/results/atlas.h"

namespace lab::probe {

/// What a driver is called for short, by its VkDriverId; "driver<id>" for an id not in the table.
std::string driver_short_name(std::int64_t driver_id);

/// The same from the name of its library ("libvulkan_radeon.so"), before it is asked; "" where that tells nothing.
std::string expected_driver(std::string_view library);

/// The version as people say it: from driverInfo ("Mesa 22.3.6 (LLVM 15.0.6)"), else decoded as the vendor encodes it.
std::string driver_version(std::string_view driver_info, std::uint32_t driver_version, std::uint32_t vendor_id);

/// The chip out of the device's name, small and without the makers' words: "navi10", "hd620", "gtx1660ti", "h200".
/// Where nothing is left of it, its PCI ids.
std::string chip_name(std::string_view device_name, std::uint32_t vendor_id, std::uint32_t device_id);

/// short name, version, and the chip unless the device is the CPU.
std::string column_name(const results::DriverIdentity& driver);

/// What the column of a driver is called that failed before it said who it is: "radv-failed", else from its manifest.
std::string failed_column_name(const results::DriverIdentity& driver);

}  // namespace lab::probe
