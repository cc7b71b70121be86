// Memory that is exhausted at a chosen moment.
#ifndef EPFORGE_VALIDATE_CROSS_HOST_EXHAUST_H_
#define EPFORGE_VALIDATE_CROSS_HOST_EXHAUST_H_

// While it lives, the nth `operator new` that the code of a library calls in this thread throws
// std::bad_alloc. Nothing happens where libraries have an `operator new` of their own.
class Exhausted {
 public:
  // `code` is a function of the library.
  Exhausted(const void* code, int nth);
  ~Exhausted();
  Exhausted(const Exhausted&) = delete;
  Exhausted& operator=(const Exhausted&) = delete;

  // Has it thrown?
  bool fired() const;
};

#endif  // EPFORGE_VALIDATE_CROSS_HOST_EXHAUST_H_
