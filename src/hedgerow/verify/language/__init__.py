"""The language of programs: its syntax tree (``program``), its front ends and its interpreter."""
