"""tomotopy's LDA of 50 topics, 50 passes: perplexity of half of each test document's tokens, by the other half."""

import json
import sys
import time

import numpy as np
import tomotopy
from numpy.typing import NDArray


def documents(part: str) -> list[list[str]]:
    """Each one's tokens."""
    with open(f"{sys.argv[1]}/{part}.libsvm") as file:
        pairs = [[pair.split(":") for pair in line.split()[1:]] for line in file]
    return [[word for word, count in each for _ in range(int(float(count)))] for each in pairs]


def shares(P: NDArray[np.float64], alpha: NDArray[np.float64]) -> NDArray[np.float64]:
    """A document's shares of topics (K,) by EM, from its tokens' chances P (n, K) in each."""
    theta: NDArray[np.float64] = alpha / alpha.sum()
    for _ in range(100):
        R = P * theta
        theta = alpha + (R / R.sum(axis=1, keepdims=True)).sum(axis=0)
        theta /= theta.sum()
    return theta


train = documents("train")
begin = time.perf_counter()
model = tomotopy.LDAModel(k=50, alpha=0.1, eta=0.01, seed=1)
for tokens in train:
    model.add_doc(tokens)
model.train(50, workers=0)
end = time.perf_counter()
phi = np.array([model.get_topic_word_dist(k) for k in range(50)])
place, rng = {word: j for j, word in enumerate(model.used_vocabs)}, np.random.default_rng(1)
log_likelihood, asked = 0.0, 0
for tokens in documents("test"):
    words = np.array([place[word] for word in tokens if word in place], np.int64)
    known = rng.random(len(words)) < 0.5
    theta = shares(phi[:, words[known]].T, np.array(model.alpha))
    log_likelihood += np.log(theta @ phi[:, words[~known]]).sum()
    asked += int((~known).sum())
quality = float(np.exp(-log_likelihood / asked))
print(json.dumps({"quality": quality, "train": end - begin, "after": time.perf_counter() - end}))
