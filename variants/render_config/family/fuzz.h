/// What a fuzzer does with a renderer: the input is a configuration, as if configurations/fuzz.json had its text up to
/// the first zero byte, and fuzz_library.json the text after it. Both may name what ships.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lab::render_config {

/// "" or what is wrong, in one sentence: a problem without a place, a frame that does other than its passes, or a frame
/// by names that does other than one by steps.
std::string fuzz(std::span<const std::uint8_t> input);

}  // namespace lab::render_config
