"""How good and how fast is ecoc? One small module a question; ``python -m benchmarks`` answers them.

A module here whose name does not start with an underscore is a benchmark if it has a function ``run(quick)`` that
yields tables, goals and lines of text (see :mod:`benchmarks._report`). Nothing has to be registered.
"""
