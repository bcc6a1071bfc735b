"""Let ``python -m ecoc.cli`` do what ``ecoc`` does."""

from ecoc.cli import main

main()
