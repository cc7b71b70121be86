"""House styles laid over a project: templates of copier and cookiecutter, templates in place of
epforge's own, headers.

`find` reads an overlay, `source` renders one that is a template (in a process of its own, which
is `worker`), `lay` puts everything together. Nothing is imported here: a blueprint without
overlays pays nothing.
"""
