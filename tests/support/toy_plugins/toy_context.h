/* Compiled models of the compiling toy: EPContext nodes, the blob beside a model, shared blobs. */
#ifndef TOY_CONTEXT_H
#define TOY_CONTEXT_H

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "toy_program.h"

#define MAGIC 0x31424F4C42594F54ull /* TOYBLOB1 */

typedef struct {
  char name[NAME_SIZE];
  Program program;
} Entry;

typedef struct {
  uint64_t magic, count, checksum;
  Entry entry[MOST];
} Blob;

/* What sessions that share a blob have in common; it belongs to the factory. */
typedef struct {
  bool open;
  char file[NAME_SIZE];
  Blob blob;
} Group;

/* What a session was asked for. */
typedef struct {
  bool write, embed, share, stop, no_compiling;
  char path[PATH_MAX];
  bool has_path;
} Wish;

static OrtStatus* Say(OrtErrorCode code, const char* format, const char* what) {
  char text[PATH_MAX + 200];
  snprintf(text, sizeof(text), format, what);
  return ort->CreateStatus(code, text);
}

static uint64_t Checksum(const Blob* blob) {
  const unsigned char* bytes = (const unsigned char*)blob->entry;
  uint64_t sum = 1469598103934665603ull ^ blob->count;
  for (size_t i = 0; i < blob->count * sizeof(Entry); ++i) sum = (sum ^ bytes[i]) * 1099511628211ull;
  return sum;
}

static size_t Seal(Blob* blob) {
  blob->magic = MAGIC;
  blob->checksum = Checksum(blob);
  return offsetof(Blob, entry) + blob->count * sizeof(Entry);
}

static OrtStatus* Unseal(const char* bytes, size_t size, Blob* blob) {
#ifdef FAULT_RELOAD_CRASH
  if (size != 0) abort();
#endif
  memset(blob, 0, sizeof(*blob));
  if (size < offsetof(Blob, entry) || size > sizeof(*blob)) return Fail("the blob has a wrong size");
  memcpy(blob, bytes, size);
#ifdef FAULT_NO_CHECKSUM
  return NULL;
#endif
  if (blob->magic != MAGIC) return Fail("the blob has another magic: not one of toy's");
  if (blob->count > MOST || offsetof(Blob, entry) + blob->count * sizeof(Entry) != size) {
    return Fail("the blob is cut off");
  }
  return blob->checksum == Checksum(blob) ? NULL : Fail("the blob's checksum is wrong");
}

/* ---- options ---- */

static OrtStatus* Option(const OrtSessionOptions* options, const char* key, char* value, size_t size) {
  int there = 0;
  value[0] = '\0';
  CHECK(ort->HasSessionConfigEntry(options, key, &there));
  return there ? ort->GetSessionConfigEntry(options, key, value, &size) : NULL;
}

static OrtStatus* Flag(const OrtSessionOptions* options, const char* key, bool* flag) {
  char value[16];
  CHECK(Option(options, key, value, sizeof(value)));
  *flag = strcmp(value, "1") == 0;
  return NULL;
}

static OrtStatus* ReadWish(const OrtSessionOptions* options, Wish* wish) {
  CHECK(Flag(options, "ep.context_enable", &wish->write));
  CHECK(Flag(options, "ep.context_embed_mode", &wish->embed));
  CHECK(Flag(options, "ep.share_ep_contexts", &wish->share));
  CHECK(Flag(options, "ep.stop_share_ep_contexts", &wish->stop));
  CHECK(Flag(options, "session.disable_model_compile", &wish->no_compiling));
#ifdef FAULT_FORBIDS
  if (wish->no_compiling) return Fail("toy always compiles");
#endif
  CHECK(Option(options, "ep.context_file_path", wish->path, sizeof(wish->path)));
  wish->has_path = wish->path[0] != '\0';
#ifdef FAULT_REFUSES_EMBED
  if (wish->write && wish->embed) return Fail("toy embeds nothing");
#endif
  return NULL;
}

/* ---- paths ---- */

/* Cut off where it would be too long for any file. */
static void Join(char* path, const char* folder, const char* name) {
  if (strlen(folder) + strlen(name) + 2 > PATH_MAX) name = "";
  strcpy(path, folder);
  strcat(path, "/");
  strcat(path, name);
}

static void Folder(const char* path, char* folder) {
  snprintf(folder, PATH_MAX, "%s", path);
  char* slash = strrchr(folder, '/');
  if (slash == NULL) strcpy(folder, ".");
  else if (slash == folder) slash[1] = '\0';
  else *slash = '\0';
}

static void Stem(const char* path, char* stem) {
  const char* slash = strrchr(path, '/');
  snprintf(stem, NAME_SIZE, "%s", slash != NULL ? slash + 1 : path);
  char* dot = strrchr(stem, '.');
  if (dot != NULL && dot != stem) *dot = '\0';
}

static bool Is(const char* path, unsigned kind) {
  struct stat info;
  return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == kind;
}

/* The folder in which a model's blob lies. */
static OrtStatus* BaseFolder(const OrtGraph* graph, const Wish* wish, char* folder) {
  const char* model = NULL;
  CHECK(ort->Graph_GetModelPath(graph, &model));
#ifdef FAULT_WORKING_FOLDER
  return getcwd(folder, PATH_MAX) != NULL ? NULL : Fail("no working folder");
#endif
  if (model != NULL && Is(model, S_IFREG)) {
    Folder(model, folder);
  } else if (wish->has_path && !Is(wish->path, S_IFDIR)) {
    Folder(wish->path, folder);
  } else {
#ifdef FAULT_VAGUE_MEMORY
    return Fail("no folder to look in");
#endif
    return Fail("a model from memory: set ep.context_file_path to a file beside its blob");
  }
  return NULL;
}

static OrtStatus* BlobPath(const char* folder, const char* name, char* path) {
  Join(path, folder, name);
#if !defined(FAULT_FOLLOWS_NAMES) && !defined(FAULT_FIFO)
  char real[PATH_MAX], base[PATH_MAX];
  if (name[0] == '\0' || strlen(name) > 255 || strpbrk(name, "/\\:") != NULL || name[0] == '.') {
    return Say(ORT_INVALID_ARGUMENT, "ep_cache_context '%.40s' is no plain file name", name);
  }
  if (realpath(folder, base) == NULL) return Say(ORT_FAIL, "no folder %s", folder);
  if (realpath(path, real) != NULL && strncmp(real, base, strlen(base)) != 0) {
    return Say(ORT_INVALID_ARGUMENT, "%s leads out of its folder", path);
  }
#elif defined(FAULT_FOLLOWS_NAMES)
  if (name[0] == '/') snprintf(path, PATH_MAX, "%s", name);
#endif
  return NULL;
}

/* ---- reading ---- */

/* The text of an attribute, to be freed; NULL if the node has none of that name. */
static OrtStatus* Text(const OrtNode* node, const char* name, char** text, size_t* size) {
  const OrtOpAttr* attribute = NULL;
  *text = NULL;
  *size = 0;
  OrtStatus* status = ort->Node_GetAttributeByName(node, name, &attribute);
  if (status != NULL) ort->ReleaseStatus(status);
  if (status != NULL || attribute == NULL) return NULL;
  status = ort->ReadOpAttr(attribute, ORT_OP_ATTR_STRING, NULL, 0, size);
  if (status != NULL) ort->ReleaseStatus(status);
  *text = calloc(*size + 1, 1);
  return *size == 0 ? NULL : ort->ReadOpAttr(attribute, ORT_OP_ATTR_STRING, *text, *size, size);
}

static OrtStatus* IsOurs(const OrtNode* node, bool* ours) {
  char* source = NULL;
  size_t size = 0;
  OrtStatus* status = Text(node, "source", &source, &size);
#ifdef FAULT_ANY_SOURCE
  *ours = status == NULL;
#else
  *ours = status == NULL && source != NULL && strcmp(source, EP_NAME) == 0;
#endif
  free(source);
  return status;
}

static OrtStatus* ReadBlob(const char* path, Blob* blob) {
#ifndef FAULT_FIFO
  if (!Is(path, S_IFREG)) {
#ifdef FAULT_VAGUE_MISSING
    return Fail("there is no blob");
#endif
    return Say(ORT_FAIL, "%s: no such blob; ep.context_file_path says where to look", path);
  }
#endif
  const int file = open(path, O_RDONLY);
  if (file < 0) return Say(ORT_FAIL, "%s: cannot be opened", path);
  char* bytes = malloc(sizeof(Blob) + 1);
  const ssize_t size = read(file, bytes, sizeof(Blob) + 1);
  close(file);
  OrtStatus* status = size < 0 ? Say(ORT_FAIL, "%s: cannot be read", path)
                               : Unseal(bytes, (size_t)size, blob);
  free(bytes);
  return status;
}

/* The program of an EPContext node, from its blob. */
static OrtStatus* LoadProgram(const OrtGraph* graph, const OrtNode* node, const Wish* wish,
                              Program* program) {
  char *cache = NULL, *partition = NULL, folder[PATH_MAX], path[PATH_MAX];
  size_t size = 0, length = 0;
  const OrtOpAttr* attribute = NULL;
  int64_t embedded = 1;
  Blob* blob = calloc(1, sizeof(Blob));
  OrtStatus* status = ort->Node_GetAttributeByName(node, "embed_mode", &attribute);
  if (status == NULL && attribute != NULL) {
    status = ort->ReadOpAttr(attribute, ORT_OP_ATTR_INT, &embedded, sizeof(embedded), &size);
  }
  if (status == NULL) status = Text(node, "ep_cache_context", &cache, &size);
  if (status == NULL) status = Text(node, "partition_name", &partition, &length);
  if (status == NULL && cache == NULL) status = Fail("an EPContext node without ep_cache_context");
  if (status == NULL && embedded) status = Unseal(cache, size, blob);
  if (status == NULL && !embedded) {
    status = BaseFolder(graph, wish, folder);
    if (status == NULL && strlen(cache) != size) status = Fail("a NUL in ep_cache_context");
    if (status == NULL) status = BlobPath(folder, cache, path);
    if (status == NULL) status = ReadBlob(path, blob);
  }
  bool found = false;
  for (size_t i = 0; status == NULL && i < blob->count; ++i) {
    if (partition == NULL || strcmp(blob->entry[i].name, partition) != 0) continue;
    *program = blob->entry[i].program;
    found = true;
  }
  if (status == NULL && (!found || !IsSound(program))) status = Fail("the blob lacks the partition");
  free(cache), free(partition), free(blob);
  return status;
}

#endif
