"""A repository that holds a blueprint: its questions, its rules, its files. Still in memory."""

from __future__ import annotations

from epforge.starter.answers import Answers, Problem, Rules, given_answers, proposed_name
from epforge.starter.compose import BLUEPRINT, compose, starter_dir
from epforge.starter.questions import Question, applies, questions

__all__ = [
    "BLUEPRINT",
    "Answers",
    "Problem",
    "Question",
    "Rules",
    "applies",
    "compose",
    "given_answers",
    "proposed_name",
    "questions",
    "starter_dir",
]
