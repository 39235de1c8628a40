"""Parts: the data of a job: what is trained on, and what is held out of it or read beside it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, final

from hdfs_io import Dataset, LabelKind, ReadOptions, Sample, Schema, Surveyor, scan
from hdfs_io.options import TEXTS
from yarnml.app import App, keeping
from yarnml.capacity import cores, data_memory, refuse_memory, refuse_tables
from yarnml.errors import DataError, UsageError
from yarnml.job import Part
from yarnml.monitor.pace import paced
from yarnml.ps import TableSpec
from yarnml.request import Data, Running
from yarnml.survey import Unsurveyed
from yarnml.warm import refuse_start

Say = Callable[[str], None]
HELD_OUT = ("test", "valid")  # in this order fractions are taken off the training data


@final
@dataclass(frozen=True)
class Parts:
    """Scans the data sets, and refuses what the app can't learn from."""

    app: App
    config: Any
    data: Data
    options: ReadOptions
    running: Running
    here: bool
    say: Say
    surveyor: Surveyor  # who may look at their pieces

    def find(self) -> dict[str, Part | None]:
        """`train`, `valid` and `test`; none where they are not to be surveyed, which is said."""
        try:
            return self._found()
        except Unsurveyed as why:
            self.say(str(why))
            return dict.fromkeys(("train", *HELD_OUT))

    def _found(self) -> dict[str, Part | None]:
        refuse_text(self.app, self.options)
        url, options, held_out = self._named()
        if url is None:
            if self.app.task is not None or self.app.schema is not None:
                raise UsageError(f"app {self.app.name} has no demo data; name yours with --data")
            self._refuse_start(None, ())  # it reads no rows
            return dict.fromkeys(("train", *HELD_OUT))
        whole = self._scan(url, options)
        parts: dict[str, Part | None] = dict.fromkeys(HELD_OUT)
        at = 0.0
        for name, said in held_out.items():
            if isinstance(said, float):
                parts[name] = self._part(whole, Sample(self.running.seed, at, at + said))
                at += said
            elif said is not None:
                parts[name] = self._beside(name, said, whole)
        if at >= 1:
            raise UsageError(f"--test and --valid together hold out {at:g} of the data: nothing is left to train on")
        train = self._part(whole, Sample(self.running.seed, at, 1.0) if at else Sample.all())
        if not train.rows:
            raise UsageError(f"{url}: no rows to train on")
        self._refuse_empty(parts, held_out)
        self._refuse(train)
        return {**parts, "train": train}

    def _refuse(self, train: Part) -> None:
        """UsageError for what the app can't learn from, and for tables that can't be."""
        data = train.dataset
        if self.app.task is not None and self.app.task.label != "rating":
            refuse_featureless(data)
        self.app.refuse(self.config, data, train.rows)
        refuse_memory(self.running, train)
        specs = self.app.specs(self.config, data.schema)  # refuses shapes by name
        if self.here:
            refuse_tables(specs, data.schema.width)
        self._refuse_start(data.schema, specs)

    def _refuse_empty(self, parts: Mapping[str, Part | None], held_out: Mapping[str, str | float | None]) -> None:
        for name in HELD_OUT:
            if (part := parts[name]) is not None and not part.rows:
                raise UsageError(f"--{name} {held_out[name]}: holds no rows, so there is nothing to score")

    def _refuse_start(self, schema: Schema | None, specs: Sequence[TableSpec]) -> None:
        if self.running.start_from is not None:
            refuse_start(absolute(self.running.start_from), self.app, self.config, schema, specs)

    def _named(self) -> tuple[str | None, ReadOptions, dict[str, str | float | None]]:
        """What is read, how, and what is held out: as said, or the app's demo."""
        held_out = {name: fraction(name, getattr(self.data, name)) for name in HELD_OUT}
        if self.data.data is not None or self.app.demo is None:
            return self.data.data, self.options, held_out
        demo = self.app.demo
        return demo.url(), demo.options, held_out | ({"test": demo.test} if held_out["test"] is None else {})

    def _scan(self, url: str, options: ReadOptions) -> Dataset:
        with keeping(self._inline):  # the run will open the model that is applied, in this very process
            schema = None if self.app.schema is None else self.app.schema(self.config)
        # an app that says how its data is read, as predict does of a model, takes labels along where there are any
        label = "any" if schema is not None else None if self.app.task is None else self.app.task.label
        return self._scanned(url, options, label, schema)

    def _beside(self, name: str, url: str, whole: Dataset) -> Part:
        """A data set of its own, read as the training data is."""
        said, rejects = self.options, self.options.rejects
        options = replace(
            whole.options,
            format=said.format,
            header=said.header,
            sep=said.sep,
            quote=said.quote,
            rejects=None if rejects is None else f"{rejects}.{name}",
        )
        label = None if self.app.task is None else self.app.task.label
        found = self._scanned(url, options, label, whole.schema)
        if whole.schema.label is not None and not found.has_label:
            raise DataError(f"--{name} {url}: has no label {whole.schema.label.name!r}, so nothing can be scored on it")
        return self._part(found, Sample.all())

    def _scanned(self, url: str, options: ReadOptions, label: LabelKind, schema: Schema | None) -> Dataset:
        return scan(
            url, options, label=label, schema=schema, keep=self._keep, threads=cores(),
            memory=data_memory(self.running), progress=self._progress(url), surveyor=self.surveyor,
        )  # fmt: skip

    def _progress(self, url: str) -> Callable[[int, int], None]:
        """Says from time to time how much of a data set has been read."""
        return paced(lambda text: self.say(f"reading  {text} of {url}"), "{:,} of {:,} parts")

    @property
    def _keep(self) -> int:
        """Bytes of what the scan parses that are worth keeping: any if this process will read the rows again."""
        return data_memory(self.running) // 2 if self._inline else 0

    @property
    def _inline(self) -> bool:
        """Whether this process will do the run."""
        return self.here and self.running.workers == 1 and self.running.servers == 1

    def _part(self, dataset: Dataset, sample: Sample) -> Part:
        return Part(dataset=dataset, sample=sample, rows=sample.count(dataset.rows))


def fraction(name: str, said: str | float | None) -> str | float | None:
    """A data set's URL as it is, a fraction as a number; UsageError for a number that is no fraction."""
    if isinstance(said, str):
        try:
            number = float(said)
        except ValueError:
            return said
        raise UsageError(f"--{name} {number:g}: a fraction lies between 0 and 1 (a file of that name: ./{said})")
    return said


def refuse_text(app: App, options: ReadOptions) -> None:
    """UsageError if the rows' texts are to be read by an app whose task isn't of texts, as none is today.

    An app without a task reads what it wants.
    """
    said = options.roles.text
    if (said is None and options.format not in TEXTS) or (app.task is None and app.schema is None):
        return
    what = f"--format {options.format}: column 'text' holds" if said is None else f"--text {said}: this column holds"
    bags = "libsvm" if app.task is not None and app.task.label is not None else "libsvm, LDA-C (ldac) or docword"
    raise UsageError(
        f"{what} text, which app {app.name} has no use for; give it numbers: columns of them, or counts of the words "
        f"as {bags}"
    )


def refuse_featureless(data: Dataset) -> None:
    """UsageError if the rows have no features."""
    if data.schema.width:
        return
    roles = set(map(str, data.options.roles.said().values()))
    words = [name for name, kind in data.types if "string" in kind and name not in roles]
    if data.options.format in TEXTS:
        raise UsageError(
            f"{data.url}: its rows are texts; give numbers: columns of them, or counts of the words as libsvm"
        )
    hot = words and data.options.words == "hot"
    hint = f"; {words[0]!r} holds words of too many kinds: give numbers, such as counts of the words" if hot else ""
    raise UsageError(f"{data.url}: no {'column' if data.types else 'feature'} is left to learn from{hint}")


def absolute(url: str) -> str:
    """A local path as every process and a later reader of run.json understands it."""
    return url if "://" in url else os.path.abspath(os.path.expanduser(url))
