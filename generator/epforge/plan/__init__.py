"""Blueprint -> Plan: which files, from which template, owned by whom, and why. Pure."""

from __future__ import annotations

from epforge.names import Safe
from epforge.plan.make import make_plan
from epforge.plan.model import FileSpec, Owner, Plan

__all__ = ["FileSpec", "Owner", "Plan", "Safe", "make_plan"]
