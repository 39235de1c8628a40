"""LIBLINEAR's L1-regularised logistic regression, the bias not among what is penalised: objective a row."""

import json
import sys
import time

import numpy as np
from liblinear.liblinearutil import parameter, problem, train
from sklearn.datasets import load_svmlight_file

X, labels = load_svmlight_file(f"{sys.argv[1]}/train.libsvm")
y = np.where(labels == labels.max(), 1.0, -1.0)
begin = time.perf_counter()
model = train(problem(y, X, bias=1.0), parameter("-s 6 -c 1 -B 1 -R -q"))
end = time.perf_counter()
w = np.ctypeslib.as_array(model.w, (model.nr_feature + 1,)) * (1 if model.label[0] == 1 else -1)
loss = np.logaddexp(0, -y * (X @ w[:-1] + w[-1]))
quality = (np.abs(w[:-1]).sum() + loss.sum()) / len(y)
print(json.dumps({"quality": quality, "train": end - begin, "after": time.perf_counter() - end}))
