"""Sparse logistic regression: a row's class from a weighted sum of few features, by scheduled coordinate descent."""
