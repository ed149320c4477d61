"""Programs: what they are (``program``), how they are read, and how they run."""
