/* The program `podium`, which is compiled into the module, so that `python -m podium` is it. */
#include "core.h"

/* The program's own */
int main(int argc, char **argv);

/* Fills argv, which has room for n pointers and NULL, with the arguments' own memory. */
static bool fill_argv(char **argv, PyObject *arguments, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++)
        if ((argv[i] = PyBytes_AsString(PyList_GetItem(arguments, i))) == NULL)
            return false;
    argv[n] = NULL;
    return true;
}

/* program(arguments): a list of bytes, of which the first is the program's name. Returns what the program returns, but
   an error of the program ends the process. */
static PyObject *program(PyObject *module, PyObject *arguments) {
    const Py_ssize_t n = PyList_Size(arguments);
    int status;
    (void)module;
    if (n < 0)
        return NULL;
    char **argv = PyMem_Malloc(((size_t)n + 1) * sizeof *argv);
    if (argv == NULL)
        return PyErr_NoMemory();
    if (!fill_argv(argv, arguments, n)) {
        PyMem_Free(argv);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
        status = main((int)n, argv);
    Py_END_ALLOW_THREADS
    PyMem_Free(argv);
    return PyLong_FromLong(status);
}

PyMethodDef program_functions[] = {{"program", program, METH_O, NULL}, {NULL, NULL, 0, NULL}};
