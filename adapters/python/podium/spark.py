"""Spark: reports drawn and added up on the executors, so that only aggregates of some kilobytes cross the network.

>>> import podium.spark
>>> age = podium.Collection("minimax epsilon=1 range=1:120")
>>> people = spark.createDataFrame([("Oslo", 42.0), ("Rome", 17.0)] * 5000, "city string, age double")
>>> reports = people.withColumn("age", podium.spark.privatize("age", age))
>>> reports.write.parquet("reports.parquet")        # once: whoever evaluates the column again draws again
>>> podium.spark.summary("reports.parquet", "age", age, by="city")["Oslo"].count
5000

An aggregate is exact, so the result is that of one machine, to the bit, however the rows are partitioned and whichever
tasks were tried again.
"""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, Callable, Optional, Union, overload

try:
    import pandas
    import pyarrow
    import pyarrow.dataset
    from pyspark.errors import PythonException
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql import functions as F
    from pyspark.sql.pandas.functions import pandas_udf
    from pyspark.sql.types import NumericType
except ImportError as error:
    raise ImportError(f"{error}; podium.spark needs: pip install 'podium-privacy[spark]'") from error

from . import _groups
from ._answers import Summary
from ._collection import Aggregate, Collection, _collection, _policy, collection_of
from ._columns import NUMBERS, read_codes
from ._core import PodiumError
from ._groups import By, Key, Summaries

_Job = tuple[str, str, Optional[str], bool]  # spec, "reports" or "codes", what NaN is, whether there are groups
Source = Union[DataFrame, str, "os.PathLike[str]", Sequence[str]]

_CODE_TYPES = {1: "smallint", 2: "int", 3: "int", 4: "bigint"}  # Spark has no unsigned integers
_STATES = "key binary, state binary"
_GROUPS_HELD = 4096  # 9 KB each while they are added up
_ROWS_HELD = 1 << 19  # so that a group is found in few blocks
_ROWS_PER_BATCH = 1 << 17
_TASKS_PER_SLOT = 2  # a task of Python takes tens of milliseconds to start


def _on_executors(work: str, *arguments: Any) -> Callable[..., Any]:
    """The function of this module that is called `work`, as Spark sends it to the executors.

    A function inside a function travels as code, not as the name of something to import. So it can say what to do if
    the package is missing there. A failure is raised anew where nothing private is left, because Spark can be set to
    print the local variables of every function that a failure went through.
    """

    def run(*inputs: Any) -> Any:
        failure: Exception
        try:
            import podium.spark as there

            return getattr(there, work)(*arguments, *inputs)
        except ImportError as error:
            import sys

            failure = ImportError(
                f"{error}. Spark's executors run {sys.executable}, which needs: pip install 'podium-privacy[spark]'"
            )
        except Exception as error:
            failure = error.with_traceback(None)
            failure.__cause__ = failure.__context__ = None
        del inputs
        raise failure

    return run


# ---- Privatising ----


def privatize(column: Union[Column, str], collection: Union[Collection, str], *, nan: str = "error") -> Column:
    """A column of reports, float64, drawn on the executors by an Arrow pandas UDF.

    >>> people.withColumn("age", podium.spark.privatize("age", age)).write.parquet("ages.parquet")

    Null stays null. ``nan`` says what happens to NaN, which is not null in Spark: ``"error"``, ``"keep"`` (its
    report is NaN), or ``"middle"`` (it is privatised as the middle of the range).

    Write the reports once, and read them from there. Spark evaluates a column again for each action on it, and again
    for partitions that it has lost. Each time draws another report about the same value, and whoever sees two of them
    has learnt 2 epsilon. The column is marked as nondeterministic, so that Spark does not evaluate it twice within
    one query, or before a filter that would have removed the row.
    """
    return _drawn("privatize", "double", column, collection, nan)


def codes(column: Union[Column, str], collection: Union[Collection, str], *, nan: str = "error") -> Column:
    """A column of codes: reports as small integers (smallint, int or bigint). As for the rest, see ``privatize``.

    >>> people.withColumn("age", podium.spark.codes("age", age)).write.parquet("codes.parquet")
    >>> podium.spark.aggregate("codes.parquet", "age", age, codes=True).count
    10000
    """
    return _drawn("codes", _CODE_TYPES[collection_of(collection).code_bytes], column, collection, nan)


def _drawn(work: str, returns: str, column: Union[Column, str], collection: Union[Collection, str], nan: str) -> Column:
    _policy(nan)
    draw = _on_executors("_draw", work, collection_of(collection).spec, nan)
    draw.__name__, draw.__annotations__ = work, {"inputs": pandas.Series, "return": pandas.Series}
    values = F.col(column) if isinstance(column, str) else column
    made: Any = pandas_udf  # its types know only the older way, without annotations
    reports: Column = made(draw, returns).asNondeterministic()(values, values.isNull())
    return reports


def _draw(work: str, spec: str, nan: str, values: Any, missing: Any) -> Any:
    return getattr(_collection(spec), work)(_with_nulls(values, missing), nan=nan)


def _with_nulls(values: Any, missing: Any) -> Any:
    """A Series with a mask. Spark passes null and NaN alike as NaN, so `missing` says which is which."""
    if values.dtype == object:  # decimals, or booleans with nulls; or what is not a number at all
        for item in values:
            if item is not None and not isinstance(item, (Decimal, bool)):
                raise TypeError(f"{NUMBERS}, not {type(item).__name__}")
    elif not pandas.api.types.is_numeric_dtype(values.dtype):
        raise TypeError(f"{NUMBERS}, not of the dtype {values.dtype}")
    return pandas.Series(pandas.arrays.FloatingArray(values.to_numpy("float64"), missing.to_numpy(bool)))


# ---- Adding up: on the executors ----


def _blocks(batches: Iterable[Any], rows_each: int) -> Iterator[Any]:
    """Tables of at least that many rows, except for the last, whose columns have their numbers as names."""
    held: list[Any] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= rows_each:
            yield _numbered(held)
            held = []
    if held:
        yield _numbered(held)


def _numbered(batches: list[Any]) -> Any:
    return pyarrow.Table.from_batches(batches).rename_columns([str(i) for i in range(batches[0].num_columns)])


def _grouped(rows: Any) -> tuple[Iterable[Key], Any, Any]:
    """The keys, which are all columns but the last; where each group starts; and the last column, sorted by group."""
    *names, last = rows.column_names
    if not names:
        return [()], [0, rows.num_rows], rows[last].combine_chunks()
    groups = rows.group_by(names, use_threads=False).aggregate([(last, "list")])
    lists = groups[f"{last}_list"].combine_chunks()
    keys = map(_groups.key_of, zip(*(groups[name].to_pylist() for name in names)))
    return keys, lists.offsets.to_numpy(), lists.values


def _encoded(sums: dict[Key, Aggregate]) -> Any:
    keys = pyarrow.array([pickle.dumps(key) for key in sums], pyarrow.binary())
    states = pyarrow.array([bytes(aggregate) for aggregate in sums.values()], pyarrow.binary())
    return pyarrow.RecordBatch.from_arrays([keys, states], ["key", "state"])


def _decoded(key: bytes, state: bytes) -> tuple[Key, Aggregate]:
    return _groups.key_of(pickle.loads(key)), Aggregate.from_bytes(state)


def _states(parts: Iterable[tuple[Key, Aggregate]]) -> Iterator[Any]:
    """Adds up groups, and passes them on before they are too many to hold."""
    sums: dict[Key, Aggregate] = {}
    for key, part in parts:
        sums[key] = sums[key] + part if key in sums else part
        if len(sums) == _GROUPS_HELD:
            yield _encoded(sums)
            sums = {}
    yield _encoded(sums)


def _aggregates(collection: Collection, kind: str, nan: Optional[str], rows: Any) -> Iterator[tuple[Key, Aggregate]]:
    keys, starts, items = _grouped(rows)
    present = items.is_valid().to_numpy(zero_copy_only=False) if items.null_count else None
    numbers = items if present is None else items.fill_null(0)
    are_codes = kind == "codes"
    data = read_codes(numbers.to_numpy())[0] if are_codes else numbers.cast("float64", safe=False).to_numpy()
    for key, start, stop in zip(keys, starts, starts[1:]):
        part = data[start:stop] if present is None else data[start:stop][present[start:stop]]
        yield key, collection.aggregate(codes=part) if are_codes else collection.aggregate(part, nan=nan)


def _add(job: _Job, batches: Iterable[Any]) -> Iterator[Any]:
    """Batches whose columns are the keys and the reports, or the codes, become states."""
    spec, kind, nan, is_grouped = job
    blocks = _blocks(batches, _ROWS_HELD if is_grouped else 1)
    return _states(part for rows in blocks for part in _aggregates(_collection(spec), kind, nan, rows))


def _read(scan: tuple[Any, ...], job: _Job, batches: Iterable[Any]) -> Iterator[Any]:
    """Batches with the numbers of tasks become states of the files that those tasks read."""
    tasks = (task for batch in batches for task in batch.column(0).to_pylist())
    return _add(job, (batch for task in tasks for batch in _batches_of(task, *scan)))


def _batches_of(task: int, tasks: int, files: list[Any], shares: int, schema: Any, names: list[str]) -> Iterator[Any]:
    """What a task reads: of each file its share of the row groups."""
    columns = {str(i): pyarrow.dataset.field(name) for i, name in enumerate(names)}
    for piece in range(task, len(files) * shares, tasks):
        file, share = files[piece // shares], piece % shares
        chosen = list(range(file.num_row_groups))[share::shares]
        if chosen:
            yield from file.subset(row_group_ids=chosen).to_batches(
                schema=schema, columns=columns, batch_size=_ROWS_PER_BATCH, use_threads=False
            )


def _merge(batches: Iterable[Any]) -> Iterator[Any]:
    """States with the same key become one."""
    return _states(
        _decoded(key, state) for batch in batches for key, state in zip(*(c.to_pylist() for c in batch.columns))
    )


# ---- Adding up: on the driver ----


def _column(frame: DataFrame, name: str) -> Column:
    """The column of that name, also if there are dots in it."""
    return F.col("`" + name.replace("`", "``") + "`" if name in frame.columns else name)


def _states_of_frame(frame: DataFrame, names: list[str], job: _Job) -> DataFrame:
    chosen = frame.select(*(_column(frame, name).alias(str(i)) for i, name in enumerate(names)))
    found = chosen.schema[-1].dataType
    _groups.require_numbers(isinstance(found, NumericType), job[1], names[-1], found.simpleString())
    return chosen.mapInArrow(_on_executors("_add", job), _STATES)


def _dataset(source: Any) -> Any:
    if isinstance(source, (str, os.PathLike)):
        path = os.fspath(source)
        path = path if "://" in path else os.path.abspath(path)  # the executors work in other directories
        return pyarrow.dataset.dataset(path, format="parquet", partitioning="hive")
    if not isinstance(source, Sequence) or not source:
        raise TypeError("give a DataFrame of Spark, or the path or paths of Parquet files")
    return pyarrow.dataset.dataset([_dataset(path) for path in source])


def _slots(spark: SparkSession) -> int:
    """How many tasks run at once; a remote session does not say that."""
    try:
        return int(spark.sparkContext.defaultParallelism)
    except Exception:
        return int(spark.conf.get("spark.sql.shuffle.partitions") or 1)


def _states_of_files(source: Any, names: list[str], job: _Job) -> DataFrame:
    dataset, spark = _dataset(source), SparkSession.active()
    _groups.require_columns(names, dataset.schema.names)
    found, types = dataset.schema.field(names[-1]).type, pyarrow.types
    are_numbers = types.is_integer(found) or types.is_floating(found) or types.is_decimal(found)
    _groups.require_numbers(are_numbers, job[1], names[-1], found)
    files, slots = list(dataset.get_fragments()), _slots(spark)
    shares = -(-slots // max(1, len(files)))
    tasks = max(1, min(len(files) * shares, _TASKS_PER_SLOT * slots))
    scan = (tasks, files, shares, dataset.schema, names)
    return spark.range(0, tasks, 1, tasks).mapInArrow(_on_executors("_read", scan, job), _STATES)


def _collected(states: DataFrame) -> list[Any]:
    """The rows; a PodiumError of an executor is one of the driver's."""
    try:
        rows: list[Any] = states.collect()
        return rows
    except PythonException as error:
        words = re.findall(r"^podium\.PodiumError: (.*)$", str(error), re.MULTILINE)
        if not words:
            raise
        raise PodiumError(words[-1]) from None


@overload
def aggregate(
    source: Source,
    column: str,
    collection: Union[Collection, str],
    *,
    by: None = None,
    codes: bool = False,
    nan: Optional[str] = None,
) -> Aggregate: ...


@overload
def aggregate(
    source: Source,
    column: str,
    collection: Union[Collection, str],
    *,
    by: By,
    codes: bool = False,
    nan: Optional[str] = None,
) -> dict[Any, Aggregate]: ...


def aggregate(
    source: Source,
    column: str,
    collection: Union[Collection, str],
    *,
    by: Optional[By] = None,
    codes: bool = False,
    nan: Optional[str] = None,
) -> Union[Aggregate, dict[Any, Aggregate]]:
    """The aggregate of a column of reports; with ``by``, a dict with the aggregate of each group.

    >>> podium.spark.aggregate(reports, "age", age)
    <Aggregate of 10000 reports, 'minimax epsilon=1 range=1:120'>
    >>> podium.spark.aggregate(reports, "age", age, by="city")["Oslo"].count
    5000

    Parameters
    ----------
    source
        A DataFrame of Spark. Or the path of Parquet files, or a list of paths, that each executor can open with
        pyarrow: Python on the executors then reads them itself, several times as fast, because the rows take no detour
        through Java.
    column
        The name of the column that has the reports.
    collection
        A collection, or its spec.
    by
        The name of a column, or a list of names; the keys are then tuples. Null is a group of its own, ``None``.
    codes
        Whether the column has codes.
    nan
        What a NaN is: ``"refuse"``, the default, counts it as refused, and ``"skip"`` as missing. Null is missing.
    """
    c, names = collection_of(collection), [*_groups.columns_of(by), column]
    c.aggregate(nan=nan)  # stops here if nan is wrong
    job = (c.spec, "codes" if codes else "reports", nan, by is not None)
    if isinstance(source, DataFrame):
        states = _states_of_frame(source, names, job)
    else:
        states = _states_of_files(source, names, job)
    if by is not None:  # many groups in many partitions would be too much for the driver
        by_key = states.repartition("key").sortWithinPartitions("key")
        states = by_key.mapInArrow(_on_executors("_merge"), _STATES)
    return _groups.finish(c, by, (_decoded(row.key, row.state) for row in _collected(states)))


@overload
def summary(
    source: Source,
    column: str,
    collection: Union[Collection, str],
    *,
    by: None = None,
    codes: bool = False,
    nan: Optional[str] = None,
    check: bool = True,
    **question: Any,
) -> Summary: ...


@overload
def summary(
    source: Source,
    column: str,
    collection: Union[Collection, str],
    *,
    by: By,
    codes: bool = False,
    nan: Optional[str] = None,
    check: bool = True,
    **question: Any,
) -> Summaries: ...


def summary(
    source: Source,
    column: str,
    collection: Union[Collection, str],
    *,
    by: Optional[By] = None,
    codes: bool = False,
    nan: Optional[str] = None,
    check: bool = True,
    **question: Any,
) -> Union[Summary, Summaries]:
    """The summary of a column of reports; with ``by``, the summary of each group.

    >>> table = podium.spark.summary(reports, "age", age, by="city", quantiles=[0.5]).to_frame()
    >>> list(table.index)
    ['Oslo', 'Rome']

    The first arguments are those of ``aggregate``, and the others those of ``Aggregate.summary``: ``confidence``,
    ``interval``, ``population``, ``quantiles``, ``bins``, ``below`` and ``dishonest``. Groups come as a dict, whose
    ``to_frame()`` is a table.
    """
    c = collection_of(collection)
    c.aggregate().summary(**question)  # a wrong question stops here, before Spark works
    sums = aggregate(source, column, c, by=by, codes=codes, nan=nan)
    return _groups.summarize(c, by, sums, check, question)
