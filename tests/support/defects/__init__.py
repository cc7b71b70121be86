"""Seeded defects: what real plugin providers get wrong, each patched into a sound project."""

from __future__ import annotations

from defects import by_contract, by_use

DEFECTS = (
    *by_use.LOADING,
    *by_use.NUMBERS,
    *by_use.CONTEXTS,
    *by_contract.ENTRY,
    *by_contract.DEVICES,
    *by_contract.SESSIONS,
    *by_contract.MEMORY,
    *by_contract.THREADS,
)
