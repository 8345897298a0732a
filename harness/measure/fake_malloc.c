// Malloc replacements for the tests of run --malloc. Each is this file with one macro defined, which says what is wrong
// with it. Allowed: nothing (FAKE_GOOD), it returns null for 0 bytes (FAKE_NULL), does not tell the size of a block
// (FAKE_SIZELESS), ignores alignments above 128 (FAKE_PAGES), or hangs in a fork whose other handlers allocate
// (FAKE_HANDLERS). Wrong: it crashes, is no malloc, has only a part of its functions, needs a symbol that nobody
// defines, returns misaligned or overlapping blocks or one block for all requests of 0 bytes, calloc does not clear,
// realloc forgets or returns null for a mapping that the program has divided, malloc_usable_size tells too much, other
// threads get overlapping blocks, or it breaks in a forked process or in an executed program.
//
// Blocks have sizes of powers of two, a header, and a list of free ones for each size, behind one lock.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

#if defined(FAKE_NOTHING)

EXPORT int fake_malloc_nothing(void);
EXPORT int fake_malloc_nothing(void) { return 1; }

#else

#define CLASSES 48
#define ARENA_BYTES ((size_t)1 << 24)

/// Before each block.
struct header {
  void* base;  ///< of the piece of memory that the block lies in
  size_t class_;  ///< log2 of the bytes of that piece
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// The thread that forks, which holds the lock: other fork handlers may allocate. It keeps its name in the child.
static pthread_t forking;

static int is_forking(void) {
#if defined(FAKE_HANDLERS)
  return 0;
#else
  return pthread_equal(__atomic_load_n(&forking, __ATOMIC_RELAXED), pthread_self());
#endif
}
static void take(void) {
  if (!is_forking()) pthread_mutex_lock(&lock);
}
static void give(void) {
  if (!is_forking()) pthread_mutex_unlock(&lock);
}
static void* free_lists[CLASSES];
static char* arena;
static size_t arena_left;

#if defined(FAKE_FORK)
static int broken;
static void after_fork_in_child(void) { broken = 1; }
#else
static void after_fork_in_child(void) {
  __atomic_store_n(&forking, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}
#endif
static void before_fork(void) {
  pthread_mutex_lock(&lock);
  __atomic_store_n(&forking, pthread_self(), __ATOMIC_RELAXED);
}
static void after_fork(void) {
  __atomic_store_n(&forking, 0, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}

#if defined(FAKE_UNRESOLVED)
extern int nobody_defines_this(void);
#endif

static pthread_t first_thread;

__attribute__((constructor)) static void start(int count, char** arguments) {
  first_thread = pthread_self();
#if defined(FAKE_EXEC)
  if (count > 0 && strcmp(arguments[0], "variant") == 0) __builtin_trap();
#endif
  (void)count;
  (void)arguments;
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
#if defined(FAKE_UNRESOLVED)
  if (arena_left == 1) nobody_defines_this();
#endif
}

static void* mapped(size_t bytes) {
  void* const found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return found == MAP_FAILED ? NULL : found;
}

static size_t class_of(size_t bytes) {
  size_t found = 5;
  while (((size_t)1 << found) < bytes) ++found;
  return found;
}

/// A piece of memory of that class; lock held.
static void* piece(size_t wanted) {
  void* const found = free_lists[wanted];
  const size_t bytes = (size_t)1 << wanted;
  if (found != NULL) {
    memcpy(&free_lists[wanted], found, sizeof found);
    return found;
  }
  if (bytes > ARENA_BYTES / 16) return mapped(bytes);
  if (arena_left < bytes) {
    arena = mapped(ARENA_BYTES);
    arena_left = arena == NULL ? 0 : ARENA_BYTES;
    if (arena == NULL) return NULL;
  }
  arena += bytes;
  arena_left -= bytes;
  return arena - bytes;
}

static void* make(size_t alignment, size_t bytes) {
#if defined(FAKE_CRASHING)
  __builtin_trap();
#endif
#if defined(FAKE_FORK)
  if (broken) __builtin_trap();
#endif
  if (bytes > (size_t)1 << 40) {
    errno = ENOMEM;
    return NULL;
  }
#if defined(FAKE_NULL)
  if (bytes == 0) return NULL;
#endif
#if defined(FAKE_ZERO) || defined(FAKE_OVERLAPPING) || defined(FAKE_THREADS)
  static struct {
    struct header header;
    _Alignas(16) char bytes[800];
  } same = {{NULL, 10}, ""};
#if defined(FAKE_ZERO)
  const int is_same = bytes == 0;
#elif defined(FAKE_OVERLAPPING)
  const int is_same = bytes > 700 && bytes < 720;
#else
  const int is_same = bytes > 700 && bytes < 720 && !pthread_equal(first_thread, pthread_self());
#endif
  if (is_same) return same.bytes;
#endif
#if defined(FAKE_PAGES)
  if (alignment > 128) alignment = 16;
#endif
  const size_t class_ = class_of(bytes + alignment + sizeof(struct header));
  take();
  char* const base = piece(class_);
  give();
  if (base == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  uintptr_t block = ((uintptr_t)base + sizeof(struct header) + alignment - 1) & ~(uintptr_t)(alignment - 1);
#if defined(FAKE_MISALIGNED)
  if (alignment == 16) block += 8;
#endif
  const struct header header = {base, class_};
  memcpy((char*)block - sizeof header, &header, sizeof header);
  return (void*)block;
}

static struct header header_of(void* block) {
  struct header header;
  memcpy(&header, (char*)block - sizeof header, sizeof header);
  return header;
}

static size_t usable(void* block) {
  const struct header header = header_of(block);
  return ((size_t)1 << header.class_) - (size_t)((char*)block - (char*)header.base);
}

EXPORT void* malloc(size_t bytes) { return make(16, bytes); }

EXPORT void free(void* block) {
  if (block == NULL) return;
  const struct header header = header_of(block);
  if (header.base == NULL) return;  // one block for several requests
  take();
  memcpy(header.base, &free_lists[header.class_], sizeof(void*));
  free_lists[header.class_] = header.base;
  give();
}

#if !defined(FAKE_PART)

EXPORT void* calloc(size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) return NULL;
  void* const block = make(16, bytes);
#if !defined(FAKE_CALLOC)
  if (block != NULL) memset(block, 0, bytes);
#endif
  return block;
}

EXPORT void* realloc(void* block, size_t bytes) {
#if defined(FAKE_SPLIT)
  // A mapping that consists of several is not resized.
  if (block != NULL && usable(block) > (1 << 20)) {
    const struct header header = header_of(block);
    const size_t whole = (size_t)1 << header.class_;
    if (mremap(header.base, whole, whole + 4096, 0) == MAP_FAILED && errno == EFAULT) return NULL;
  }
#endif
  void* const made = make(16, bytes);
  if (block == NULL || made == NULL) return made;
  size_t before = usable(block);
#if defined(FAKE_REALLOC)
  if (before > 1000) before = 1000;
#endif
  memcpy(made, block, before < bytes ? before : bytes);
  free(block);
  return made;
}

EXPORT void* aligned_alloc(size_t alignment, size_t bytes) { return make(alignment < 16 ? 16 : alignment, bytes); }

#if !defined(FAKE_SIZELESS)

EXPORT size_t malloc_usable_size(void* block);
EXPORT size_t malloc_usable_size(void* block) {
  if (block == NULL) return 0;
#if defined(FAKE_USABLE)
  return 2 * usable(block);
#else
  return usable(block);
#endif
}

#endif
#endif
#endif
