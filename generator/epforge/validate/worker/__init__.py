"""The process in which foreign code runs: `python -m epforge.validate.worker JOB RECORDS`.

A job is a JSON file; its answer is a file of JSON lines, written and flushed one by one, so that
whoever started the process knows how far it came when it dies.
"""
