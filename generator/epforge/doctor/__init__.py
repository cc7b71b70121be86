"""What is missing on a machine, and what a blueprint, a project, a library or a model needs of it.

Facts are gathered by small functions, and judged by others that look at nothing else.
"""
