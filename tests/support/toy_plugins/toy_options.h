/* Provider options of the toys: to be included behind `ort`. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "onnxruntime_c_api.h"

/* There are no options, so each is unknown. */
static OrtStatus* RefuseOptions(const OrtSessionOptions* options) {
  static const char kPrefix[] = "ep.toyexecutionprovider.";
  OrtKeyValuePairs* entries = NULL;
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  OrtStatus* status = ort->GetSessionOptionsConfigEntries(options, &entries);
  if (status != NULL) return status;
  ort->GetKeyValuePairs(entries, &keys, &values, &count);
  for (size_t i = 0; i < count && status == NULL; ++i) {
    char text[128];
    if (strncmp(keys[i], kPrefix, sizeof(kPrefix) - 1) != 0) continue;
    snprintf(text, sizeof(text), "unknown option %s: there are none", keys[i]);
    status = ort->CreateStatus(ORT_INVALID_ARGUMENT, text);
  }
  ort->ReleaseKeyValuePairs(entries);
  return status;
}
