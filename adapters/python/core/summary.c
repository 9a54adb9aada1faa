/* Summaries and differences, as dicts of what the library says. */
#include "core.h"

#include <string.h>

/* ---- The question ---- */

static bool question_interval(podium_question *question, PyObject *module, const char *name) {
    if (podium_interval_from_name(&question->interval, name, strlen(name)) == PODIUM_OK)
        return true;
    char message[160];
    PyOS_snprintf(message, sizeof message, "interval must be \"%s\", \"%s\" or \"%s\"",
                  podium_interval_name(PODIUM_INTERVAL_NORMAL), podium_interval_name(PODIUM_INTERVAL_GUARANTEED),
                  podium_interval_name(PODIUM_INTERVAL_ANYTIME));
    fail_message(module, message);
    return false;
}

/* The library reads 0 as "not asked"; who writes 0 in Python means 0. */
static bool question_confidence(podium_question *question, PyObject *module, double confidence) {
    question->confidence = confidence;
    if (confidence > 0 && confidence < 1)
        return true;
    fail_message(module, "confidence must be between 0 and 1");
    return false;
}

static bool question_bins(podium_question *question, PyObject *module, unsigned int bins) {
    char message[64];
    question->shape = bins != 0;
    question->bins = bins;
    if (bins <= PODIUM_SHARES)
        return true;
    PyOS_snprintf(message, sizeof message, "bins must be from 1 to %d", PODIUM_SHARES);
    fail_message(module, message);
    return false;
}

/* ---- The distribution ---- */

typedef struct points {
    const podium_distribution *distribution;
    const double *at;
} points;

static PyObject *quantile_make(const void *context, size_t i) {
    const points *p = context;
    const podium_limits limits = podium_distribution_quantile_limits(p->distribution, p->at[i]);
    return Py_BuildValue("(dddd)", p->at[i], podium_distribution_quantile(p->distribution, p->at[i]), limits.lower,
                         limits.upper);
}

static PyObject *below_make(const void *context, size_t i) {
    const points *p = context;
    const podium_limits limits = podium_distribution_below_limits(p->distribution, p->at[i]);
    return Py_BuildValue("(dddd)", p->at[i], podium_distribution_below(p->distribution, p->at[i]), limits.lower,
                         limits.upper);
}

static PyObject *bin_make(const void *context, size_t i) {
    const podium_bin bin = podium_distribution_bin(context, (uint32_t)i);
    return Py_BuildValue("(ddddd)", bin.from, bin.to, bin.share, bin.lower, bin.upper);
}

/* ---- The summary as a dict ---- */

static bool put_known(PyObject *dict, const char *key, podium_known known) {
    if (known == PODIUM_KNOWN_ESTIMATED || known == PODIUM_KNOWN_NOT_ASKED)
        return true;
    return put(dict, key, PyUnicode_FromString(podium_known_message(known)));
}

static PyObject *withheld(const podium_summary *s) {
    PyObject *dict = PyDict_New();
    if (dict != NULL &&
        !(put_known(dict, "mean", s->mean_known) && put_known(dict, "interval", s->interval_known) &&
          put_known(dict, "spread", s->spread_known) && put_known(dict, "distribution", s->shape_known)))
        Py_CLEAR(dict);
    return dict;
}

static bool put_mean(PyObject *dict, const podium_summary *s) {
    return put(dict, "count", PyLong_FromUnsignedLongLong(s->count)) &&
           put(dict, "refused", PyLong_FromUnsignedLongLong(s->refused)) &&
           put_number(dict, "confidence", s->confidence) &&
           put(dict, "interval", PyUnicode_FromString(podium_interval_name(s->interval))) &&
           put(dict, "about", PyUnicode_FromString(podium_summary_about(s))) && put_number(dict, "mean", s->mean) &&
           put_number(dict, "standard_error", s->standard_error) && put_number(dict, "lower", s->lower) &&
           put_number(dict, "upper", s->upper) && put_number(dict, "variance", s->variance) &&
           put_number(dict, "standard_deviation", s->standard_deviation) &&
           put(dict, "mean_is_outside", PyBool_FromLong(s->mean_is_outside)) &&
           put_number(dict, "influence", s->influence) && put(dict, "withheld", withheld(s));
}

static PyObject *summary_dict(const podium_summary *s, const podium_question *question, const view *quantiles,
                              const view *below) {
    const points at_quantiles = {&s->distribution, quantiles->at}, at_below = {&s->distribution, below->at};
    const size_t bins = question->shape ? question->bins : 0;
    PyObject *dict = PyDict_New();
    if (dict != NULL &&
        !(put_mean(dict, s) && put(dict, "quantiles", list_of(quantiles->n, quantile_make, &at_quantiles)) &&
          put(dict, "below", list_of(below->n, below_make, &at_below)) &&
          put(dict, "bins", list_of(bins, bin_make, &s->distribution))))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *summary_of(PyObject *module, collection *c, const podium_aggregate *a, const podium_question *question,
                            const view *quantiles, const view *below) {
    const podium_channel *channel = question->shape ? channel_of(module, c) : NULL;
    podium_status status;
    if (question->shape && channel == NULL)
        return NULL;
    podium_summary *s = PyMem_Malloc(sizeof *s);
    if (s == NULL)
        return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS
        status = podium_summary_make(&c->ready, channel, s, a, question);
    Py_END_ALLOW_THREADS
    PyObject *dict = status == PODIUM_OK ? summary_dict(s, question, quantiles, below) : fail_status(module, status);
    PyMem_Free(s);
    return dict;
}

/* summary(collection, aggregate, confidence, interval, population, bins, dishonest, quantiles, below): the last two are
   arrays of doubles; the distribution is estimated unless bins is 0 */
static PyObject *summary(PyObject *module, PyObject *args) {
    PyObject *capsule, *sums, *quantiles_object, *below_object, *dict = NULL;
    podium_question question = {.confidence = 0};
    const char *interval;
    double confidence;
    int population;
    unsigned int bins;
    unsigned long long dishonest;
    view quantiles = {NULL, NULL, 0}, below = {NULL, NULL, 0};
    if (!PyArg_ParseTuple(args, "OOdspIKOO", &capsule, &sums, &confidence, &interval, &population, &bins, &dishonest,
                          &quantiles_object, &below_object))
        return NULL;
    collection *c = collection_of(capsule);
    const podium_aggregate *a = c == NULL ? NULL : aggregate_of(sums);
    if (a == NULL || !question_interval(&question, module, interval) ||
        !question_confidence(&question, module, confidence) || !question_bins(&question, module, bins))
        return NULL;
    question.population = population != 0;
    question.dishonest = dishonest;
    if (view_read(&quantiles, module, quantiles_object, sizeof(double)) &&
        view_read(&below, module, below_object, sizeof(double)))
        dict = summary_of(module, c, a, &question, &quantiles, &below);
    view_close(&quantiles);
    view_close(&below);
    return dict;
}

/* ---- Differences ---- */

static PyObject *difference_withheld(const podium_difference *d) {
    PyObject *dict = PyDict_New();
    if (dict != NULL && !(put_known(dict, "difference", d->known) && put_known(dict, "interval", d->interval_known)))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *difference_dict(const podium_difference *d) {
    PyObject *dict = PyDict_New();
    if (dict != NULL &&
        !(put_number(dict, "confidence", d->confidence) &&
          put(dict, "interval", PyUnicode_FromString(podium_interval_name(d->interval))) &&
          put(dict, "population", PyBool_FromLong(d->population)) && put_number(dict, "difference", d->difference) &&
          put_number(dict, "standard_error", d->standard_error) && put_number(dict, "lower", d->lower) &&
          put_number(dict, "upper", d->upper) && put_number(dict, "p_value", d->p_value) &&
          put(dict, "withheld", difference_withheld(d))))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *difference(PyObject *module, PyObject *args) {
    PyObject *capsule, *left, *right;
    podium_question question = {.confidence = 0};
    podium_difference made;
    podium_status status;
    const char *interval;
    double confidence;
    int population;
    if (!PyArg_ParseTuple(args, "OOOdsp", &capsule, &left, &right, &confidence, &interval, &population))
        return NULL;
    const collection *c = collection_of(capsule);
    const podium_aggregate *a = c == NULL ? NULL : aggregate_of(left), *b = a == NULL ? NULL : aggregate_of(right);
    if (b == NULL || !question_interval(&question, module, interval) ||
        !question_confidence(&question, module, confidence))
        return NULL;
    question.population = population != 0;
    Py_BEGIN_ALLOW_THREADS
        status = podium_difference_make(&c->ready, &made, a, b, &question);
    Py_END_ALLOW_THREADS
    return status == PODIUM_OK ? difference_dict(&made) : fail_status(module, status);
}

/* adjust(adjusted, p): Holm's method, from one array of doubles to another */
static PyObject *adjust(PyObject *module, PyObject *args) {
    PyObject *adjusted, *p;
    podium_status status = PODIUM_ERROR_ARGUMENT_WRONG;
    view from, to;
    if (!PyArg_ParseTuple(args, "OO", &adjusted, &p) || !view_read(&from, module, p, sizeof(double)))
        return NULL;
    const bool is_open = view_write(&to, module, adjusted, sizeof(double));
    if (is_open && from.n == to.n)
        status = podium_differences_adjust(to.at, from.at, from.n);
    view_close(&from);
    view_close(&to);
    if (!is_open)
        return NULL;
    return status == PODIUM_OK ? Py_BuildValue("") : fail_message(module, "a p-value must be from 0 to 1");
}

PyMethodDef summary_functions[] = {
    {"summary", summary, METH_VARARGS, NULL},
    {"difference", difference, METH_VARARGS, NULL},
    {"adjust", adjust, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
