"""What every kind of table does, whoever holds its rows: this process, threads, or processes over ZeroMQ."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.conformance.program import specs, work
from yarnml.comm.company import Alone
from yarnml.kernels import steps as kernels
from yarnml.ps import AdaGrad, Assign, Client, Tables, TableSpec, connect, constant, local_client, serve
from yarnml.ps.managed import Managed
from yarnml.wire.memory import Exchange, MemoryTransport

ALONE = Alone(lambda _: None, lambda: None)
Work = Callable[[Tables, int], None]


def in_threads(
    tables: list[TableSpec],
    doing: Work,
    *,
    workers: int,
    servers: int,
    staleness: int | None,
    seed: int = 0,
    cache: str | None = None,
    managed: Managed | None = None,
) -> None:
    """Workers and servers as threads; the first error is raised here."""
    transport = MemoryTransport(Exchange())
    listeners = [transport.listen() for _ in range(servers)]
    errors: list[BaseException] = []

    def check() -> None:
        if errors:
            raise errors[0]

    def guarded(call: Callable[[], Any]) -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001 (raised again below)
            errors.append(error)

    def server(k: int) -> None:
        serve(
            listeners[k],
            tables,
            server=k,
            servers=servers,
            workers=workers,
            staleness=staleness,
            seed=seed,
            check=check,
            managed=managed,
        )

    def worker(w: int) -> None:
        channels = connect(transport, [listener.address for listener in listeners], w)
        company = Alone(lambda _: None, check)
        client = Client(
            company,
            transport,
            channels,
            tables,
            worker=w,
            staleness=staleness,
            cache=cache,
            managed=managed,
            deadline=60.0,
        )
        doing(client, w)
        client.finish()

    threads = [threading.Thread(target=guarded, args=(lambda k=k: server(k),)) for k in range(servers)]
    threads += [threading.Thread(target=guarded, args=(lambda w=w: worker(w),)) for w in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check()


@pytest.mark.parametrize("staleness", [0, 3, None])
def test_local(staleness: int | None) -> None:
    work(local_client(specs(1), seed=0, company=ALONE), 0, 1, 0)


@pytest.mark.parametrize("cache", [None, "1KiB"])
@pytest.mark.parametrize("staleness", [0, 3, None])
@pytest.mark.parametrize(("workers", "servers"), [(1, 1), (3, 2), (2, 9)])
def test_threads(workers: int, servers: int, staleness: int | None, cache: str | None) -> None:
    """With 9 servers some own no row."""
    in_threads(
        specs(workers),
        lambda t, w: work(t, w, workers, staleness),
        workers=workers,
        servers=servers,
        staleness=staleness,
        cache=cache,
    )


@pytest.mark.parametrize(("workers", "servers", "staleness"), [(2, 2, 0), (3, 1, 1)])
def test_processes(workers: int, servers: int, staleness: int) -> None:
    ask: dict[str, Any] = {"workers": workers, "servers": servers, "staleness": staleness}
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    started: list[subprocess.Popen[str]] = []

    def start(role: str, index: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.conformance.process", role, json.dumps(ask | {"index": index})]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env))
        return started[-1]

    try:
        ask["addresses"] = []
        for k in range(servers):
            out = start("server", k).stdout
            assert out is not None
            ask["addresses"] = [*ask["addresses"], out.readline().strip()]
        for w in range(workers):
            start("worker", w)
        for process in started:
            _, err = process.communicate(timeout=90)
            assert process.returncode == 0, err
    finally:
        for process in started:
            process.kill()
            process.communicate()


def gradients(worker: int, clock: int, rows: Any, width: int) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(10 * clock + worker)
    return (rng.random((rows, width)) - 0.5).astype(np.float32)


@pytest.mark.parametrize("workers", [1, 3])
def test_adagrad_at_staleness_0_is_one_step_a_clock(workers: int) -> None:
    """Against a sequential model: the workers' gradients are summed in their order, and stepped with once."""
    spec = TableSpec("W", (11, 3), init=constant(0.5), function=AdaGrad(0.1, l2=0.01))
    w, G = np.full((11, 3), 0.5, np.float32), np.zeros((11, 3), np.float32)
    seen = []
    for clock in range(6):
        seen.append(w.copy())
        g = np.zeros_like(w)
        for worker in range(workers):
            g += gradients(worker, clock, 11, 3)
        kernels.adagrad_numpy(w, G, g, 0.1, 0.01, 1e-8)

    def doing(tables: Tables, worker: int) -> None:
        W = tables.table("W")
        for clock in range(6):
            np.testing.assert_allclose(W.get(), seen[clock], rtol=1e-5)
            np.testing.assert_allclose(W.get(np.array([9, 0, 9])), seen[clock][[9, 0, 9]], rtol=1e-5)
            g = gradients(worker, clock, 11, 3)
            W.inc(slice(0, 4), g[:4])
            W.inc(np.arange(10, 3, -1), g[10:3:-1].copy())
            np.testing.assert_allclose(W.get(), seen[clock], rtol=1e-5)  # the step is the server's
            tables.clock()

    in_threads([spec], doing, workers=workers, servers=2, staleness=0)
    if workers == 1:
        doing(local_client([spec], seed=0, company=ALONE), 0)


def test_two_runs_are_bit_equal() -> None:
    spec = TableSpec("W", (5, 2), function=AdaGrad(0.3))
    results: list[np.ndarray[Any, Any]] = []

    def doing(tables: Tables, worker: int) -> None:
        for clock in range(5):
            tables.table("W").get()
            tables.table("W").inc(None, gradients(worker, clock, 5, 2))
            tables.clock()
        if worker == 0:
            results.append(tables.table("W").get().copy())

    for _ in range(2):
        in_threads([spec], doing, workers=3, servers=2, staleness=0)
    assert results[0].tobytes() == results[1].tobytes()


def test_assign_is_seen_at_once_and_the_last_worker_wins() -> None:
    spec = TableSpec("A", (4, 1), function=Assign())

    def doing(tables: Tables, worker: int) -> None:
        A = tables.table("A")
        A.inc(2, np.array([7.0 + worker]))
        A.inc(np.array([2, 3, 3]), np.array([[1.0], [2.0], [10.0 + worker]]))
        np.testing.assert_array_equal(A.get()[:, 0], [0, 0, 1, 10 + worker])
        tables.clock()
        np.testing.assert_array_equal(A.get(slice(1, 4))[:, 0], [0, 1, 11])

    in_threads([spec], doing, workers=2, servers=1, staleness=0)


def test_what_does_not_fit_is_said_with_table_and_shape() -> None:
    def doing(tables: Tables, _: int) -> None:
        W = tables.table("run")
        for rows in (40, -1, np.array([3, 40]), slice(0, 9, 2)):
            with pytest.raises(IndexError, match=r"'run'.*\(40, 1\)"):
                W.get(rows)
        for bad in ("a", 1.5, np.array([0.5]), np.zeros(40, bool), np.zeros((2, 2), int)):
            with pytest.raises(TypeError, match=r"'run'.*\(40, 1\)"):
                W.get(bad)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=r"'run'.*\(40, 1\).*\(2, 1\).*\(2, 3\)"):
            W.inc(slice(0, 2), np.zeros((2, 3), np.float32))
        with pytest.raises(TypeError, match="'run' holds float32"):
            W.inc(None, np.zeros((40, 1), complex))
        with pytest.raises(Exception, match="no table 'rum'; did you mean 'run'"):
            tables.table("rum")
        assert W.get(3).shape == (1,)
        assert W.get([]).shape == (0, 1)

    doing(local_client(specs(1), seed=0, company=ALONE), 0)
    in_threads(specs(1), doing, workers=1, servers=2, staleness=0)
