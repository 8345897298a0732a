/// A buffer that is compared with a plain model of what lives after every step. Conformance and the fuzzer use it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "variants/particle_buffer/family/buffer.h"

namespace lab::particle_buffer {

class CheckedBuffer {
 public:
  CheckedBuffer(const MakeBuffer& make, const Abilities& abilities, const Setup& setup);

  // Each does the same to the buffer and to the model.

  /// `lifetime`: frames. No more than Setup::amount in all: the rest is not emitted.
  void emit(std::size_t count, std::uint32_t lifetime);
  void iterate(Motion motion);
  void iterate_some();
  void retire();  ///< and goes on to the next frame
  void kill_oldest(std::size_t count);
  void kill_every(std::uint32_t step, std::uint32_t from);
  void clean_up();
  void compact();  ///< if the variant does
  void add_layer(std::size_t bytes);
  void remove_layer(std::size_t number);
  void iterate_layers();

  /// How the buffer differs from the model: in what lives, in a particle, in a layer, in what an index names. "" if it
  /// does not.
  std::string difference();

  const Buffer& buffer() const { return *buffer_; }

 private:
  struct Known {
    Particle particle;
    std::map<unsigned, float> layers;
    Ref ref;
  };
  struct Layer {
    unsigned number;
    std::size_t bytes;
  };

  void bury(std::uint32_t id);
  std::string wrong_refs();

  Abilities abilities_;
  Setup setup_;
  std::unique_ptr<Buffer> buffer_;
  std::map<std::uint32_t, Known> live_;  ///< by id
  std::vector<Ref> dead_;                ///< indices of some dead ones, as far as they are known
  std::vector<Layer> layers_;
  std::uint32_t frame_ = 1, next_id_ = 0;
  std::string problem_;
};

}  // namespace lab::particle_buffer
