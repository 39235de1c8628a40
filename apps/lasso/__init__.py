"""Lasso and elastic net: a number from a weighted sum of few of a row's features, by scheduled coordinate descent."""
