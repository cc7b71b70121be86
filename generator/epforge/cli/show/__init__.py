"""What verbs print: outcomes, conflicts, diffs, progress; for people and for programs."""
