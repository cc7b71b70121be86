<%= banner %>
"""The operators of <%= ep %> for PyTorch: functions, modules, gradients, ONNX.

Every operator is a function, `<%= package %>.<%= ops[0].function %>`, and a module that has the
attributes, `<%= package %>.<%= ops[0].module %>`. Importing the package registers them as
`torch.ops.<%= ns %>.<name>`. Models go to ONNX with `<%= package %>.export`, from Python or as a command.
"""

<% for line in package_imports %>
<%= line %>
<% endfor %>

__all__ = [
<% for name in exports %>
    <%= name | py_string %>,
<% endfor %>
]

__version__ = <%= version | py_string %>
