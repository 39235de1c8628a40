"""cmfrec's explicit factorisation by ALS: test RMSE."""

import json
import sys
import time

import numpy as np
import pandas as pd
from cmfrec import CMF

names = {"user": "UserId", "item": "ItemId", "rating": "Rating"}
ratings = pd.read_parquet(f"{sys.argv[1]}/train.parquet").rename(columns=names)
begin = time.perf_counter()
model = CMF(k=16, lambda_=0.05, scale_lam=True, verbose=False, precompute_for_predictions=False).fit(ratings)
end = time.perf_counter()
test = pd.read_parquet(f"{sys.argv[1]}/test.parquet")
error = model.predict(user=test["user"], item=test["item"]) - test["rating"]
quality = float(np.sqrt(np.mean(error**2)))
print(json.dumps({"quality": quality, "train": end - begin, "after": time.perf_counter() - end}))
