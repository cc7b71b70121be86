/* A custom-op library by its entry point; it registers nothing. */
__attribute__((visibility("default"))) void* RegisterCustomOps(void* options, const void* base) {
  (void)options;
  (void)base;
  return 0;
}
