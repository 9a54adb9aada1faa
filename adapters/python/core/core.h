/*
 * Core: the C half of the Python package, the module podium._core. Its functions are as close to the library's as
 * Python allows; podium/ makes classes of them. Collections and aggregates are capsules.
 *
 * The module uses only the limited API of Python 3.9, so that one binary serves every later Python. That API has no
 * Py_buffer before 3.11. A view therefore holds a memoryview, which keeps the memory where it is, and asks that one for
 * its address with PyObject_AsReadBuffer or PyObject_AsWriteBuffer, which are in the stable ABI of every Python 3.
 * Their well-known flaw is that nothing keeps the memory alive, and here the memoryview does.
 */
#ifndef PODIUM_PYTHON_CORE_H
#define PODIUM_PYTHON_CORE_H

#include <pyconfig.h>
#define PY_SSIZE_T_CLEAN
#ifndef Py_GIL_DISABLED /* a free-threaded Python has no limited API, and needs a wheel of its own */
#define Py_LIMITED_API 0x03090000
#endif
#include <Python.h>

#include <podium_analysis.h>

#include <stdatomic.h>

/* ---- Failures: these set the exception, and return NULL so that they can be returned ---- */

void *fail_message(PyObject *module, const char *message);
void *fail_status(PyObject *module, podium_status status);

/* Says that a value is NaN, and what the caller can do about it. */
extern const char nan_found[];

/* ---- Views: memory of a Python object, kept where it is until view_close ---- */

typedef struct view {
    PyObject *memory; /* the memoryview; NULL if the view is closed */
    void *at;
    size_t n; /* items */
} view;

/* Opens contiguous memory of items of that many bytes, for reading or for writing. On failure the exception is set, and
   the view is closed. view_close accepts a closed view. */
bool view_read(view *v, PyObject *module, PyObject *object, size_t item);
bool view_write(view *v, PyObject *module, PyObject *object, size_t item);
void view_close(view *v);

/* ---- Capsules ---- */

typedef struct collection {
    podium_collection ready;
    _Atomic(podium_channel *) channel; /* NULL until it is needed */
} collection;

/* Return NULL with an exception if the object is no such capsule. */
collection *collection_of(PyObject *capsule);
podium_aggregate *aggregate_of(PyObject *capsule);

/* Returns the collection's channel, which it makes at the first call; NULL with an exception on failure. */
const podium_channel *channel_of(PyObject *module, collection *c);

/* Returns a new capsule of an aggregate that PyMem_Malloc returned, and frees the aggregate if that fails. */
PyObject *aggregate_capsule(podium_aggregate *aggregate);

/* Adds a number or any other object to a dict, and takes the reference to the object. Returns false with an exception
   on failure, also if the object is NULL. */
bool put(PyObject *dict, const char *key, PyObject *object);
bool put_number(PyObject *dict, const char *key, double x);

/* Returns a new list of n objects that make(context, i) returns. */
PyObject *list_of(size_t n, PyObject *(*make)(const void *context, size_t i), const void *context);

/* ---- The functions of each file, each list ended by a row of zeros ---- */

extern PyMethodDef collection_functions[], privatize_functions[], aggregate_functions[], summary_functions[],
    plan_functions[], program_functions[];

#endif
