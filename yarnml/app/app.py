"""App: what one is: the names in its module, checked once when it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, is_dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, final

from numpy.typing import NDArray

from hdfs_io import Dataset, Schema
from yarnml.app.batch import Batch
from yarnml.app.demo import Demo
from yarnml.config import AppConfig, config_from_dict, hints
from yarnml.errors import UsageError, nearest
from yarnml.model import Artifacts, Model
from yarnml.task import Columns, Task

if TYPE_CHECKING:
    from yarnml.app.worker import Worker
    from yarnml.ps import TableSpec

NEEDED = ("Config", "work")
OPTIONAL = (
    "task", "demo", "tables", "start", "model", "predict", "recommend", "coefficients", "top_words", "summary", "check",
    "schema", "takes_nan", "fixed", "advice", "check_start",
)  # fmt: skip


@final
@dataclass(frozen=True, kw_only=True)
class App:
    """An app as the framework sees it. `schema`, where an app has it, says how the data of a run is read."""

    name: str
    ref: str  # what finds it again: its name, or its folder
    about: str  # one sentence
    version: str
    source: Mapping[str, bytes] = field(repr=False)  # its .py files by name
    code: str  # sha256 of them
    private: bool  # found by its path
    Config: type[AppConfig]
    work: Callable[[Worker, Any], Mapping[str, Any] | None]
    task: Task | None = None
    demo: Demo | None = None
    tables: Callable[[Any, Schema], list[TableSpec]] | None = None
    start: Callable[[Worker, Any], None] | None = None
    model: Callable[[Worker, Any], Artifacts] | None = None
    predict: Callable[[Model, Batch], Columns] | None = None
    recommend: Callable[[Model, Batch, int], Columns] | None = None
    coefficients: Callable[[Model], NDArray[Any]] | None = None
    top_words: Callable[[Model, int], NDArray[Any]] | None = None
    summary: Callable[[Model], Sequence[str]] | None = None
    check: Callable[[Any, Dataset, int], None] | None = None
    check_start: Callable[[Any, Schema, Model], None] | None = None
    advice: Callable[[Any], str] | None = None
    schema: Callable[[Any], Schema] | None = None
    takes_nan: bool = False  # a feature may be missing, which it sees as nan
    fixed: tuple[str, ...] = ()  # of its Config, what can't be another when a run is resumed, beside what tables show

    @classmethod
    def of(cls, module: ModuleType, **about: Any) -> Self:
        """The app that `module` describes; UsageError names what it lacks."""
        where = f"app {about['name']} ({module.__file__})"
        for name in NEEDED:
            if not hasattr(module, name):
                raise UsageError(f"{where}: app.py defines no {name}{nearest(name, vars(module))}")
        config: Any = module.Config
        if not (isinstance(config, type) and is_dataclass(config) and issubclass(config, AppConfig)):
            raise UsageError(f"{where}: Config must be a frozen dataclass derived from yarnml.app.AppConfig")
        if hasattr(module, "predict") and not isinstance(getattr(module, "task", None), Task):
            raise UsageError(f"{where}: an app with predict needs a task, such as task = Classification()")
        for name in getattr(module, "fixed", ()):
            if name not in hints(config):
                raise UsageError(f"{where}: fixed names {name!r}, and Config has no such flag")
        found = {name: getattr(module, name) for name in (*NEEDED, *OPTIONAL) if hasattr(module, name)}
        return cls(**about, **found)

    def config(self, values: Mapping[str, Any]) -> Any:
        """The app's Config of plain values."""
        return config_from_dict(self.Config, values, f"app {self.name}")

    def specs(self, cfg: Any, schema: Schema) -> list[TableSpec]:
        """The tables of a run: pure, so that every process builds the same."""
        return [] if self.tables is None else self.tables(cfg, schema)

    def refuse(self, cfg: Any, data: Dataset, rows: int) -> None:
        """Raise UsageError, before anything starts, if the app can't do its task with this config and data.

        `rows`: of the data set, those that are not held out.
        """
        if self.task is not None:
            self.task.refuse(data.schema)
        if data.options.missing == "nan":
            self.refuse_nan()
        if self.check is not None:
            self.check(cfg, data, rows)

    def refuse_nan(self) -> None:
        """Raise UsageError unless the app takes features that are missing."""
        if not self.takes_nan:
            raise UsageError(
                f"--missing nan: {self.name} cannot learn from nan; use --missing zero, or leave out such columns"
            )
