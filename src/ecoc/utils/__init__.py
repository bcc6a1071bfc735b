"""What does every package need? Files, folds, threads, messages: one file each, and nothing about codes."""
