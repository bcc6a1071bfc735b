"""Tables, the comparison of models, and the command line."""
