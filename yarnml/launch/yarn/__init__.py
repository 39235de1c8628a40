"""On YARN: one application a run, its scheduler, servers and workers in containers of their own.

client       launcher.py   checks, sends, submits, and follows the run by what lies in its directory
scheduler    scheduler.py  the coordinator; writes run.json, status.json and metrics to the run's directory
worker,      container.py  finds the scheduler by a file in the run's directory, takes any seat, does its duty;
server                     its log goes to the run's directory while it runs

Only `application.py` and `driver.py` know Skein, only `manager.py` the ResourceManager's REST interface.
"""
