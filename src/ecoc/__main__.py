"""``python -m ecoc`` does what ``ecoc`` does, also where that command is not on the search path."""

from ecoc.cli import main

main()
