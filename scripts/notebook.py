#!/usr/bin/env python3
"""
Executes a notebook with this Python, and writes it with its outputs.

  notebook.py [--compare] [--picture CELL=FILE]... NOTEBOOK OUTPUT

Fails, and writes nothing, if a cell fails, if one warns, or if an output contains a path of this machine. With
--compare it also fails if the outputs that NOTEBOOK already has are not of the same kinds, because somebody changed a
cell and did not execute it. A picture is the last one that the cell with that id draws. Needs nbclient and ipykernel.
"""
import argparse
import base64
import os
import pathlib
import sys
import tempfile

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

CELL_SECONDS = 300


def execute(notebook, directory):
    """Executes in a kernel that neither reads nor writes anybody's settings, and does not listen to the network."""
    def on_cell_start(cell, cell_index):
        if sys.stderr.isatty():
            print(f"\rcell {cell_index + 1} of {len(notebook.cells)} ", end="", file=sys.stderr)

    with tempfile.TemporaryDirectory() as scratch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
            os.environ[name] = scratch
        connection = {"transport": "ipc", "ip": os.path.join(scratch, "socket"),
                      "connection_file": os.path.join(scratch, "kernel.json")}
        NotebookClient(notebook, config=Config(AsyncKernelManager=connection), kernel_name="python3",
                       timeout=CELL_SECONDS, record_timing=False, coalesce_streams=True, on_cell_start=on_cell_start,
                       resources={"metadata": {"path": directory}}).execute()
    if sys.stderr.isatty():
        print(file=sys.stderr)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def kinds(cell):
    """What the outputs are. How often a stream is sent varies, so the same kind counts once."""
    return {(output.output_type, output.get("name"), *sorted(output.get("data", ()))) for output in cell.outputs}


def shown(output):
    """The text of an output, which may be a stream, a result or an error"""
    data = [value for kind, value in output.get("data", {}).items() if kind != "image/png"]
    return str(data) + output.get("text", "")


def complaints(notebook):
    """What must not be in the outputs of a notebook that others read"""
    data = os.path.dirname(os.environ.get("FLIGHTS", ""))
    paths = {str(pathlib.Path.home()), sys.prefix, os.getcwd(), tempfile.gettempdir(), data} - {"", "/"}
    for cell in code_cells(notebook):
        for output in cell.outputs:
            if output.get("name") == "stderr":
                yield f"the cell '{cell.id}' warns: {output.text.strip()}"
            yield from (f"the cell '{cell.id}' shows the path {path}" for path in paths if path in shown(output))


def picture(notebook, name):
    images = [output.data["image/png"] for cell in code_cells(notebook) if cell.id == name
              for output in cell.outputs if "image/png" in output.get("data", {})]
    if not images:
        sys.exit(f"notebook.py: the cell '{name}' draws no picture")
    return base64.b64decode(images[-1])


def main():
    parser = argparse.ArgumentParser(description="Execute a notebook.")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--picture", action="append", default=[], metavar="CELL=FILE")
    parser.add_argument("notebook")
    parser.add_argument("output")
    options = parser.parse_args()
    notebook = nbformat.read(options.notebook, as_version=4)
    nbformat.validate(notebook)
    before = {cell.id: kinds(cell) for cell in code_cells(notebook)}
    metadata = notebook.metadata.copy()
    try:
        execute(notebook, os.path.dirname(os.path.abspath(options.notebook)))
    except CellExecutionError as error:
        sys.exit(f"notebook.py: {error}")
    notebook.metadata = metadata  # without the version of this Python
    wrong = list(complaints(notebook))
    if options.compare:
        wrong += [f"the cell '{cell.id}' was not executed as it stands: run make notebook"
                  for cell in code_cells(notebook) if kinds(cell) != before[cell.id]]
    if wrong:
        sys.exit("\n".join(f"notebook.py: {line}" for line in wrong))
    for name, file in (item.split("=", 1) for item in options.picture):
        pathlib.Path(file).write_bytes(picture(notebook, name))
    nbformat.write(notebook, options.output)
    print(f"notebook: {len(code_cells(notebook))} cells of code executed")


if __name__ == "__main__":
    main()
