/* The module itself, and what all of its files share. */
#include "core.h"

#include <stdint.h>
#include <stdlib.h>

typedef struct state {
    PyObject *error; /* podium.PodiumError */
} state;

/* ---- Failures ---- */

void *fail_message(PyObject *module, const char *message) {
    const state *s = PyModule_GetState(module);
    PyErr_SetString(s->error, message);
    return NULL;
}

void *fail_status(PyObject *module, podium_status status) {
    if (status == PODIUM_ERROR_OUT_OF_MEMORY)
        return PyErr_NoMemory();
    return fail_message(module, podium_status_message(status));
}

/* ---- Views ---- */

/* Python's headers call these two deprecated, and those of 3.13 leave them out; core.h says why they are right here. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
PyAPI_FUNC(int) PyObject_AsReadBuffer(PyObject *object, const void **at, Py_ssize_t *n);
PyAPI_FUNC(int) PyObject_AsWriteBuffer(PyObject *object, void **at, Py_ssize_t *n);

static bool address_of(view *v, Py_ssize_t *bytes, bool writes) {
    const void *at = NULL;
    if (writes)
        return PyObject_AsWriteBuffer(v->memory, &v->at, bytes) == 0;
    if (PyObject_AsReadBuffer(v->memory, &at, bytes) != 0)
        return false;
    v->at = (void *)(uintptr_t)at; /* who asked to read does not write */
    return true;
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

static bool view_open(view *v, PyObject *module, PyObject *object, size_t item, bool writes) {
    Py_ssize_t bytes = 0;
    *v = (view){.memory = PyMemoryView_FromObject(object)};
    if (v->memory == NULL)
        return false;
    if (!address_of(v, &bytes, writes)) {
        view_close(v);
        return false;
    }
    v->n = (size_t)bytes / item;
    if ((size_t)bytes % item == 0 && ((uintptr_t)v->at % item == 0 || bytes == 0))
        return true;
    view_close(v);
    fail_message(module, "the memory is not an aligned array of whole items");
    return false;
}

bool view_read(view *v, PyObject *module, PyObject *object, size_t item) {
    return view_open(v, module, object, item, false);
}

bool view_write(view *v, PyObject *module, PyObject *object, size_t item) {
    return view_open(v, module, object, item, true);
}

void view_close(view *v) {
    Py_CLEAR(v->memory);
}

/* ---- Dicts and lists ---- */

bool put(PyObject *dict, const char *key, PyObject *object) {
    if (object == NULL)
        return false;
    const int status = PyDict_SetItemString(dict, key, object);
    Py_DECREF(object);
    return status == 0;
}

bool put_number(PyObject *dict, const char *key, double x) {
    return put(dict, key, PyFloat_FromDouble(x));
}

PyObject *list_of(size_t n, PyObject *(*make)(const void *context, size_t i), const void *context) {
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *item = make(context, i);
        if (item == NULL || PyList_SetItem(list, (Py_ssize_t)i, item) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* ---- The module ---- */

static PyObject *version(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return PyUnicode_FromString(podium_version());
}

static PyMethodDef own_functions[] = {{"version", version, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static int module_exec(PyObject *module) {
    PyMethodDef *const all[] = {own_functions,     collection_functions, privatize_functions, aggregate_functions,
                                summary_functions, plan_functions,       program_functions};
    state *s = PyModule_GetState(module);
    s->error = PyErr_NewExceptionWithDoc("podium.PodiumError", "What Podium cannot do, in the words of its library.",
                                         PyExc_ValueError, NULL);
    if (s->error == NULL)
        return -1;
    Py_INCREF(s->error);
    if (PyModule_AddObject(module, "PodiumError", s->error) != 0) {
        Py_DECREF(s->error);
        return -1;
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (PyModule_AddFunctions(module, all[i]) != 0)
            return -1;
    if (PyModule_AddStringConstant(module, "NOT_REPORTS", podium_status_message(PODIUM_ERROR_NOT_REPORTS)) != 0)
        return -1;
    return PyModule_AddStringConstant(module, "NAN_FOUND", nan_found);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    const state *s = PyModule_GetState(module);
    if (s != NULL)
        Py_VISIT(s->error);
    return 0;
}

static int module_clear(PyObject *module) {
    state *s = PyModule_GetState(module);
    if (s != NULL)
        Py_CLEAR(s->error);
    return 0;
}

/* What later Pythons ask, by the numbers of their stable ABI, because the API of 3.9 has no names for them: does the
   module work in an interpreter with a lock of its own (2 is yes), and without a lock (1 is yes)? It has no variables
   that change, and neither has the library. */
enum { SLOT_INTERPRETERS = 3, SINCE_INTERPRETERS = 12, SLOT_LOCK = 4, SINCE_LOCK = 13 };
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)(uintptr_t)module_exec},
    {SLOT_INTERPRETERS, (void *)2},
    {SLOT_LOCK, (void *)1},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "podium._core",
    .m_doc = "Podium's library, as the package podium calls it.",
    .m_size = sizeof(state),
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    const long minor = strtol(Py_GetVersion() + sizeof "3." - 1, NULL, 10);
    if (minor < SINCE_LOCK) /* a Python refuses slots that it does not know: the list ends before them */
        slots[minor < SINCE_INTERPRETERS ? 1 : 2].slot = 0;
    return PyModuleDef_Init(&definition);
}
