/* A library that kills whoever loads it, before any of its functions is called. */
#include <stdlib.h>

__attribute__((constructor)) static void Start(void) { abort(); }
__attribute__((visibility("default"))) void* CreateEpFactories(void) { return 0; }
__attribute__((visibility("default"))) void* ReleaseEpFactory(void) { return 0; }
