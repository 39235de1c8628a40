"""What Spark does for the tests, in a process of its own: `write FOLDER`, or `read URL ...`, whose answer is JSON."""

from __future__ import annotations

import datetime
import json
import sys
from decimal import Decimal
from typing import Any

from pyspark.ml.linalg import Vectors
from pyspark.sql import DataFrame, SparkSession

ROWS = 60
COUNTRIES = ["de", "a/b", "x=y 50%", "Österreich", None]
DAYS = [datetime.date(2024, 2, 28), datetime.date(2024, 2, 29)]
NOON = datetime.datetime(2024, 2, 29, 12, 0, 0, 250_000, tzinfo=datetime.UTC)
TYPES = (
    "id long, label int, price decimal(12, 2), at timestamp, day date, yes boolean, "
    "gap double, kind string, v array<double>"
)


def session() -> SparkSession:
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
    }
    builder: Any = SparkSession.builder
    return builder.master("local[2]").config(map=settings).getOrCreate()  # type: ignore[no-any-return]


def write(folder: str) -> None:
    spark = session()
    vectors = [(i, float(i % 3), vector(i)) for i in range(ROWS)]
    frame = spark.createDataFrame(vectors, ["id", "label", "features"]).repartition(3)
    frame.write.parquet(f"{folder}/vectors")
    frame.drop("id").coalesce(2).write.format("libsvm").option("numFeatures", "7").save(f"{folder}/libsvm")
    typed = spark.createDataFrame([row(i) for i in range(ROWS)], TYPES).repartition(2)
    typed.write.option("compression", "zstd").parquet(f"{folder}/types")
    plain = typed.select("id", "label", "gap", "kind")
    plain.write.option("header", True).option("compression", "gzip").csv(f"{folder}/csv")
    parts = [(i, i / 4, i % 2, COUNTRIES[i % 5], DAYS[i % 2]) for i in range(ROWS)]
    parted = spark.createDataFrame(parts, "id long, x double, label int, country string, day date")
    parted.write.partitionBy("country", "day").parquet(f"{folder}/partitions")
    spark.stop()


def vector(i: int) -> Any:
    return Vectors.dense([float(i + j) for j in range(7)]) if i % 2 else Vectors.sparse(7, [i % 7], [i + 0.5])


def row(i: int) -> tuple[Any, ...]:
    at = NOON + datetime.timedelta(hours=i)
    gap, kind = (None if i % 10 == 3 else i / 8), ("red", "green", "blue")[i % 3]
    return i, i % 3, Decimal(i) / 4, at, DAYS[i % 2], i % 4 == 0, gap, kind, [float(i), -1.0, i / 2]


def read(urls: list[str]) -> None:
    """Columns of each, name -> values, by id if there is one; Parquet, where the directory's name says no format."""
    spark = session()
    print(json.dumps([values(opened(spark, url)) for url in urls]))
    spark.stop()


def opened(spark: SparkSession, url: str) -> DataFrame:
    if url.endswith("csv"):
        return spark.read.csv(url, header=True, inferSchema=True)
    return spark.read.format("libsvm").load(url) if url.endswith("libsvm") else spark.read.parquet(url)


def values(frame: DataFrame) -> dict[str, list[Any]]:
    rows = frame.orderBy("id").collect() if "id" in frame.columns else frame.collect()
    return {name: [plain(each[name]) for each in rows] for name in frame.columns}


def plain(value: Any) -> Any:
    """As JSON has it; a vector dense, words for numbers and days that JSON lacks."""
    if hasattr(value, "toArray"):
        return value.toArray().tolist()
    return value if value is None or isinstance(value, bool | int | float | str | list) else str(value)


if __name__ == "__main__":
    what, *args = sys.argv[1:]
    write(args[0]) if what == "write" else read(args)
