"""A table: who in it is alone with some columns, and who in it is also in another one."""
