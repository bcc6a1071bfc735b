"""Helpers that all packages share: files, folds, threads, messages and others, none of them about codes."""
