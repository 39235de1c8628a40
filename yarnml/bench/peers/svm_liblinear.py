"""LIBLINEAR's dual coordinate descent, L1 loss, as it stops by itself: objective a row."""

import json
import sys
import time

import numpy as np
from liblinear.liblinearutil import parameter, problem, train
from sklearn.datasets import load_svmlight_file

X, labels = load_svmlight_file(f"{sys.argv[1]}/train.libsvm")
y = np.where(labels == labels.max(), 1.0, -1.0)
begin = time.perf_counter()
model = train(problem(y, X, bias=1.0), parameter("-s 3 -c 1 -B 1 -q"))
end = time.perf_counter()
w = np.ctypeslib.as_array(model.w, (model.nr_feature + 1,)) * (1 if model.label[0] == 1 else -1)
short = np.maximum(1 - y * (X @ w[:-1] + w[-1]), 0)
quality = (w @ w / 2 + short.sum()) / len(y)
print(json.dumps({"quality": quality, "train": end - begin, "after": time.perf_counter() - end}))
