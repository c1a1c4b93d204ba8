/* Counts what the process allocates, whoever asks for it: this program, Dunlin, the C library. */
#include "side.h"

#ifdef __GLIBC__
#include <errno.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size);

static uint64_t allocations;

static void count(void) { __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t elements, size_t size) {
    count();
    return __libc_calloc(elements, size);
}

void *realloc(void *old, size_t size) {
    count();
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **made, size_t alignment, size_t size) {
    *made = memalign(alignment, size);
    return *made == NULL ? ENOMEM : 0;
}

uint64_t side_allocations(void *context) {
    (void)context;
    return __atomic_load_n(&allocations, __ATOMIC_RELAXED);
}
#endif
