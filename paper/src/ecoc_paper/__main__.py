"""``python -m ecoc_paper``: the command line."""

from ecoc_paper.cli import main

main()
