"""Helpers that all packages share: codewords, files, folds, threads, messages and others."""
