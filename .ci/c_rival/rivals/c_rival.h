/* A made-up rival in C. */
#ifndef C_RIVAL_H
#define C_RIVAL_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *c_rival_version(void);
void *c_rival_allocate(size_t size);
void c_rival_free(void *block);
size_t c_rival_usable(void *block);

#ifdef __cplusplus
}
#endif

#endif
