"""Read tables, compare models, and offer both on the command line."""
