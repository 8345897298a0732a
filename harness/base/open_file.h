/// An open file. Apart from spawn.h, because every variant includes it, and spawn.h takes half a second to compile.
#pragma once

#include <utility>

namespace lab {

/// An open file, closed by the destructor.
class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File() { close(); }
  void close();
  int get() const { return number_; }  ///< -1: none; poll ignores it

 private:
  int number_ = -1;
};

}  // namespace lab
