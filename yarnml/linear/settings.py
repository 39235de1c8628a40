"""Settings: what an app's config says of how a linear model is fitted; the app has their defaults and help texts."""

from __future__ import annotations

from dataclasses import dataclass

from yarnml.app import AppConfig


@dataclass(frozen=True, kw_only=True)
class Settings(AppConfig):
    lam: float | None
    ratio: float
    intercept: bool
    standardize: bool
    path: int
    tol: float
    rounds: int
    patience: int
