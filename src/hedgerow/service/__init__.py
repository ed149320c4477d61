"""The service: accounts, an HTTP interface with web pages, and the PostgreSQL protocol, all thin
shells over one ``QueryService``."""
