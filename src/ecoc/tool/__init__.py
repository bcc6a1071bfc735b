"""Read tables, compare models, and run both from the command line."""
