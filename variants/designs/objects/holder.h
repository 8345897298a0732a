/// A cached pointer that is told when its object ends. An object has the list of its holders; its end sets all of their
/// pointers to null, so that an access needs only a comparison. O(holders) at the end of an object. From inside an
/// object everything is allowed: a holder runs no code of its object.
#pragma once

namespace lab::designs {

template <typename T>
class Holder;

/// A member of the object.
template <typename T>
class Holders {
 public:
  /// The object ends: all holders are told.
  void notify() {
    while (first_ != nullptr) first_->release();
  }

 private:
  friend class Holder<T>;
  Holder<T>* first_ = nullptr;
};

/// T has a member `Holders<T> holders`. A holder stays where it is while it holds.
template <typename T>
class Holder {
 public:
  Holder() = default;
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { release(); }

  T* get() const { return object_; }
  void hold(T& object) {
    release();
    object_ = &object;
    next_ = object.holders.first_;
    if (next_ != nullptr) next_->previous_ = this;
    object.holders.first_ = this;
  }
  void release() {
    if (object_ == nullptr) return;
    (previous_ == nullptr ? object_->holders.first_ : previous_->next_) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
    object_ = nullptr;
    previous_ = next_ = nullptr;
  }

 private:
  T* object_ = nullptr;
  Holder* previous_ = nullptr;
  Holder* next_ = nullptr;
};

}  // namespace lab::designs
