"""The demo: a made-up clinic, and a guided tour of the questions one may ask about it."""
