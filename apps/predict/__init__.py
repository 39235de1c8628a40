"""A saved model applied to every row of a data set, in the rows' order."""
