"""Matrix factorisation: how users rate items, or what they would like, from a few numbers for each of them."""
