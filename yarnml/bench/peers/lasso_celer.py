"""celer's Lasso: objective."""

import json
import sys
import time

import numpy as np
from celer import Lasso
from sklearn.datasets import load_svmlight_file

X, y = load_svmlight_file(f"{sys.argv[1]}/train.libsvm")
begin = time.perf_counter()
model = Lasso(alpha=1e-3).fit(X.tocsc(), y)
end = time.perf_counter()
rest = y - X @ model.coef_ - model.intercept_
quality = rest @ rest / 2 / len(y) + 1e-3 * np.abs(model.coef_).sum()
print(json.dumps({"quality": quality, "train": end - begin, "after": time.perf_counter() - end}))
