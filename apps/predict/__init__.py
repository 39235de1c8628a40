"""Predict: apply a saved model to every row of a data set, in the rows' order."""
