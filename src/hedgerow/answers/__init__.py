"""From a question to its noise, and from noisy numbers to an answer that people can read.
Nothing here sees data.
"""
