"""scikit-learn's LogisticRegression: test log-loss."""

import json
import sys
import time

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

table = pd.read_parquet(f"{sys.argv[1]}/train.parquet")
X, y = table.drop(columns="label").to_numpy("float32"), table["label"].to_numpy()
begin = time.perf_counter()
model = LogisticRegression(C=1.0, max_iter=100).fit(X, y)
end = time.perf_counter()
table = pd.read_parquet(f"{sys.argv[1]}/test.parquet")
quality = log_loss(table["label"], model.predict_proba(table.drop(columns="label").to_numpy("float32")))
print(json.dumps({"quality": quality, "train": end - begin, "after": time.perf_counter() - end}))
