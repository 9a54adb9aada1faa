/* What is known before the first report arrives: noise, plans, promises. */
#include "core.h"

static PyObject *number_or_failed(PyObject *module, podium_status status, double x) {
    return status == PODIUM_OK ? PyFloat_FromDouble(x) : fail_status(module, status);
}

static PyObject *noise(PyObject *module, PyObject *args) {
    PyObject *capsule;
    int objective;
    double x;
    (void)module;
    const collection *c = PyArg_ParseTuple(args, "Oi", &capsule, &objective) ? collection_of(capsule) : NULL;
    if (c == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        x = podium_collection_noise(&c->ready, (podium_objective)objective);
    Py_END_ALLOW_THREADS
    return PyFloat_FromDouble(x);
}

static PyObject *lower_bound(PyObject *module, PyObject *epsilon) {
    const double x = PyFloat_AsDouble(epsilon);
    (void)module;
    return PyErr_Occurred() == NULL ? PyFloat_FromDouble(podium_lower_bound(x)) : NULL;
}

/* ---- The mean ---- */

static PyObject *plan_error(PyObject *module, PyObject *args) {
    PyObject *capsule;
    double people, spread, confidence, within = 0;
    if (!PyArg_ParseTuple(args, "Oddd", &capsule, &people, &spread, &confidence))
        return NULL;
    const collection *c = collection_of(capsule);
    if (c == NULL)
        return NULL;
    const podium_status status = podium_plan_error(&c->ready, &within, people, spread, confidence);
    return number_or_failed(module, status, within);
}

static PyObject *plan_people(PyObject *module, PyObject *args) {
    PyObject *capsule;
    double within, spread, confidence, people = 0;
    if (!PyArg_ParseTuple(args, "Oddd", &capsule, &within, &spread, &confidence))
        return NULL;
    const collection *c = collection_of(capsule);
    if (c == NULL)
        return NULL;
    const podium_status status = podium_plan_people(&c->ready, &people, within, spread, confidence);
    return number_or_failed(module, status, people);
}

/* The collection says which mechanism, range and parameter; its epsilon does not count. */
static PyObject *plan_epsilon(PyObject *module, PyObject *args) {
    PyObject *capsule;
    podium_collection found;
    podium_status status;
    double people, within, spread, confidence;
    if (!PyArg_ParseTuple(args, "Odddd", &capsule, &people, &within, &spread, &confidence))
        return NULL;
    const collection *c = collection_of(capsule);
    if (c == NULL)
        return NULL;
    const podium_spec spec = podium_collection_spec(&c->ready);
    Py_BEGIN_ALLOW_THREADS
        status = podium_plan_epsilon(&found, &spec, people, within, spread, confidence);
    Py_END_ALLOW_THREADS
    return number_or_failed(module, status, status == PODIUM_OK ? podium_collection_spec(&found).epsilon : 0);
}

/* ---- The distribution: the number is p of a quantile, or how many bins ---- */

typedef podium_status quantile_plan(const podium_channel *, double *, double, double, double);
typedef podium_status histogram_plan(const podium_channel *, double *, double, uint32_t, double);

static PyObject *plan_quantile_by(PyObject *module, PyObject *args, quantile_plan *plan) {
    PyObject *capsule;
    podium_status status;
    double given, p, confidence, found = 0;
    if (!PyArg_ParseTuple(args, "Oddd", &capsule, &given, &p, &confidence))
        return NULL;
    collection *c = collection_of(capsule);
    const podium_channel *channel = c == NULL ? NULL : channel_of(module, c);
    if (channel == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        status = plan(channel, &found, given, p, confidence);
    Py_END_ALLOW_THREADS
    return number_or_failed(module, status, found);
}

static PyObject *plan_quantile(PyObject *module, PyObject *args) {
    return plan_quantile_by(module, args, podium_plan_quantile);
}

static PyObject *plan_quantile_people(PyObject *module, PyObject *args) {
    return plan_quantile_by(module, args, podium_plan_quantile_people);
}

static PyObject *plan_histogram_by(PyObject *module, PyObject *args, histogram_plan *plan) {
    PyObject *capsule;
    podium_status status;
    double given, confidence, found = 0;
    unsigned int bins;
    if (!PyArg_ParseTuple(args, "OdId", &capsule, &given, &bins, &confidence))
        return NULL;
    collection *c = collection_of(capsule);
    const podium_channel *channel = c == NULL ? NULL : channel_of(module, c);
    if (channel == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        status = plan(channel, &found, given, bins, confidence);
    Py_END_ALLOW_THREADS
    return number_or_failed(module, status, found);
}

static PyObject *plan_histogram(PyObject *module, PyObject *args) {
    return plan_histogram_by(module, args, podium_plan_histogram);
}

static PyObject *plan_histogram_people(PyObject *module, PyObject *args) {
    return plan_histogram_by(module, args, podium_plan_histogram_people);
}

/* ---- Promises ---- */

static PyObject *promise(PyObject *module, PyObject *args) {
    podium_promise made;
    double epsilon, prior;
    if (!PyArg_ParseTuple(args, "dd", &epsilon, &prior))
        return NULL;
    const podium_status status = podium_promise_make(&made, epsilon, prior);
    return status == PODIUM_OK ? Py_BuildValue("(dddds)", made.factor, made.prior, made.least, made.most,
                                               podium_strength_name(made.strength))
                               : fail_status(module, status);
}

static PyObject *span(PyObject *module, PyObject *args) {
    PyObject *capsule;
    podium_limits limits;
    double x, share;
    if (!PyArg_ParseTuple(args, "Odd", &capsule, &x, &share))
        return NULL;
    const collection *c = collection_of(capsule);
    if (c == NULL)
        return NULL;
    const podium_status status = podium_collection_span(&c->ready, &limits, x, share);
    return status == PODIUM_OK ? Py_BuildValue("(dd)", limits.lower, limits.upper) : fail_status(module, status);
}

PyMethodDef plan_functions[] = {
    {"noise", noise, METH_VARARGS, NULL},
    {"lower_bound", lower_bound, METH_O, NULL},
    {"plan_error", plan_error, METH_VARARGS, NULL},
    {"plan_people", plan_people, METH_VARARGS, NULL},
    {"plan_epsilon", plan_epsilon, METH_VARARGS, NULL},
    {"plan_quantile", plan_quantile, METH_VARARGS, NULL},
    {"plan_quantile_people", plan_quantile_people, METH_VARARGS, NULL},
    {"plan_histogram", plan_histogram, METH_VARARGS, NULL},
    {"plan_histogram_people", plan_histogram_people, METH_VARARGS, NULL},
    {"promise", promise, METH_VARARGS, NULL},
    {"span", span, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
