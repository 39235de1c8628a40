"""Linear models whose penalty makes weights zero: what lasso and sparse logistic regression have in common.

    minimise  P(w, b) = 1/A sum_i a_i l(y_i, x_i' w + b) + sum_j l1_j |w_j| + l2_j w_j^2 / 2    over w (d,), b

a_i are the rows' weights, A their sum. Each round of the schedule takes the weights that violate the optimality
conditions most, with those that aren't zero, and minimises a quadratic in them: their Gram matrix is summed over all
workers, coordinate descent on it is done by each alike. For squares that quadratic is P itself; for the logistic loss
it is Newton's, and P is looked at before it is taken [Friedman, Hastie, Tibshirani 2010, Regularization paths for
generalized linear models via coordinate descent; Johnson, Guestrin 2015, Blitz, for the choice of weights].
"""

from yarnml.linear.fit import fit, lambdas
from yarnml.linear.settings import Settings
from yarnml.linear.tables import learned, linear_tables
from yarnml.linear.told import told

__all__ = ["Settings", "fit", "lambdas", "learned", "linear_tables", "told"]
