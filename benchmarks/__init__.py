"""How good and how fast is ecoc? Each module answers one question; ``python -m benchmarks`` runs them.

A module is a benchmark if its name does not start with an underscore and it has a function ``run(quick)``. The function
yields tables, goals and lines of text (see :mod:`benchmarks._report`). There is no registry to update.
"""
