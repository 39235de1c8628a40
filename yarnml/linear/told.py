"""Told: what a reader wants to know of a linear model that was fitted."""

from __future__ import annotations

from yarnml.app import Model

LARGEST = 5  # weights that are named


def told(model: Model) -> list[str]:
    """How strong the penalty was, how many weights it left, and which of them are the largest."""
    used, known = len(model.coefficients), model.schema.width
    lam = "" if "lam" not in model.arrays else f"lam {model['lam'][-1]:.4g}: "
    line = f"{lam}{used:,} of {known:,} features have a weight"
    names = model.coefficients.largest(LARGEST)
    if model["w"].shape[1] > 1 or not names:
        return [line + (f", the largest {', '.join(names)}" if names else "")]
    shown = ", ".join(f"{name} {model.coefficients[name]:.4g}" for name in names)
    return [f"{line}, the largest {shown}"]
