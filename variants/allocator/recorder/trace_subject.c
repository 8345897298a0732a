// What the recorder's test starts: known requests, in the ways in which a process begins and ends.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kThreads = 4, kPerThread = 20000 };

// Requests of a size that nothing else makes. volatile: the compiler may not leave them out.
static void* volatile kept;

static void requests(size_t bytes) {
  kept = malloc(bytes);
  kept = realloc(kept, bytes + 1);
  free(kept);
  kept = calloc(1, bytes + 2);
  free(kept);
  kept = aligned_alloc(256, bytes + 3);
  free(kept);
  free(NULL);
}

static void* thread(void* unused) {
  (void)unused;
  void* blocks[8] = {0};
  for (int i = 0; i < kPerThread; ++i) {
    free(blocks[i % 8]);
    blocks[i % 8] = malloc(77001);
  }
  for (int i = 0; i < 8; ++i) free(blocks[i]);
  return NULL;
}

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  requests(77101);
  if (strcmp(how, "_exit") == 0) _exit(0);
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "exec") == 0) execl(argv[0], argv[0], "exit", (char*)0);
  if (strcmp(how, "close") == 0)
    for (int file = 3; file < 1024; ++file) close(file);
  if (strcmp(how, "fork") == 0) {
    const pid_t child = fork();
    requests(child == 0 ? 77301 : 77201);
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
  }
  if (strcmp(how, "threads") == 0) {
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
  if (strcmp(how, "many") == 0 || strcmp(how, "close") == 0)
    for (int i = 0; i < 100000; ++i) {
      kept = malloc(77001);
      free(kept);
    }
  requests(77401);
  return 0;
}
