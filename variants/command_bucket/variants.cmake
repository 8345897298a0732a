include(${dir}/device/device.cmake)
