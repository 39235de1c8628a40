"""Tasks: what an app learns to do, which fixes the label, the metrics, and the columns of a prediction."""

from yarnml.task.classification import Classification
from yarnml.task.clustering import Clustering
from yarnml.task.recommendation import Recommendation
from yarnml.task.regression import Regression
from yarnml.task.task import Columns, Partial, Task
from yarnml.task.topics import Topics

__all__ = [
    "Classification",
    "Clustering",
    "Columns",
    "Partial",
    "Recommendation",
    "Regression",
    "Task",
    "Topics",
    "task_of",
]

_TASKS: dict[str, type[Task]] = {
    task.name: task for task in (Classification, Clustering, Recommendation, Regression, Topics)
}


def task_of(name: str) -> Task:
    """The task that a model's file names."""
    return _TASKS[name]()
