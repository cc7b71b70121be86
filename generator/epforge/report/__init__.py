"""Reports of validations: read back, shown as pages and for CI, and compared.

Knows a report by its JSON alone, so that one from another machine is as good as one's own.
"""

from __future__ import annotations

from epforge.report.difference import Difference, compare
from epforge.report.junit import junit
from epforge.report.page import page
from epforge.report.reading import parse, read
from epforge.report.schema import json_schema
from epforge.report.shape import Report

__all__ = [
    "Difference",
    "Report",
    "compare",
    "json_schema",
    "junit",
    "page",
    "parse",
    "read",
]
