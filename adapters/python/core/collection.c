/* Collections: made from a line or from numbers, and what they say of themselves. */
#include "../../common/spec.h"
#include "core.h"

#include <string.h>

static const char capsule_name[] = "podium.collection";

static void collection_free(PyObject *capsule) {
    collection *c = PyCapsule_GetPointer(capsule, capsule_name);
    podium_channel_free(atomic_load(&c->channel));
    PyMem_Free(c);
}

collection *collection_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, capsule_name);
}

/* A solver may need tens of milliseconds, in which other threads run. */
static PyObject *collection_make(PyObject *module, const podium_spec *spec) {
    podium_status status;
    collection *c = PyMem_Malloc(sizeof *c);
    if (c == NULL)
        return PyErr_NoMemory();
    atomic_init(&c->channel, NULL);
    Py_BEGIN_ALLOW_THREADS
        status = podium_collection_init(&c->ready, spec);
    Py_END_ALLOW_THREADS
    PyObject *capsule = status == PODIUM_OK ? PyCapsule_New(c, capsule_name, collection_free) : NULL;
    if (capsule == NULL)
        PyMem_Free(c);
    return status == PODIUM_OK ? capsule : fail_status(module, status);
}

const podium_channel *channel_of(PyObject *module, collection *c) {
    podium_channel *made = NULL, *earlier = atomic_load(&c->channel);
    podium_status status;
    if (earlier != NULL)
        return earlier;
    Py_BEGIN_ALLOW_THREADS
        status = podium_channel_make(&c->ready, &made);
    Py_END_ALLOW_THREADS
    if (status != PODIUM_OK)
        return fail_status(module, status);
    if (atomic_compare_exchange_strong(&c->channel, &earlier, made))
        return made;
    podium_channel_free(made); /* another thread was faster */
    return earlier;
}

/* ---- Made ---- */

static PyObject *spec_parse(PyObject *module, PyObject *args) {
    sql_arguments arguments = {.is_line = true};
    char message[SQL_MESSAGE_MAX];
    podium_spec spec;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "s#", &arguments.text, &n))
        return NULL;
    arguments.n = (size_t)n;
    return sql_spec(&spec, message, &arguments) ? collection_make(module, &spec) : fail_message(module, message);
}

/* Python has the mechanism and its parameter apart, so sql_spec is asked only for its words about an unknown name. */
static PyObject *spec_make(PyObject *module, PyObject *args) {
    podium_spec spec = {.epsilon = 0};
    sql_arguments arguments = {.is_line = false};
    char message[SQL_MESSAGE_MAX];
    unsigned int cells;
    Py_ssize_t n;
    if (!PyArg_ParseTuple(args, "s#ddddI", &arguments.text, &n, &spec.epsilon, &spec.min, &spec.max, &spec.spread,
                          &cells))
        return NULL;
    arguments.n = (size_t)n;
    spec.cells = cells;
    if (podium_mechanism_from_name(&spec.mechanism, arguments.text, arguments.n) == PODIUM_OK)
        return collection_make(module, &spec);
    return sql_spec(&spec, message, &arguments) ? fail_status(module, PODIUM_ERROR_MECHANISM_UNKNOWN)
                                                : fail_message(module, message);
}

/* A collection file of the program: lines of "key = value" */
static PyObject *text_parse(PyObject *module, PyObject *args) {
    const char *text;
    Py_ssize_t n;
    char name[PODIUM_NAME_MAX], message[SQL_MESSAGE_MAX];
    podium_collection parsed;
    podium_error error;
    if (!PyArg_ParseTuple(args, "s#", &text, &n))
        return NULL;
    if (podium_collection_parse(&parsed, name, sizeof name, &error, text, (size_t)n) != PODIUM_OK) {
        PyOS_snprintf(message, sizeof message, "line %u, \"%s\": %s", (unsigned)error.line, error.field,
                      podium_status_message(error.status));
        return fail_message(module, message);
    }
    const podium_spec spec = podium_collection_spec(&parsed);
    return collection_make(module, &spec);
}

static PyObject *choose(PyObject *module, PyObject *args) {
    podium_spec given = {.epsilon = 0}, spec;
    podium_status status;
    int objective;
    if (!PyArg_ParseTuple(args, "dddi", &given.epsilon, &given.min, &given.max, &objective))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        status = podium_choose(&spec, &given, (podium_objective)objective);
    Py_END_ALLOW_THREADS
    return status == PODIUM_OK ? collection_make(module, &spec) : fail_status(module, status);
}

/* ---- What it says of itself ---- */

static PyObject *spec_line(PyObject *module, PyObject *capsule) {
    const collection *c = collection_of(capsule);
    char line[PODIUM_SPEC_TEXT_MAX] = "";
    (void)module;
    if (c == NULL)
        return NULL;
    const podium_spec spec = podium_collection_spec(&c->ready);
    podium_spec_format(&spec, line, sizeof line);
    return PyUnicode_FromString(line);
}

static bool put_spec(PyObject *dict, const podium_spec *spec) {
    const char *parameter = podium_mechanism_parameter(spec->mechanism);
    return put(dict, "mechanism", PyUnicode_FromString(podium_mechanism_name(spec->mechanism))) &&
           put(dict, "parameter", parameter == NULL ? PyUnicode_FromString("") : PyUnicode_FromString(parameter)) &&
           put_number(dict, "epsilon", spec->epsilon) && put_number(dict, "min", spec->min) &&
           put_number(dict, "max", spec->max) && put_number(dict, "spread", spec->spread) &&
           put(dict, "cells", PyLong_FromUnsignedLong(spec->cells));
}

static bool put_facts(PyObject *dict, const podium_collection *c) {
    const podium_spec spec = podium_collection_spec(c);
    return put_spec(dict, &spec) &&
           put(dict, "fingerprint", PyLong_FromUnsignedLongLong(podium_collection_fingerprint(c))) &&
           put(dict, "support", PyLong_FromUnsignedLongLong(podium_collection_cells(c))) &&
           put(dict, "places", PyLong_FromUnsignedLongLong(podium_collection_places(c))) &&
           put_number(dict, "least", podium_collection_least(c)) &&
           put_number(dict, "most", podium_collection_most(c)) &&
           put_number(dict, "spacing", podium_collection_spacing(c)) &&
           put_number(dict, "variance_least", podium_collection_variance_least(c)) &&
           put_number(dict, "variance_most", podium_collection_variance_most(c)) &&
           put(dict, "code_bytes", PyLong_FromSize_t(podium_code_bytes(c))) &&
           put(dict, "tells_spread", PyBool_FromLong(podium_collection_tells_spread(c)));
}

static PyObject *facts(PyObject *module, PyObject *capsule) {
    const collection *c = collection_of(capsule);
    PyObject *dict = c == NULL ? NULL : PyDict_New();
    (void)module;
    if (dict != NULL && !put_facts(dict, &c->ready))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *variance(PyObject *module, PyObject *args) {
    PyObject *capsule;
    double x;
    (void)module;
    const collection *c = PyArg_ParseTuple(args, "Od", &capsule, &x) ? collection_of(capsule) : NULL;
    return c == NULL ? NULL : PyFloat_FromDouble(podium_collection_variance(&c->ready, x));
}

static PyObject *text(PyObject *module, PyObject *args) {
    char lines[PODIUM_COLLECTION_TEXT_MAX];
    const char *name;
    PyObject *capsule;
    const collection *c = PyArg_ParseTuple(args, "Oz", &capsule, &name) ? collection_of(capsule) : NULL;
    if (c == NULL)
        return NULL;
    if (podium_collection_format(&c->ready, lines, sizeof lines, name) == 0)
        return fail_message(module, "a name has up to 63 bytes, and no control characters");
    return PyUnicode_FromString(lines);
}

static PyObject *mechanism_make(const void *unused, size_t i) {
    const podium_mechanism m = (podium_mechanism)i;
    (void)unused;
    return Py_BuildValue("(ssz)", podium_mechanism_name(m), podium_mechanism_summary(m), podium_mechanism_parameter(m));
}

static PyObject *mechanisms(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return list_of(podium_mechanism_count(), mechanism_make, NULL);
}

PyMethodDef collection_functions[] = {
    {"spec_parse", spec_parse, METH_VARARGS, NULL}, {"spec_make", spec_make, METH_VARARGS, NULL},
    {"text_parse", text_parse, METH_VARARGS, NULL}, {"choose", choose, METH_VARARGS, NULL},
    {"spec_line", spec_line, METH_O, NULL},         {"facts", facts, METH_O, NULL},
    {"variance", variance, METH_VARARGS, NULL},     {"text", text, METH_VARARGS, NULL},
    {"mechanisms", mechanisms, METH_NOARGS, NULL},  {NULL, NULL, 0, NULL},
};
