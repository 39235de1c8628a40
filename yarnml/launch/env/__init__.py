"""The Python environment that ships itself to nodes where nothing of ours is installed.

    plan = env.plan(env.Wish(requirements="requirements.txt"))   # looked at; UsageError if it can't be
    shipment = plan.send("hdfs:///user/me", say=print)           # what is missing is packed and uploaded, once
    shipment.resources, shipment.command("-m", "yarnml.launch.role", …)

Two archives make the environment: `env`, the interpreter and the packages that yarnml needs (large, hardly ever
changes), and `code`, yarnml itself (small). Each is called by the hash of what is in it.
"""

from yarnml.launch.env.resource import RESERVED, Resource
from yarnml.launch.env.shelf import local_shelf, shelf
from yarnml.launch.env.ship import Plan, Shipment, Wish, plan
from yarnml.launch.env.stock import Item, old, remove_old, stock

__all__ = [
    "RESERVED", "Item", "Plan", "Resource", "Shipment", "Wish", "local_shelf", "old", "plan", "remove_old", "shelf",
    "stock",
]  # fmt: skip
