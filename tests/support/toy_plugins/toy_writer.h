/* How the compiling toy writes a compiled model: checks first, one blob, a node for each group. */
#ifndef TOY_WRITER_H
#define TOY_WRITER_H

#include "toy_context.h"

typedef struct {
  char folder[PATH_MAX], file[NAME_SIZE], path[PATH_MAX], stem[NAME_SIZE];
} Output;

/* Where the output goes; an error if it cannot go there. */
static OrtStatus* BeginWrite(const OrtGraph* graph, const Wish* wish, const Group* group,
                             Output* output) {
  const char* model = NULL;
  char out[PATH_MAX];
  CHECK(ort->Graph_GetModelPath(graph, &model));
  if (wish->has_path) {
    snprintf(out, sizeof(out), "%s", wish->path);
  } else if (model != NULL && model[0] != '\0') {
    char folder[PATH_MAX], stem[NAME_SIZE];
    Folder(model, folder);
    Stem(model, stem);
    snprintf(stem + strlen(stem), NAME_SIZE - strlen(stem), "_ctx.onnx");
    Join(out, folder, stem);
  } else if (wish->embed) {
    return NULL;
  } else {
    return Fail("no place for the blob: set ep.context_file_path or ep.context_embed_mode=1");
  }
#ifndef FAULT_EMBED_WRITES
  if (wish->embed) return NULL;
#endif
  if (Is(out, S_IFDIR)) return Say(ORT_INVALID_ARGUMENT, "%s is a folder", out);
  Folder(out, output->folder);
  Stem(out, output->stem);
  if (wish->share && group->open) {
    snprintf(output->file, NAME_SIZE, "%s", group->file);
#ifdef FAULT_TWO_BLOBS
    snprintf(output->file, NAME_SIZE, "%.100s.toy.bin", output->stem);
#endif
  } else {
    snprintf(output->file, NAME_SIZE, "%.100s.toy.bin", output->stem);
  }
  Join(output->path, output->folder, output->file);
#ifndef FAULT_OVERWRITES
  if (Is(out, S_IFREG)) return Say(ORT_INVALID_ARGUMENT, "%s is there already", out);
  if (Is(output->path, S_IFREG)) return Say(ORT_INVALID_ARGUMENT, "%s is there already", output->path);
#endif
  return NULL;
}

static OrtStatus* WriteBlob(const Output* output, Blob* blob) {
  const size_t size = Seal(blob);
#if defined(FAULT_FIXED_NAME) || defined(FAULT_LINK_FOLLOWED)
  char temporary[PATH_MAX + 16];
  snprintf(temporary, sizeof(temporary), "%s/toy.part", output->folder);
#ifdef FAULT_LINK_FOLLOWED
  const int made = open(temporary, O_WRONLY | O_CREAT, 0666);
#else
  const int made = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
#endif
  if (made < 0 || write(made, blob, size) < 0) return Say(ORT_FAIL, "%s: in use", temporary);
  close(made);
  unlink(temporary);
#endif
  FILE* file = fopen(output->path, "wb");
  if (file == NULL) return Say(ORT_FAIL, "%s: cannot be written", output->path);
  const bool good = fwrite(blob, 1, size, file) == size;
  const bool closed = fclose(file) == 0;
#ifdef FAULT_EXTRA_FILE
  char extra[PATH_MAX + 8];
  snprintf(extra, sizeof(extra), "%s.tmp", output->path);
  fclose(fopen(extra, "wb"));
#endif
  return good && closed ? NULL : Say(ORT_FAIL, "%s: cannot be written", output->path);
}

static OrtStatus* AddText(OrtOpAttr** attributes, size_t* count, const char* name, const char* text,
                          size_t size) {
  CHECK(ort->CreateOpAttr(name, text, (int)size, ORT_OP_ATTR_STRING, &attributes[*count]));
  ++*count;
  return NULL;
}

static OrtStatus* AddNumber(OrtOpAttr** attributes, size_t* count, const char* name, int64_t value) {
  CHECK(ort->CreateOpAttr(name, &value, 1, ORT_OP_ATTR_INT, &attributes[*count]));
  ++*count;
  return NULL;
}

static OrtStatus* Names(const OrtNode* node, int outputs, const char** names, size_t* count) {
  const OrtValueInfo* values[MOST];
  if (outputs) {
    CHECK(ort->Node_GetNumOutputs(node, count));
    CHECK(ort->Node_GetOutputs(node, values, *count));
  } else {
    CHECK(ort->Node_GetNumInputs(node, count));
    CHECK(ort->Node_GetInputs(node, values, *count));
  }
  for (size_t i = 0; i < *count; ++i) {
    names[i] = "";
    if (values[i] != NULL) CHECK(ort->GetValueInfoName(values[i], &names[i]));
  }
  return NULL;
}

/* An EPContext node in the place of `fused`. */
static OrtStatus* ContextNode(const OrtNode* fused, const char* partition, const char* cache,
                              size_t size, bool embed, bool main, OrtNode** node) {
  const char *inputs[MOST], *outputs[MOST], *name = NULL;
  size_t input_count = 0, output_count = 0, count = 0;
  OrtOpAttr* attributes[8];
  CHECK(Names(fused, 0, inputs, &input_count));
  CHECK(Names(fused, 1, outputs, &output_count));
  CHECK(ort->Node_GetName(fused, &name));
#ifdef FAULT_NO_SOURCE
  CHECK(AddText(attributes, &count, "source", "", 0));
#else
  CHECK(AddText(attributes, &count, "source", EP_NAME, strlen(EP_NAME)));
#endif
  CHECK(AddText(attributes, &count, "ep_cache_context", cache, size));
  CHECK(AddText(attributes, &count, "partition_name", partition, strlen(partition)));
  CHECK(AddText(attributes, &count, "ep_sdk_version", "0.1.0", 5));
  CHECK(AddNumber(attributes, &count, "embed_mode", embed));
#ifdef FAULT_NO_MAIN
  main = false;
#endif
#ifdef FAULT_GHOST_INPUT
  inputs[input_count++] = "ghost";
#endif
  CHECK(AddNumber(attributes, &count, "main_context", main));
  OrtStatus* status = ort->GetModelEditorApi()->CreateNode(
      "EPContext", "com.microsoft", name, inputs, input_count, outputs, output_count, attributes,
      count, node);
  for (size_t i = 0; i < count; ++i) ort->ReleaseOpAttr(attributes[i]);
  return status;
}

/* Writes the groups of one model. */
static OrtStatus* Write(const OrtGraph* graph, const Wish* wish, Group* group, const Output* output,
                        const OrtNode** fused, Compiled** compiled, size_t count, OrtNode** nodes) {
  const char *model = NULL, *name = NULL;
  char stem[NAME_SIZE] = "memory";
  CHECK(ort->Graph_GetModelPath(graph, &model));
  if (model != NULL && model[0] != '\0') Stem(model, stem);
#ifdef FAULT_WRITE_CRASH
  abort();
#endif
  const bool shares = wish->share && !wish->embed;
  Blob* blob = shares ? &group->blob : calloc(1, sizeof(Blob));
  if (shares && !group->open) {
    memset(blob, 0, sizeof(*blob));
    snprintf(group->file, NAME_SIZE, "%s", output->file);
    group->open = true;
  }
  const size_t before = blob->count;
  OrtStatus* status = before + count > MOST ? Fail("too many groups") : NULL;
  for (size_t i = 0; status == NULL && i < count; ++i) {
    status = ort->Node_GetName(fused[i], &name);
    if (status != NULL) break;
    Entry* entry = &blob->entry[blob->count++];
    snprintf(entry->name, NAME_SIZE, "%.80s/%.100s", stem, name);
    entry->program = compiled[i]->program;
  }
  const size_t size = status == NULL ? Seal(blob) : 0;
  for (size_t i = 0; status == NULL && i < count; ++i) {
    const char* cache = wish->embed ? (const char*)blob : output->file;
#ifdef FAULT_ABSOLUTE_NAME
    if (!wish->embed) cache = output->path;
#endif
#ifndef FAULT_NULL_NODES
    status = ContextNode(fused[i], blob->entry[before + i].name, cache,
                         wish->embed ? size : strlen(cache), wish->embed, wish->embed || i == 0,
                         &nodes[i]);
#endif
  }
#ifdef FAULT_EMBED_WRITES
  const bool file = !wish->embed || output->path[0] != '\0';
#else
  const bool file = !wish->embed;
#endif
#ifdef FAULT_TWO_BLOBS
  const bool last = true;
#else
  const bool last = !shares || wish->stop;
#endif
  if (status == NULL && file && last) status = WriteBlob(output, blob);
#ifdef FAULT_TEMP_FILE
  fclose(fopen("toy.tmp", "wb"));
#endif
  if (shares && (wish->stop || status != NULL)) group->open = false;
  if (!shares) free(blob);
  return status;
}

#endif
