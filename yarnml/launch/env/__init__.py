"""The Python environment that ships itself to nodes where nothing of ours is installed.

    plan = env.plan(env.Wish(requirements="requirements.txt"))   # looked at; UsageError if it can't be
    shipment = plan.send("hdfs:///user/me", say=print)           # what is missing is packed and uploaded, once
    shipment.resources, shipment.command("-m", "yarnml.launch.role", …)

Two archives make the environment: `env`, the interpreter and the packages that yarnml needs (large, hardly ever
changes), and `code`, yarnml itself (small). Each is called by the hash of what is in it.
"""

from yarnml.launch.env.resource import RESERVED, Resource
from yarnml.launch.env.shelf import local_shelf, remove_old, shelf
from yarnml.launch.env.ship import Plan, Shipment, Wish, plan

__all__ = ["RESERVED", "Plan", "Resource", "Shipment", "Wish", "local_shelf", "plan", "remove_old", "shelf"]
