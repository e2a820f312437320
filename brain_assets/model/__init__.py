"""Domain types. Plain data: nothing here reads a file, a database or the network."""
