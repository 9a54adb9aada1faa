#!/usr/bin/env python3
"""How long Spark takes to add up reports with Podium, beside its own avg() of the same column, in one run.

    spark.py WORK-DIR

There are 2 * 10^7 reports in 20 Parquet files, which are made in WORK-DIR and removed afterwards. Spark runs with two
threads in one process. The jobs take turns, and the least time of each counts.
"""

import os
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import podium
import podium.spark

FILES, ROWS, ROUNDS = 20, 1_000_000, 7
AGE = podium.Collection("minimax epsilon=1 range=1:120")
# docs/python.md says why
SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "65536",
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
}


def write_reports(directory):
    values = np.random.default_rng(1).uniform(1, 120, ROWS)
    for i in range(FILES):
        table = pyarrow.table({"report": AGE.privatize(values)})
        pyarrow.parquet.write_table(table, directory / f"{i}.parquet")


def seconds(job):
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def measure(spark, path):
    frame = spark.read.parquet(path)
    jobs = {
        "Spark's avg()": lambda: frame.select(F.avg("report")).collect(),
        "podium.spark.aggregate(files)": lambda: podium.spark.aggregate(path, "report", AGE),
        "podium.spark.aggregate(DataFrame)": lambda: podium.spark.aggregate(frame, "report", AGE),
    }
    times = [[seconds(job) for job in jobs.values()] for _ in range(ROUNDS)]
    return dict(zip(jobs, map(min, zip(*times))))


def main():
    directory = Path(sys.argv[1]).resolve() / "spark"
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    try:
        write_reports(directory)
        spark = SparkSession.builder.master("local[2]").config(map=SETTINGS).getOrCreate()
        took = measure(spark, str(directory))
        spark.stop()
    finally:
        shutil.rmtree(directory)
    base = took["Spark's avg()"]
    print(f"\n{f'{FILES * ROWS:.0e} reports from Parquet':<52}{'ms':>12} {'of avg()':>12}   target")
    for name, t in took.items():
        target = "at most 2" if "files" in name else ""
        print(f"{name:<52}{1e3 * t:>12.0f} {t / base:>12.2f}   {target}")


if __name__ == "__main__":
    main()
