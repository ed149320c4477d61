"""Publications: tables that are charged once, measured with noise and then public for good."""
