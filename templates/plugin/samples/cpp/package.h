<%= banner %>
#pragma once

// What CMake found, as constants.

// Where the libraries were when the program was built. Not in a program that is shipped with them.
#if !defined(SAMPLE_BUILT_LIBRARY)
#define SAMPLE_BUILT_LIBRARY ""
#define SAMPLE_BUILT_CUSTOM_OPS ""
#define SAMPLE_BUILT_ORT ""
#endif

namespace sample {

inline constexpr char kEpName[] = SAMPLE_EP_NAME;
inline constexpr char kRegistrationName[] = SAMPLE_REGISTRATION_NAME;
inline constexpr char kMinimumOrt[] = SAMPLE_MINIMUM_ORT;
inline constexpr char kLibraryFile[] = SAMPLE_LIBRARY_FILE;
inline constexpr char kCustomOpsFile[] = SAMPLE_CUSTOM_OPS_FILE;  // empty: there is none

inline constexpr char kBuiltLibrary[] = SAMPLE_BUILT_LIBRARY;
inline constexpr char kBuiltCustomOps[] = SAMPLE_BUILT_CUSTOM_OPS;
inline constexpr char kBuiltOrt[] = SAMPLE_BUILT_ORT;

}  // namespace sample
