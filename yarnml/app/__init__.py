"""Apps: what one is, where they are found, and the worker that each is handed.

An app is a folder whose `app.py` says, by module names alone, what it does:

    task = Classification()                  fixes the label, the metrics, the columns of a prediction
    class Config(AppConfig): ...             its flags, defaults and help texts
    def tables(cfg, schema): ...             the tables its workers share             (optional)
    def start(me, cfg): ...                  all workers, once a run, before clock 0  (optional)
    def work(me, cfg): ...                   what each worker does
    def model(me, cfg): ...                  what was learned                         (optional: the tables)
    def recommend(model, batch, top): ...    the best items for each row's user       (optional: predict --top)
    def predict(model, batch): ...           without it the app makes no model: `work` writes a data set to `me.out`
    def coefficients(model): ...             of a linear model: weights of the features, intercepts last    (optional)
    def top_words(model, n): ...             of topics: each one's likeliest words                          (optional)
    def summary(model): ...                  lines on what was learned                                      (optional)
    def advice(cfg): ...                     what to try where something learned is no number               (optional)
    def check(cfg, data, rows): ...          raises UsageError where they don't fit    (optional)
    def check_start(cfg, schema, model): ... the same of --start-from, if `work` itself begins with me.given  (optional)
    takes_nan = True                         a missing feature may be nan              (optional: it is refused)
    fixed = ("k",)                           flags that stay when a run is resumed     (optional: tables show theirs)
    def schema(cfg): ...                     how its data is read, if not by guessing  (optional; --label isn't needed)
    demo = Demo(...)                         what it runs on when no data is named     (optional)
"""

from yarnml.app.app import App
from yarnml.app.batch import Batch
from yarnml.app.demo import Demo
from yarnml.app.execute import execute
from yarnml.app.find import app_names, load_app
from yarnml.app.glimpse import glimpse
from yarnml.app.ids import gather_ids
from yarnml.app.located import located
from yarnml.app.opened import keeping
from yarnml.app.saved import open_model, open_outline, open_with_app
from yarnml.app.scores import predicted, readable
from yarnml.app.start import BEGINNING, Loaded, Start
from yarnml.app.worker import Worker
from yarnml.config import AppConfig, Count, Fraction, NonNegative, Positive
from yarnml.errors import UsageError
from yarnml.model import Artifacts, Model
from yarnml.task import Columns

__all__ = [
    "BEGINNING",
    "App",
    "AppConfig",
    "Artifacts",
    "Batch",
    "Columns",
    "Count",
    "Demo",
    "Fraction",
    "Loaded",
    "Model",
    "NonNegative",
    "Positive",
    "Start",
    "UsageError",
    "Worker",
    "app_names",
    "execute",
    "gather_ids",
    "glimpse",
    "keeping",
    "load_app",
    "located",
    "open_model",
    "open_outline",
    "open_with_app",
    "predicted",
    "readable",
]
