<% from "kernels/parts.inc" import read %>
<%= banner %>
#include "<%= k.header %>"

// Write InferShapes and Compute, then set kReady<%= k.op %> in <%= k.stem %>.h to true: until then the
// library does not offer the op. Read may refuse nodes that Compute cannot do; its text says why.
<% if cuda %>
//
// This is compiled by nvcc. `raw` of a tensor is an address of the device's, save for the inputs of
// kHostInputs<%= k.op %>: code of the device may follow it, and InferShapes and Compute may not.
// Launch every kernel on exec.Stream(), a cudaStream_t, wait for nothing, and return what
// cudaGetLastError() says as a Status; scratch memory is exec.Scratch's.
<% endif %>
<% if k.custom %>
//
// ONNX knows nothing of the op: InferShapes is asked while a model is loaded, too, before any tensor
// has data. Then `raw` is null in all of them, and a dimension that the model leaves open has a
// number of no meaning. Go by shapes and attributes, and never read `raw` when it is null. Where
// they do not tell, return an error: the shape stays open until the node runs. For an output as
// large as the first input:
//
//   shapes[0] = inputs[0].shape;
//   return Status();
<% endif %>
//
// Inputs:
<% for name, option in k.inputs %>
// - <%= loop.index0 %>: <%= name | cpp_comment %><% if option == "optional" %> (optional: ask inputs.has(<%= loop.index0 %>))<% elif option == "variadic" %> (any number: up to inputs.size())<% endif %>

<% endfor %>
// Outputs:
<% for name, option in k.outputs %>
// - <%= loop.index0 %>: <%= name | cpp_comment %><% if option == "optional" %> (optional: ask outputs.has(<%= loop.index0 %>))<% elif option == "variadic" %> (any number: up to outputs.size())<% endif %>

<% endfor %>
<% if k.types %>
// Element types that the library registers:
<% for constraint, types in k.types.items() %>
// - <%= constraint | cpp_comment %>: <% for enumerator, cpp in types %><%= enumerator %><% if not loop.last %>, <% endif %><% endfor %>

<% endfor %>
<% endif %>

namespace <%= ns %> {

<%= read(k) %>

Status InferShapes(const <%= k.attrs %>&, Inputs, Shapes&) {
  return NotImplemented(<%= (k.label ~ ": InferShapes is not written yet") | cpp_string %>);
}

Status Compute(const <%= k.attrs %>&, Inputs, Outputs, Exec&) {
  return NotImplemented(<%= (k.label ~ ": Compute is not written yet") | cpp_string %>);
}

}  // namespace <%= ns %>
