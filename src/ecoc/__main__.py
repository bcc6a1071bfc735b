"""``python -m ecoc`` does what ``ecoc`` does, also where that command is not on the search path."""

from ecoc.tool.cli import main

main()
