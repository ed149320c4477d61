"""The demo: a made-up clinic, and a guided tour of what may be asked about it."""
