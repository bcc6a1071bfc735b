"""Make code books: the code book itself, design, factorization, refinement and codings."""
