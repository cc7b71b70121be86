"""Broken blueprints: good ones with mistakes that people make, each with its place.

The set says where a mistake is, and whether a program may mend it; epforge is not asked.
"""

from __future__ import annotations

from broken_blueprints.contradictions import CONTRADICTIONS
from broken_blueprints.keys import KEYS
from broken_blueprints.model import Broken
from broken_blueprints.operators import OPERATORS
from broken_blueprints.own_ops import OWN_OPS
from broken_blueprints.syntax import SYNTAX
from broken_blueprints.values import VALUES

#: The whole set.
BROKEN: tuple[Broken, ...] = (*SYNTAX, *KEYS, *VALUES, *OPERATORS, *OWN_OPS, *CONTRADICTIONS)
