"""Which helpers do all packages share? Files, folds, threads, messages and others, none of them about codes."""
