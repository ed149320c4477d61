"""The layers that keep the engine process from writing: Landlock, seccomp, no capabilities, no
network.
"""
