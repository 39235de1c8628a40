"""A server's side of tables: the rows that it holds, who may read what when, and the loop around it."""
