"""A trained model on any store: what was learned, from which columns, and how it predicts."""

from yarnml.model.model import Artifacts, Model
from yarnml.model.store import load_model, load_outline, save_model

__all__ = ["Artifacts", "Model", "load_model", "load_outline", "save_model"]
