/* Aggregates. A capsule is never changed after it was made: to merge or to subtract makes a new one. */
#include "../../common/spec.h"
#include "core.h"

#include <string.h>

static const char capsule_name[] = "podium.aggregate";

static void aggregate_free(PyObject *capsule) {
    PyMem_Free(PyCapsule_GetPointer(capsule, capsule_name));
}

podium_aggregate *aggregate_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, capsule_name);
}

PyObject *aggregate_capsule(podium_aggregate *aggregate) {
    PyObject *capsule = PyCapsule_New(aggregate, capsule_name, aggregate_free);
    if (capsule == NULL)
        PyMem_Free(aggregate);
    return capsule;
}

/* Returns the capsule if the status says that the aggregate was made, and frees the aggregate otherwise. */
static PyObject *made_or_failed(PyObject *module, podium_aggregate *aggregate, podium_status status) {
    if (status == PODIUM_OK)
        return aggregate_capsule(aggregate);
    PyMem_Free(aggregate);
    return fail_status(module, status);
}

/* ---- Two aggregates ---- */

static void *fail_specs(PyObject *module, const podium_aggregate *a, const podium_aggregate *b) {
    const podium_spec one = podium_aggregate_spec(a), other = podium_aggregate_spec(b);
    char specs[SQL_MESSAGE_MAX], message[SQL_MESSAGE_MAX + 64];
    sql_specs_differ(specs, &one, &other);
    PyOS_snprintf(message, sizeof message, "the aggregates have different specs, %s", specs);
    return fail_message(module, message);
}

static PyObject *merge(PyObject *module, PyObject *args) {
    PyObject *left, *right;
    if (!PyArg_ParseTuple(args, "OO", &left, &right))
        return NULL;
    const podium_aggregate *a = aggregate_of(left), *b = a == NULL ? NULL : aggregate_of(right);
    if (b == NULL)
        return NULL;
    if (podium_aggregate_fingerprint(a) != podium_aggregate_fingerprint(b))
        return fail_specs(module, a, b);
    podium_aggregate *sum = PyMem_Malloc(sizeof *sum);
    if (sum == NULL)
        return PyErr_NoMemory();
    *sum = *a;
    return made_or_failed(module, sum, podium_aggregate_merge(sum, b));
}

static PyObject *subtract(PyObject *module, PyObject *args) {
    PyObject *capsule, *left, *right;
    if (!PyArg_ParseTuple(args, "OOO", &capsule, &left, &right))
        return NULL;
    const collection *c = collection_of(capsule);
    const podium_aggregate *a = c == NULL ? NULL : aggregate_of(left), *b = a == NULL ? NULL : aggregate_of(right);
    if (b == NULL)
        return NULL;
    if (podium_aggregate_fingerprint(a) != podium_aggregate_fingerprint(b))
        return fail_specs(module, a, b);
    podium_aggregate *rest = PyMem_Malloc(sizeof *rest);
    if (rest == NULL)
        return PyErr_NoMemory();
    *rest = *a;
    return made_or_failed(module, rest, podium_aggregate_subtract(&c->ready, rest, b));
}

/* ---- One aggregate ---- */

static PyObject *counts(PyObject *module, PyObject *capsule) {
    const podium_aggregate *a = aggregate_of(capsule);
    (void)module;
    return a == NULL ? NULL
                     : Py_BuildValue("(KK)", (unsigned long long)podium_aggregate_count(a),
                                     (unsigned long long)podium_aggregate_refused(a));
}

static PyObject *check(PyObject *module, PyObject *args) {
    PyObject *capsule, *sums;
    podium_status status;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &sums))
        return NULL;
    const collection *c = collection_of(capsule);
    const podium_aggregate *a = c == NULL ? NULL : aggregate_of(sums);
    if (a == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        status = podium_aggregate_check(&c->ready, a);
    Py_END_ALLOW_THREADS
    return status == PODIUM_OK ? Py_BuildValue("") : fail_status(module, status);
}

/* ---- Many aggregates ---- */

/* Returns the aggregates of a list of capsules, which PyMem_Free frees, and how many there are; NULL with an exception
   on failure. */
static const podium_aggregate **aggregates_of(PyObject *list, size_t *n) {
    const Py_ssize_t size = PyList_Size(list);
    const podium_aggregate **each = size < 0 ? NULL : PyMem_Malloc(((size_t)size + 1) * sizeof(podium_aggregate *));
    if (each == NULL)
        return size < 0 ? NULL : (const podium_aggregate **)PyErr_NoMemory();
    *n = (size_t)size;
    for (Py_ssize_t i = 0; i < size; i++)
        if ((each[i] = aggregate_of(PyList_GetItem(list, i))) == NULL) {
            PyMem_Free(each);
            return NULL;
        }
    return each;
}

/* Returns the index of the first group that cannot be reports of the collection, or None. */
static PyObject *check_groups(PyObject *module, PyObject *args) {
    PyObject *capsule, *list;
    size_t n = 0, which = 0;
    podium_status status;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &list))
        return NULL;
    const collection *c = collection_of(capsule);
    const podium_aggregate **each = c == NULL ? NULL : aggregates_of(list, &n);
    if (each == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        status = podium_aggregates_check(&c->ready, &which, each, n);
    Py_END_ALLOW_THREADS
    PyMem_Free(each);
    if (status == PODIUM_ERROR_NOT_REPORTS)
        return PyLong_FromSize_t(which);
    return status == PODIUM_OK ? Py_BuildValue("") : fail_status(module, status);
}

/* ---- As bytes and text ---- */

static PyObject *encode(PyObject *module, PyObject *capsule) {
    const podium_aggregate *a = aggregate_of(capsule);
    unsigned char bytes[PODIUM_AGGREGATE_BYTES_MAX];
    (void)module;
    return a == NULL ? NULL
                     : PyBytes_FromStringAndSize((const char *)bytes,
                                                 (Py_ssize_t)podium_aggregate_encode(a, bytes, sizeof bytes));
}

static PyObject *format(PyObject *module, PyObject *capsule) {
    const podium_aggregate *a = aggregate_of(capsule);
    char line[PODIUM_AGGREGATE_TEXT_MAX];
    (void)module;
    if (a == NULL)
        return NULL;
    podium_aggregate_format(a, line, sizeof line);
    return PyUnicode_FromString(line);
}

/* Returns the line of the spec that is in the bytes. */
static PyObject *peek(PyObject *module, PyObject *bytes) {
    char line[PODIUM_SPEC_TEXT_MAX] = "";
    podium_spec spec;
    view v;
    if (!view_read(&v, module, bytes, 1))
        return NULL;
    const podium_status status = podium_aggregate_peek(&spec, v.at, v.n);
    view_close(&v);
    if (status != PODIUM_OK)
        return fail_message(module, status == PODIUM_ERROR_TEXT_MALFORMED ? "the bytes are not an aggregate"
                                                                          : podium_status_message(status));
    podium_spec_format(&spec, line, sizeof line);
    return PyUnicode_FromString(line);
}

static podium_status decode_either(const collection *c, podium_aggregate *a, const view *v) {
    const size_t prefix = sizeof PODIUM_AGGREGATE_PREFIX - 1;
    const bool is_text = v->n >= prefix && memcmp(v->at, PODIUM_AGGREGATE_PREFIX, prefix) == 0;
    return is_text ? podium_aggregate_parse(&c->ready, a, v->at, v->n)
                   : podium_aggregate_decode(&c->ready, a, v->at, v->n);
}

static PyObject *decode(PyObject *module, PyObject *args) {
    PyObject *capsule, *bytes;
    view v;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &bytes))
        return NULL;
    const collection *c = collection_of(capsule);
    if (c == NULL || !view_read(&v, module, bytes, 1))
        return NULL;
    podium_aggregate *a = PyMem_Malloc(sizeof *a);
    const podium_status status = a == NULL ? PODIUM_ERROR_OUT_OF_MEMORY : decode_either(c, a, &v);
    view_close(&v);
    return made_or_failed(module, a, status);
}

PyMethodDef aggregate_functions[] = {
    {"merge", merge, METH_VARARGS, NULL},
    {"subtract", subtract, METH_VARARGS, NULL},
    {"counts", counts, METH_O, NULL},
    {"check", check, METH_VARARGS, NULL},
    {"check_groups", check_groups, METH_VARARGS, NULL},
    {"encode", encode, METH_O, NULL},
    {"format", format, METH_O, NULL},
    {"peek", peek, METH_O, NULL},
    {"decode", decode, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
