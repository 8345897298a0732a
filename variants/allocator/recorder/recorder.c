// Records what a program asks of malloc: LD_PRELOAD=libtrace_recorder.so LAB_TRACE=PREFIX program
//
// Each process writes PREFIX.<pid>.<n>, an array of RawRequest. The file is mapped and shared, so everything recorded
// is in it whatever ends the process: exit, _exit, exec, a signal. A fork's child gets a file of its own: the page with
// the state is wiped in it (MADV_WIPEONFORK), which also notices a fork that runs no handlers. A vfork's child shares
// the memory of its parent, and so its file.
//
// Nothing here allocates or needs initialisation, because the dynamic linker calls malloc before any constructor runs
// and before `environ` is set. The blocks come from the C library's own names (__libc_malloc), so dlsym is not needed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "variants/common/plans/raw_request.h"

extern void* __libc_malloc(size_t bytes);
extern void __libc_free(void* block);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* block, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);

enum { kWindow = 1 << 15 };  // requests that are mapped at once: 1 MiB, whole pages
enum { kMostPath = 4096 };
enum { kPageBytes = 4096 };

// Zeroes at the start and in a new process.
struct State {
  atomic_flag busy;
  int opened;  // 0: not tried; 1: yes; -1: nothing is recorded
  int file;    // closed between windows: a program may close what it does not know
  uint64_t windows, used;
  struct RawRequest* window;
  char path[kMostPath];
};

static _Atomic(struct State*) shared_state;

static struct State* state(void) {
  struct State* found = atomic_load(&shared_state);
  if (found != NULL) return found;
  const size_t bytes = (sizeof(struct State) + kPageBytes - 1) / kPageBytes * kPageBytes;
  void* const made = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return NULL;
  madvise(made, bytes, MADV_WIPEONFORK);
  if (atomic_compare_exchange_strong(&shared_state, &found, (struct State*)made)) return made;
  munmap(made, bytes);
  return found;
}

// The value of LAB_TRACE from the kernel's copy of the environment, into `value`. Returns whether there is one.
static int read_prefix(char* value, size_t most) {
  static const char kName[] = "LAB_TRACE=";
  const int file = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char part[512];
  size_t matched = 0, length = 0;
  int skip = 0, found = 0;
  for (ssize_t got; !found && (got = read(file, part, sizeof part)) > 0;)
    for (ssize_t i = 0; i < got && !found; ++i) {
      const char at = part[i];
      if (matched == sizeof kName - 1) {
        if (length + 1 < most) value[length++] = at;
        found = at == '\0';
      } else if (at == '\0') {
        matched = 0;
        skip = 0;
      } else if (!skip && at == kName[matched]) {
        ++matched;
      } else {
        skip = 1;
        matched = 0;
      }
    }
  close(file);
  return found && length > 1 && value[length - 1] == '\0';
}

static char* put_number(char* at, uint64_t number) {
  char digits[20];
  size_t count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0) *at++ = digits[--count];
  *at = '\0';
  return at;
}

static int open_trace(struct State* s) {
  if (!read_prefix(s->path, kMostPath - 64)) return -1;
  char* const end = s->path + strlen(s->path);
  for (unsigned n = 0; n < 10000; ++n) {  // a process that calls exec keeps its number
    char* at = end;
    *at++ = '.';
    at = put_number(at, (uint64_t)getpid());
    *at++ = '.';
    put_number(at, n);
    const int file = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file >= 0) {
      close(file);
      return 1;
    }
    if (errno != EEXIST) return -1;
  }
  return -1;
}

static int next_window(struct State* s) {
  const size_t bytes = (size_t)kWindow * sizeof(struct RawRequest);
  const int file = open(s->path, O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  void* window = MAP_FAILED;
  const off_t begin = (off_t)(s->windows * bytes);
  if (ftruncate(file, begin + (off_t)bytes) == 0)
    window = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, begin);
  close(file);
  if (window == MAP_FAILED) return 0;
  if (s->window != NULL) munmap(s->window, bytes);
  s->window = window;
  s->used = 0;
  ++s->windows;
  return 1;
}

static struct State* lock(void) {
  struct State* const s = state();
  if (s != NULL)
    while (atomic_flag_test_and_set_explicit(&s->busy, memory_order_acquire)) sched_yield();
  return s;
}

static void unlock(struct State* s) {
  if (s != NULL) atomic_flag_clear_explicit(&s->busy, memory_order_release);
}

static void record(struct State* s, enum RawWhat what, size_t bytes, const void* block, uint64_t other) {
  if (s == NULL || s->opened < 0) return;
  const int before = errno;
  if (s->opened == 0) s->opened = open_trace(s);
  if (s->opened > 0 && (s->window == NULL || s->used == kWindow) && !next_window(s)) s->opened = -1;
  if (s->opened > 0) s->window[s->used++] = (struct RawRequest){what, bytes, (uint64_t)(uintptr_t)block, other};
  errno = before;
}

static void* recorded(enum RawWhat what, size_t bytes, void* block, uint64_t other) {
  if (block == NULL) return NULL;
  struct State* const s = lock();
  record(s, what, bytes, block, other);
  unlock(s);
  return block;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void* malloc(size_t bytes) {
  return recorded(kRawAllocate, bytes, __libc_malloc(bytes), 0);
}

EXPORTED void* calloc(size_t count, size_t bytes) {
  return recorded(kRawZeroed, count * bytes, __libc_calloc(count, bytes), 0);
}

EXPORTED void free(void* block) {
  if (block == NULL) return;
  struct State* const s = lock();
  record(s, kRawFree, 0, block, 0);  // before another thread can get the same address
  unlock(s);
  __libc_free(block);
}

EXPORTED void* realloc(void* block, size_t bytes) {
  if (block == NULL) return malloc(bytes);
  struct State* const s = lock();  // held over the call: in between, another thread could get the old address
  void* const grown = __libc_realloc(block, bytes);
  if (grown != NULL)
    record(s, kRawReallocate, bytes, grown, (uint64_t)(uintptr_t)block);
  else if (bytes == 0)
    record(s, kRawFree, 0, block, 0);
  unlock(s);
  return grown;
}

EXPORTED void* reallocarray(void* block, size_t count, size_t bytes) {
  size_t all;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(block, all);
}

EXPORTED void* memalign(size_t alignment, size_t bytes) {
  return recorded(kRawAligned, bytes, __libc_memalign(alignment, bytes), alignment);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}

EXPORTED int posix_memalign(void** block, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void*) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int before = errno;
  void* const made = memalign(alignment, bytes);
  errno = before;
  if (made == NULL) return ENOMEM;
  *block = made;
  return 0;
}

EXPORTED void* valloc(size_t bytes) {
  return memalign(kPageBytes, bytes);
}

EXPORTED void* pvalloc(size_t bytes) {
  return memalign(kPageBytes, (bytes + kPageBytes - 1) / kPageBytes * kPageBytes);
}
