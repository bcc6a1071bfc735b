"""What a code is and how to make one: code book, design, factorization, refinement and codings."""
