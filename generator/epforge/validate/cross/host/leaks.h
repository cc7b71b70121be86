// What sanitizers know of memory, where the program is built with them.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_LEAKS_H_
#define EPFORGE_VALIDATE_CROSS_HOST_LEAKS_H_

// Looks for memory that nothing points to any more, and reports it on stderr. Returns whether there
// is any; -1 where the program is built without LeakSanitizer.
int FindLeaks();

// Bytes that are allocated and not freed; -1 where that is not known.
long long LiveBytes();

#endif  // EPFORGE_VALIDATE_CROSS_HOST_LEAKS_H_
