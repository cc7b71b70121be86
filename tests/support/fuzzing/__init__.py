"""Fuzzing of blueprints: texts that are right, nearly right and hostile, and what becomes of them.

Everything follows from a seed and a number: case 17 of seed 3 is the same text everywhere.
"""
