"""Multiclass logistic regression: a row's class, with probabilities, from a weighted sum of its features."""
