/* Privatising: values in arrays of doubles, reports and codes out. Nothing here prints a value, and no message depends
   on one, except that the caller may ask to stop if a value is NaN. */
#include "core.h"

#include <math.h>
#include <string.h>

/* Values are looked at for NaN and privatised a block at a time, so that the second look finds them in the cache. */
#define BLOCK 65536

typedef enum nan_policy { NAN_STOPS = 0, NAN_STAYS = 1, NAN_IS_THE_MIDDLE = 2 } nan_policy;

const char nan_found[] = "a value is NaN: pass nan=\"keep\" to keep it missing, or nan=\"middle\" to privatise it "
                         "as the middle of the range";

/* ---- Random bytes that a test brings ---- */

typedef struct given_bytes {
    const unsigned char *at;
    size_t left;
} given_bytes;

static size_t given_fill(void *context, void *buffer, size_t n) {
    given_bytes *given = context;
    if (n > given->left)
        return 0;
    memcpy(buffer, given->at, n);
    given->at += n;
    given->left -= n;
    return n;
}

/* ---- One job: all that a call needs once Python's lock is released ---- */

typedef struct job {
    const podium_collection *collection;
    view out, values, bytes;
    given_bytes given;
    podium_random random;
    const podium_random *source; /* NULL for the default */
} job;

static void job_close(job *j) {
    view_close(&j->out);
    view_close(&j->values);
    view_close(&j->bytes);
}

static bool job_source(job *j, PyObject *module, PyObject *bytes) {
    if (bytes == Py_None)
        return true;
    if (!view_read(&j->bytes, module, bytes, 1))
        return false;
    j->given = (given_bytes){j->bytes.at, j->bytes.n};
    j->random = (podium_random){.fill = given_fill, .context = &j->given};
    j->source = &j->random;
    return true;
}

static bool overlap(const view *a, size_t a_item, const view *b, size_t b_item) {
    const char *from = a->at, *other = b->at;
    return from < other + b->n * b_item && other < from + a->n * a_item;
}

static bool job_fits(const job *j, PyObject *module, size_t out_item) {
    if (j->out.n != j->values.n)
        return fail_message(module, "the output has another number of items than the input") != NULL;
    const bool is_same = j->out.at == j->values.at && out_item == sizeof(double);
    if (!is_same && overlap(&j->out, out_item, &j->values, sizeof(double)))
        return fail_message(module, "the output overlaps the values without being the same array") != NULL;
    return true;
}

static bool job_open(job *j, PyObject *module, PyObject *capsule, PyObject *out, size_t out_item, PyObject *values,
                     PyObject *bytes) {
    const collection *c = collection_of(capsule);
    *j = (job){.collection = c == NULL ? NULL : &c->ready};
    if (c != NULL && view_write(&j->out, module, out, out_item) &&
        view_read(&j->values, module, values, sizeof(double)) && job_source(j, module, bytes) &&
        job_fits(j, module, out_item))
        return true;
    job_close(j);
    return false;
}

/* ---- Reports ---- */

/* Returns whether a value may be NaN: it is exact, except that infinities count too. The carry out of an exponent that
   is all ones reaches the sign bit. Compilers make vectors of this loop, which they do not of comparisons, so that it
   takes no longer than reading the values. */
static bool may_be_nan(const double *values, size_t n) {
    const uint64_t exponent = (uint64_t)0x7ff << 52, lowest = (uint64_t)1 << 52;
    uint64_t found = 0, bits;
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits, &values[i], sizeof bits);
        found |= (bits & exponent) + lowest;
    }
    return found >> 63 != 0;
}

static bool any_nan(const double *values, size_t n) {
    unsigned found = 0;
    if (!may_be_nan(values, n))
        return false;
    for (size_t i = 0; i < n; i++)
        found |= (unsigned)(values[i] != values[i]);
    return found != 0;
}

/* The values may be overwritten by the reports, so where they are NaN is kept first. */
static podium_status privatize_keeping(const job *j, double *reports, const double *values, size_t n,
                                       unsigned char *missing) {
    if (!may_be_nan(values, n))
        return podium_privatize_from(j->collection, j->source, reports, values, n);
    for (size_t i = 0; i < n; i++)
        missing[i] = values[i] != values[i];
    const podium_status status = podium_privatize_from(j->collection, j->source, reports, values, n);
    for (size_t i = 0; i < n; i++)
        reports[i] = missing[i] ? NAN : reports[i];
    return status;
}

/* Returns whether a value was NaN that must not be. */
static bool privatize_blocks(const job *j, nan_policy policy, unsigned char *missing, podium_status *status) {
    double *reports = j->out.at;
    const double *values = j->values.at;
    size_t n;
    *status = PODIUM_OK;
    for (size_t at = 0; *status == PODIUM_OK && at < j->values.n; at += n) {
        n = j->values.n - at < BLOCK ? j->values.n - at : BLOCK;
        if (policy == NAN_STOPS && any_nan(values + at, n))
            return true;
        *status = policy == NAN_STAYS ? privatize_keeping(j, reports + at, values + at, n, missing)
                                      : podium_privatize_from(j->collection, j->source, reports + at, values + at, n);
    }
    return false;
}

static PyObject *privatize(PyObject *module, PyObject *args) {
    PyObject *capsule, *out, *values, *bytes;
    unsigned char *missing = NULL;
    bool stopped = false;
    podium_status status = PODIUM_OK;
    int policy;
    job j;
    if (!PyArg_ParseTuple(args, "OOOiO", &capsule, &out, &values, &policy, &bytes) ||
        !job_open(&j, module, capsule, out, sizeof(double), values, bytes))
        return NULL;
    if (policy == NAN_STAYS && (missing = PyMem_Malloc(BLOCK)) == NULL) {
        job_close(&j);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS
        stopped = privatize_blocks(&j, (nan_policy)policy, missing, &status);
    Py_END_ALLOW_THREADS
    PyMem_Free(missing);
    job_close(&j);
    if (stopped)
        return fail_message(module, nan_found);
    return status == PODIUM_OK ? Py_BuildValue("") : fail_status(module, status);
}

/* An int that is too large for a double lies beyond every range, on one of its sides. */
static double number_of(PyObject *object) {
    const double x = PyFloat_AsDouble(object);
    if (x != -1 || PyErr_Occurred() == NULL || !PyErr_ExceptionMatches(PyExc_OverflowError))
        return x;
    PyErr_Clear();
    PyObject *zero = PyLong_FromLong(0);
    const int is_below = zero == NULL ? -1 : PyObject_RichCompareBool(object, zero, Py_LT);
    Py_XDECREF(zero);
    return is_below == 1 ? -HUGE_VAL : HUGE_VAL;
}

static PyObject *privatize_one(PyObject *module, PyObject *args) {
    PyObject *capsule, *object;
    double report;
    int policy;
    const collection *c = PyArg_ParseTuple(args, "OOi", &capsule, &object, &policy) ? collection_of(capsule) : NULL;
    if (c == NULL)
        return NULL;
    const double value = number_of(object);
    if (PyErr_Occurred() != NULL)
        return NULL;
    if (isnan(value) && policy != NAN_IS_THE_MIDDLE)
        return policy == NAN_STAYS ? PyFloat_FromDouble(NAN) : fail_message(module, nan_found);
    const podium_status status = podium_privatize(&c->ready, &report, &value, 1);
    return status == PODIUM_OK ? PyFloat_FromDouble(report) : fail_status(module, status);
}

static PyObject *has_nan(PyObject *module, PyObject *values) {
    view v;
    bool found;
    if (!view_read(&v, module, values, sizeof(double)))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
        found = any_nan(v.at, v.n);
    Py_END_ALLOW_THREADS
    view_close(&v);
    return PyBool_FromLong(found);
}

/* ---- Codes: cells as unsigned integers of 1, 2 or 4 bytes in the machine's own byte order ---- */

#define CODES_BLOCK 4096

static bool is_code_item(PyObject *module, Py_ssize_t item) {
    return item == 1 || item == 2 || item == 4 || fail_message(module, "a code has 1, 2 or 4 bytes") != NULL;
}

static void narrow(void *codes, size_t item, size_t at, const uint32_t *cells, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (item == 1)
            ((uint8_t *)codes)[at + i] = (uint8_t)cells[i];
        else if (item == 2)
            ((uint16_t *)codes)[at + i] = (uint16_t)cells[i];
        else
            ((uint32_t *)codes)[at + i] = cells[i];
}

static void widen(uint32_t *cells, const void *codes, size_t item, size_t at, size_t n) {
    for (size_t i = 0; i < n; i++)
        cells[i] = item == 1   ? ((const uint8_t *)codes)[at + i]
                   : item == 2 ? ((const uint16_t *)codes)[at + i]
                               : ((const uint32_t *)codes)[at + i];
}

/* Four bytes are the cells themselves, and the others pass through a block that is opened once for all of them. */
static podium_status draw_codes(const job *j, size_t item, uint32_t *cells) {
    const double *values = j->values.at;
    podium_status status = PODIUM_OK;
    if (item == sizeof *cells)
        return podium_privatize_cells(j->collection, j->source, j->out.at, values, j->values.n);
    for (size_t at = 0, n; status == PODIUM_OK && at < j->values.n; at += n) {
        n = j->values.n - at < BLOCK ? j->values.n - at : BLOCK;
        status = podium_privatize_cells(j->collection, j->source, cells, values + at, n);
        if (status == PODIUM_OK)
            narrow(j->out.at, item, at, cells, n);
    }
    return status;
}

static PyObject *codes(PyObject *module, PyObject *args) {
    PyObject *capsule, *out, *values, *bytes;
    podium_status status = PODIUM_OK;
    Py_ssize_t item;
    job j;
    if (!PyArg_ParseTuple(args, "OOOnO", &capsule, &out, &values, &item, &bytes) || !is_code_item(module, item) ||
        !job_open(&j, module, capsule, out, (size_t)item, values, bytes))
        return NULL;
    uint32_t *cells = PyMem_Malloc(BLOCK * sizeof *cells);
    if (cells == NULL) {
        job_close(&j);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS
        status = draw_codes(&j, (size_t)item, cells);
    Py_END_ALLOW_THREADS
    PyMem_Free(cells);
    job_close(&j);
    return status == PODIUM_OK ? Py_BuildValue("") : fail_status(module, status);
}

static podium_status reports_of(const podium_collection *c, double *out, const view *v, size_t item) {
    uint32_t cells[CODES_BLOCK];
    podium_status status = PODIUM_OK;
    for (size_t at = 0, n; status == PODIUM_OK && at < v->n; at += n) {
        n = v->n - at < CODES_BLOCK ? v->n - at : CODES_BLOCK;
        widen(cells, v->at, item, at, n);
        status = podium_collection_reports(c, out + at, cells, n);
    }
    return status;
}

static PyObject *reports(PyObject *module, PyObject *args) {
    PyObject *capsule, *out, *codes_object;
    podium_status status = PODIUM_ERROR_ARGUMENT_WRONG;
    Py_ssize_t item;
    view from, to;
    if (!PyArg_ParseTuple(args, "OOOn", &capsule, &out, &codes_object, &item) || !is_code_item(module, item))
        return NULL;
    const collection *c = collection_of(capsule);
    if (c == NULL || !view_read(&from, module, codes_object, (size_t)item))
        return NULL;
    const bool is_open = view_write(&to, module, out, sizeof(double));
    if (is_open && from.n == to.n) {
        Py_BEGIN_ALLOW_THREADS
            status = reports_of(&c->ready, to.at, &from, (size_t)item);
        Py_END_ALLOW_THREADS
    }
    view_close(&from);
    view_close(&to);
    if (status == PODIUM_OK || !is_open)
        return is_open ? Py_BuildValue("") : NULL;
    return fail_message(module, "a code is not one of this collection's");
}

static podium_status add_codes(const podium_collection *c, podium_aggregate *aggregate, const view *v, size_t item) {
    uint32_t cells[CODES_BLOCK];
    podium_status status = PODIUM_OK;
    for (size_t at = 0, n; status == PODIUM_OK && at < v->n; at += n) {
        n = v->n - at < CODES_BLOCK ? v->n - at : CODES_BLOCK;
        widen(cells, v->at, item, at, n);
        status = podium_aggregate_add_cells(c, aggregate, cells, n);
    }
    return status;
}

/* aggregate(collection, array, item): reports if item is 0, and codes of that many bytes otherwise */
static PyObject *aggregate(PyObject *module, PyObject *args) {
    PyObject *capsule, *array;
    podium_status status;
    Py_ssize_t item;
    view v;
    if (!PyArg_ParseTuple(args, "OOn", &capsule, &array, &item) || !(item == 0 || is_code_item(module, item)))
        return NULL;
    const collection *c = collection_of(capsule);
    if (c == NULL || !view_read(&v, module, array, item == 0 ? sizeof(double) : (size_t)item))
        return NULL;
    podium_aggregate *made = PyMem_Malloc(sizeof *made);
    if (made == NULL) {
        view_close(&v);
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS
        podium_aggregate_init(&c->ready, made);
        status =
            item == 0 ? podium_aggregate_add(&c->ready, made, v.at, v.n) : add_codes(&c->ready, made, &v, (size_t)item);
    Py_END_ALLOW_THREADS
    view_close(&v);
    if (status == PODIUM_OK)
        return aggregate_capsule(made);
    PyMem_Free(made);
    return fail_status(module, status);
}

PyMethodDef privatize_functions[] = {
    {"privatize", privatize, METH_VARARGS, NULL},
    {"privatize_one", privatize_one, METH_VARARGS, NULL},
    {"has_nan", has_nan, METH_O, NULL},
    {"codes", codes, METH_VARARGS, NULL},
    {"reports", reports, METH_VARARGS, NULL},
    {"aggregate", aggregate, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
