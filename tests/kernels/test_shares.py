"""Shares: equal to EM in numpy; a document's halves are its tokens; completion is the likelihood of the other half."""

from __future__ import annotations

import numpy as np
import pytest

from hdfs_io import CSR
from yarnml.kernels.shares import completion, halves, shares, shares_reference


@pytest.fixture
def documents() -> tuple[CSR, np.ndarray, np.ndarray]:
    """30 documents of up to 40 different words of 60, one of them empty; the words' chances in 7 topics; alpha."""
    rng = np.random.default_rng(0)
    X = rng.poisson(0.7, (30, 60)).astype(np.float32)
    X[3] = 0
    row, word = np.nonzero(X)
    indptr = np.searchsorted(row, np.arange(31)).astype(np.int64)
    phi = rng.dirichlet(np.full(60, 0.1), 7).T.astype(np.float32) + np.float32(1e-6)
    return CSR(indptr, word.astype(np.int32), X[row, word], 60), phi, rng.uniform(0.05, 0.5, 7).astype(np.float32)


def test_equal_to_numpy(documents: tuple[CSR, np.ndarray, np.ndarray]) -> None:
    X, phi, alpha = documents
    np.testing.assert_allclose(shares(X, phi, alpha), shares_reference(X, phi, alpha), atol=3e-3)


def test_an_empty_document_has_the_prior(documents: tuple[CSR, np.ndarray, np.ndarray]) -> None:
    X, phi, alpha = documents
    np.testing.assert_allclose(shares(X, phi, alpha)[3], alpha / alpha.sum(), rtol=1e-6)


def test_no_documents() -> None:
    none = CSR(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32), 4)
    assert shares(none, np.full((4, 2), 0.25, np.float32), np.ones(2, np.float32)).shape == (0, 2)


def test_halves_are_all_tokens_and_about_even(documents: tuple[CSR, np.ndarray, np.ndarray]) -> None:
    X = documents[0]
    first, second = halves(X.indptr, X.indices, X.values)
    np.testing.assert_array_equal(first + second, X.values)
    assert abs(first.sum() - second.sum()) < 4 * np.sqrt(X.values.sum())


def test_completion_is_the_other_halfs_likelihood(documents: tuple[CSR, np.ndarray, np.ndarray]) -> None:
    X, phi, alpha = documents
    first, second = halves(X.indptr, X.indices, X.values)
    theta = shares_reference(CSR(X.indptr, X.indices, first, X.width), phi, alpha)
    found, tokens = completion(X, phi, alpha)
    for d in range(len(X)):
        at = slice(X.indptr[d], X.indptr[d + 1])
        expected = second[at] @ np.log(phi[X.indices[at]].astype(np.float64) @ theta[d])
        assert found[d] == pytest.approx(expected, rel=1e-3)
        assert tokens[d] == second[at].sum()
