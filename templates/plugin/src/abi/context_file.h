<%= banner %>
#pragma once

#include <onnxruntime_c_api.h>

#include <string>
<% if external %>
#include <vector>
<% endif %>

<% if external %>
#include "gen/api/status.h"
#include "gen/graph/graph.h"

<% endif %>
namespace <%= ns %> {

// Paths and names of files, in UTF-8 on every platform. These look at the text alone.
std::string PathText(const ORTCHAR_T* path);
std::string NameOf(const std::string& path);
std::string StemOf(const std::string& path);
<% if external %>
std::string FolderOf(const std::string& path);  // "." where the path names none
std::string Join(const std::string& folder, const std::string& name);

enum class PathKind { kNothing, kFile, kFolder, kOther };

// What a path leads to; links are followed.
PathKind LookAt(const std::string& path);
// Is there anything of this name, be it a link to nowhere?
bool IsTaken(const std::string& path);
// Makes `folder` a path without links; one that files cannot be made in is an error.
Status PrepareFolder(std::string* folder);

// Refuses every name that could lead out of the folder that it is looked for in.
Status CheckContextName(const std::string& name);

// The file `name` of `folder`, as a path without links; empty when there is none. `name` comes out
// of a model and is not trusted: what lies outside of the folder, even by way of a link, and what
// is no regular file is an error. Nothing is opened.
Status FindContextFile(const std::string& folder, const std::string& name, std::string* path);

// Reads a file that FindContextFile has found.
Status ReadContextFile(const std::string& path, SharedBytes* bytes);

// Another one for each file that ever had this path, as far as the system can tell.
std::string FileStamp(const std::string& path);

// The file that a session writes: whole or not at all. A file that was there before is never
// touched; what was written is removed again unless it is kept.
class ContextFile {
 public:
  ContextFile() = default;
  ContextFile(const ContextFile&) = delete;
  ContextFile& operator=(const ContextFile&) = delete;
  ~ContextFile();

  // A second call replaces what the first has written; the path must be the same.
  Status Write(const std::string& path, const std::vector<unsigned char>& bytes);
  void Keep() noexcept { kept_ = true; }
  bool written() const noexcept { return !path_.empty(); }

 private:
  std::string path_;
  std::string stamp_;
  bool kept_ = false;
};
<% endif %>

}  // namespace <%= ns %>
