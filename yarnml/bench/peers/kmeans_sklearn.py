"""scikit-learn's KMeans, as often started and passed over as ours: inertia."""

import json
import sys
import time

import pandas as pd
from sklearn.cluster import KMeans

X = pd.read_parquet(f"{sys.argv[1]}/train.parquet").drop(columns="label").to_numpy("float32")
begin = time.perf_counter()
model = KMeans(n_clusters=100, n_init=1, max_iter=20, random_state=0).fit(X)
train = time.perf_counter() - begin
print(json.dumps({"quality": model.inertia_, "train": train, "after": 0.0}))
