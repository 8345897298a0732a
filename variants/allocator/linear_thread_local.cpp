#include "variants/allocator/family/linear_heap.h"
#include "variants/allocator/family/registration.h"
#include "variants/designs/addresses/thread_local_linear.h"

namespace lab::allocator {

class LinearThreadLocal : public LinearHeap<designs::ThreadLocalLinear<16>, 16> {
 public:
  static constexpr bool kThreadSafe = true;
  static constexpr bool kNumbersThreads = true;

  explicit LinearThreadLocal(const Demand& demand) : LinearHeap(of_each_thread(demand), demand.threads) {}

 private:
  // One thread may need all that is demanded.
  static Demand of_each_thread(Demand demand) {
    demand.bytes *= demand.threads;
    demand.blocks *= demand.threads;
    return demand;
  }
};

}  // namespace lab::allocator

const lab::bench::Variant& lab::bench::this_variant() {
  return allocator::make_variant<allocator::LinearThreadLocal>(
      LAB_VARIANT,
      {.idea = "A linear allocator for each thread, over its own part of the buffer: nothing is shared.",
       .cost = "Allocate: the thread's number, then as linear. Reset: one store per thread. No metadata.",
       .source =
           "S. Reinalter, Stateless, layered, multi-threaded rendering, part 4 (Molecule Engine blog, 2015), version 6",
       .weakness = "Each thread needs the memory of its worst frame, and cannot use what another has left."});
}
