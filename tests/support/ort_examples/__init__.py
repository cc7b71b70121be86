"""What ONNX Runtime's own tests assert of its example execution providers, asked of ours.

One module for each of ORT's files, one function for each of its tests (`of` gives ORT's name). They
run on the libraries of `blueprints/ort-examples`, in one process for each module.
"""
