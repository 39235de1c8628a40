"""A trained model on any store: what was learned, from which columns, and how it predicts."""

from yarnml.model.abilities import Abilities
from yarnml.model.coefficients import Coefficients
from yarnml.model.model import Artifacts, Model
from yarnml.model.store import load_model, load_outline, made_by, save_model

__all__ = ["Abilities", "Artifacts", "Coefficients", "Model", "load_model", "load_outline", "made_by", "save_model"]
