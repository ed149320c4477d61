"""The sandbox layers of a child process: Landlock, seccomp, no capabilities, no network."""
