"""The shapes of what verbs print with ``--json``, for JSON Schema and for tests.

Keys may be added without a new format; readers ignore what they do not know. The format of an
answer goes up when a key goes away, changes its type or its meaning.
"""
