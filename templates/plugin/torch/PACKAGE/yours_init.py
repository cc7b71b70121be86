<%= banner %>
"""The parts of operators that no expression tells: each module is yours to write."""
