"""A worker's side of tables: what it knows of their rows, what it has yet to send, and the link to the servers."""
