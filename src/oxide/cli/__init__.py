"""The command line: one file a command, and `ui`, which does all printing."""
