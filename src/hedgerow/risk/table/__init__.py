"""Tables: people who are unique on some columns, and people who are also in another table."""
