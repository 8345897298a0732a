#include "variants/render_config/engine/shader_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <spirv_cross/spirv_cross.hpp>
#include <stdexcept>
#include <string_view>

#include "variants/render_config/engine/frame_data.h"
#include "variants/render_config/engine/objects.h"

namespace lab::render_config {

namespace {

using Type = spirv_cross::SPIRType;

/// What the language allows is less than what GLSL allows; thrown like what SPIRV-Cross throws.
[[noreturn]] void refuse(const std::string& sentence) {
  throw std::runtime_error(sentence);
}

std::string name_of(const Type& type) {
  const auto base = [&]() -> std::string_view {
    switch (type.basetype) {
      case Type::Float:
        return "float";
      case Type::Int:
        return "int";
      case Type::UInt:
        return "uint";
      default:
        return "another type";
    }
  }();
  std::string name = type.vecsize > 1 ? fmt::format("{} x {}", type.vecsize, base) : std::string(base);
  if (type.columns > 1) name += fmt::format(" x {}", type.columns);
  for (const std::uint32_t count : type.array) name += fmt::format("[{}]", count);
  return name;
}

class Interface {
 public:
  Interface(std::span<const std::uint32_t> words, ShaderStage stage)
      : compiler_(words.data(), words.size()), words_(words), stage_(stage) {}

  ShaderInterface read() {
    read_words();
    check_capabilities();
    const spirv_cross::ShaderResources resources = compiler_.get_shader_resources();
    for (const auto& image : resources.sampled_images) add_image(image);
    for (const auto& buffer : resources.uniform_buffers) check_frame(buffer, 0, "the uniform buffer of frame.glsl");
    for (const auto& buffer : resources.storage_buffers) {
      check_frame(buffer, 1, "the storage buffer of frame.glsl");
      if (!compiler_.get_buffer_block_flags(buffer.id).get(spv::DecorationNonWritable))
        refuse(fmt::format("expected a readonly buffer, found '{}', which is not", buffer.name));
    }
    refuse_any(resources.separate_images, "a texture without its sampler");
    refuse_any(resources.separate_samplers, "a sampler without its texture");
    refuse_any(resources.storage_images, "a storage image");
    refuse_any(resources.subpass_inputs, "a subpass input");
    refuse_any(resources.atomic_counters, "an atomic counter");
    refuse_any(resources.acceleration_structures, "an acceleration structure");
    for (const auto& block : resources.push_constant_buffers) add_constants(block);
    add_variables(resources.stage_inputs, interface_.inputs);
    add_variables(resources.stage_outputs, interface_.outputs);
    if (stage_ == ShaderStage::kFragment)
      for (const auto& [location, type] : interface_.outputs)
        if (type != "float" && type.find(" x float") == std::string::npos)
          refuse(fmt::format("expected outputs of float, found {} at location {}", type, location));
    return std::move(interface_);
  }

 private:
  /// What SPIRV-Cross does not tell: whether pixels are discarded, and how large arrays are. A driver may need minutes
  /// to unroll a large one.
  void read_words() {
    constexpr std::uint32_t kMostElements = 256, kHeader = 5;
    std::map<std::uint32_t, std::uint32_t> constants;  // values, by id
    for (std::size_t at = kHeader; at < words_.size();) {
      const std::uint32_t count = words_[at] >> 16, operation = words_[at] & 0xffff;
      if (count == 0 || at + count > words_.size()) refuse("expected SPIR-V, found an instruction beyond its end");
      if (operation == spv::OpConstant && count == 4) constants[words_[at + 2]] = words_[at + 3];
      if (operation == spv::OpKill) interface_.discards = true;
      if (operation == spv::OpTypeArray && count == 4)
        if (const auto length = constants.find(words_[at + 3]);
            length != constants.end() && length->second > kMostElements)
          refuse(fmt::format("expected arrays of at most {} elements, found {}", kMostElements, length->second));
      at += count;
    }
  }

  void check_capabilities() {
    // What Vulkan 1.0 has without a feature that must be enabled.
    constexpr std::array kAllowed{spv::CapabilityShader, spv::CapabilityMatrix, spv::CapabilityImageQuery,
                                  spv::CapabilityDerivativeControl, spv::CapabilitySampled1D};
    for (const spv::Capability capability : compiler_.get_declared_capabilities())
      if (std::ranges::find(kAllowed, capability) == kAllowed.end())
        refuse(fmt::format("expected no features beyond Vulkan 1.0's basic ones, found the SPIR-V capability {}",
                           static_cast<unsigned>(capability)));
  }

  template <typename Resources>
  static void refuse_any(const Resources& resources, std::string_view what) {
    if (!resources.empty()) refuse(fmt::format("expected sampler2D images, found '{}', {}", resources[0].name, what));
  }

  void add_image(const spirv_cross::Resource& image) {
    const Type& type = compiler_.get_type(image.type_id);
    const std::uint32_t set = compiler_.get_decoration(image.id, spv::DecorationDescriptorSet);
    const std::uint32_t binding = compiler_.get_decoration(image.id, spv::DecorationBinding);
    if (set != 1 || binding >= kMostInputs)
      refuse(fmt::format("expected '{}' in set 1 with a binding from 0 to {}, found set {} and binding {}", image.name,
                         kMostInputs - 1, set, binding));
    if (type.image.dim != spv::Dim2D || type.image.arrayed || type.image.ms || type.image.depth ||
        !type.array.empty() || compiler_.get_type(type.image.type).basetype != Type::Float)
      refuse(fmt::format("expected '{}' to be a sampler2D, found another kind of image", image.name));
    for (const auto& [name, other] : interface_.images)
      if (other == binding)
        refuse(fmt::format("expected each binding once, found {} for '{}' and '{}'", binding, name, image.name));
    interface_.images[image.name] = binding;
  }

  void check_frame(const spirv_cross::Resource& buffer, std::uint32_t wanted, std::string_view what) const {
    const std::uint32_t set = compiler_.get_decoration(buffer.id, spv::DecorationDescriptorSet);
    const std::uint32_t binding = compiler_.get_decoration(buffer.id, spv::DecorationBinding);
    const Type& type = compiler_.get_type(buffer.type_id);
    if (set != 0 || binding != wanted || !type.array.empty())
      refuse(fmt::format("expected {}, found '{}' in set {} at binding {}", what, buffer.name, set, binding));
    if (wanted == 0 && compiler_.get_declared_struct_size(type) > sizeof(FrameData))
      refuse(fmt::format("expected {} of {} bytes, found '{}' of {}", what, sizeof(FrameData), buffer.name,
                         compiler_.get_declared_struct_size(type)));
  }

  void add_constants(const spirv_cross::Resource& block) {
    const Type& type = compiler_.get_type(block.base_type_id);
    const auto count = static_cast<std::uint32_t>(type.member_types.size());
    if (compiler_.get_declared_struct_size(type) > kPushBytes)
      refuse(fmt::format("expected at most {} bytes of push constants, found {}", kPushBytes,
                         compiler_.get_declared_struct_size(type)));
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string& name = compiler_.get_member_name(type.self, i);
      const Type& member = compiler_.get_type(type.member_types[i]);
      const std::uint32_t offset = compiler_.type_struct_member_offset(type, i);
      if (offset == 0) {
        if (name != "view" || name_of(member) != "uint")
          refuse(
              fmt::format("expected the push constants to begin with uint view, found {} {}", name_of(member), name));
        continue;
      }
      if (member.basetype != Type::Float || member.columns > 1 || !member.array.empty())
        refuse(
            fmt::format("expected a push constant of float, vec2, vec3 or vec4, found {} {}", name_of(member), name));
      interface_.constants[name] = {offset, member.vecsize};
    }
  }

  template <typename Resources>
  void add_variables(const Resources& variables, std::map<std::uint32_t, std::string>& found) const {
    for (const auto& variable : variables) {
      const std::uint32_t location = compiler_.get_decoration(variable.id, spv::DecorationLocation);
      if (compiler_.get_decoration(variable.id, spv::DecorationIndex) != 0)
        refuse(fmt::format("expected outputs of index 0, found another at location {}", location));
      found[location] = name_of(compiler_.get_type(variable.type_id));
    }
  }

  spirv_cross::Compiler compiler_;
  std::span<const std::uint32_t> words_;
  ShaderStage stage_;
  ShaderInterface interface_;
};

}  // namespace

Expected<ShaderInterface> shader_interface(std::span<const std::uint32_t> words, ShaderStage stage) {
  try {
    return Interface(words, stage).read();
  } catch (const std::exception& thrown) {
    return Error{thrown.what(), "", ExitStatus::kUsage};
  }
}

}  // namespace lab::render_config
