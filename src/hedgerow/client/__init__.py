"""A client of ``hedgerow serve``: a database at an address, with the methods of a local one."""
