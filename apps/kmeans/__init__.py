"""k-means: rows into k groups, each around the mean of its rows."""
