"""Small data that an app learns from: its own demo, or, of apps that have none, data of their kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from yarnml.app import load_app


def rows_for(name: str, folder: Path, rows: int = 600) -> dict[str, Any]:
    """Where about so many rows are, and how they are read, as options of a run."""
    rng = np.random.default_rng(0)
    app = load_app(name)
    task = "" if app.task is None else app.task.name
    file = folder / f"{name}.csv"
    match task:
        case "recommendation":
            ratings = [
                (u, i, 1 + (u * 7 + i * 3) % 5) for u in range(rows // 10) for i in range(30) if rng.random() < 0.4
            ]
            file.write_text("user,item,rating\n" + "".join(f"{u},{i},{r}\n" for u, i, r in ratings))
            return {"data": str(file)}
        case _:
            label = rng.integers(0, 3, rows)
            counts = rng.poisson(0.3 + 3 * (np.arange(12)[None, :] % 3 == label[:, None]))
            names = ",".join(f"w{j}" for j in range(12))
            lines = [",".join([*map(str, row), str(y)]) for row, y in zip(counts.tolist(), label, strict=True)]
            file.write_text(f"{names},y\n" + "\n".join(lines) + "\n")
            return {"data": str(file), "label": "y"}
