"""Loads C libraries and reports their errors, for programs that call them by ctypes."""

import ctypes
from collections.abc import Iterable
from ctypes import c_char_p, c_void_p
from typing import Any


class LibraryError(Exception):
    """Error: a call to a C library failed or was rejected."""


def load(name: str, *, texts: Iterable[str] = (), places: Iterable[str] = ()) -> Any:  # noqa: ANN401  as ctypes has it
    """Load a C library and declare the return types of its functions.

    Parameters
    ----------
    name
        File name of the library.
    texts, places
        Functions that return a string, and functions that return a pointer. Others return an
        integer.

    Raises
    ------
    OSError
        It is not there.
    """
    library = ctypes.CDLL(name)
    for kind, functions in ((c_char_p, texts), (c_void_p, places)):
        for function in functions:
            getattr(library, function).restype = kind
    return library
