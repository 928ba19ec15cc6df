"""The version, and how objects get to processes that have another copy of this project.

A class is made `picklable` where it is defined. To release a version, change `__version__`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TypeVar

__version__ = "1.0.0"

_AnyClass = TypeVar("_AnyClass", bound=type)

PICKLABLE: dict[str, type] = {}  # the classes whose objects travel, by their names


def picklable(class_: _AnyClass) -> _AnyClass:
    """Let objects of a class be pickled to a process that has another copy of this project.

    Pickle refers to a class by its module. evaluate puts its copy of the modules into a package
    with a hash in its name. A process that has not loaded the metric can't import it, and an
    installed package has another name.

    >>> import pickle
    >>> pickle.loads(pickle.dumps(make_corpus([(pa.array(["a"]), pa.array(["b"]), [0, 1])]))).kind
    'text'
    """
    class_.__reduce__ = _reduce  # type: ignore[assignment, method-assign]
    PICKLABLE[class_.__name__] = class_
    return class_


def _reduce(instance: object) -> tuple[object, ...]:
    """Return what pickle and `copy` make an object again from: a function, its values, a state."""
    maker = _make_maker(type(instance))  # type: ignore[arg-type] # classes are hashable
    if isinstance(instance, tuple):
        return maker, tuple(instance)
    if isinstance(instance, Exception):
        return maker, instance.args, vars(instance)
    if hasattr(instance, "__setstate__"):  # its __getstate__ is not Python's
        return maker, (), instance.__getstate__()
    return maker, (), vars(instance)


class _Maker:
    """A function that makes an object without a call of its constructor.

    Pickled, it carries the code of `find_maker`: a reference to that function would fail where the
    project is missing, before a message could say so.
    """

    def __init__(self, class_: type) -> None:
        self.class_ = class_

    def __call__(self, *values: object) -> object:
        return self.class_.__new__(self.class_, *values)

    def __reduce__(self) -> tuple[object, ...]:
        name = self.class_.__name__
        if PICKLABLE.get(name) is not self.class_:  # a class that a user derived
            return functools.partial, (self.class_.__new__, self.class_)
        names = {
            "source": "from __future__ import annotations\n" + inspect.getsource(find_maker),
            "copy": __name__.partition(".bleu_core")[0],
            "name": name,
            "version": __version__,
        }
        # `exec` defines `find_maker` among these names, and returns None. The price: scanners of
        # pickles flag `eval`. Without it, a spawned process could not find evaluate's copy, and an
        # error could not say what to install: pickle only calls what the process can import.
        return eval, ("exec(source) or find_maker(copy, name, version)", names)


def find_maker(copy: str, name: str, version: str) -> Callable[..., object]:
    """Return a function that makes objects of a class, in a process that unpickles one.

    Only the source of this function gets there, so it imports what it needs.

    Args:
        copy: the package that the class of the pickled object is from.
        name: the name of the class, one of `PICKLABLE`.
        version: the version of the pickled object.

    Raises:
        ImportError: the project is missing, or another version is installed.
    """
    import functools
    import importlib
    import importlib.util
    import sys

    # Copies that evaluate has loaded here, of the same version.
    loaded = [
        path.rpartition(".")[0]
        for path, imported in list(sys.modules.items())
        if path.startswith("evaluate_modules.")
        and path.endswith(".bleu_core")
        and imported.__version__ == version
    ]
    # A file or folder named like the package, such as a clone, is not the package.
    spec = importlib.util.find_spec("bleu_metric")
    if copy in loaded:
        # 1. The copy itself: the class stays the same.
        package = copy
    elif spec is not None and spec.origin and spec.submodule_search_locations:
        # 2. The installed package.
        package = "bleu_metric"
        found = importlib.import_module(package).__version__
        if found != version:
            raise ImportError(
                f"This object is from bleu_metric {version}, but bleu_metric {found} is installed"
                " here. Install the same version."
            )
    elif loaded:
        # 3. Another copy: the object comes back from a process that has the package.
        package = loaded[0]
    else:
        # 4. The copy in evaluate's cache.
        package = copy
        try:
            from evaluate.loading import init_dynamic_modules

            init_dynamic_modules()
            importlib.import_module(package)
        except ImportError as error:
            raise ModuleNotFoundError(
                f"bleu_metric {version} is missing in this process. Install the package here, or"
                " load the same files before: evaluate.load('path/to/bleu_metric.py')."
            ) from error
    # In evaluate's copy `bleu_core` is a file, and in the package it is a folder. The class of the
    # metric imports all of it.
    importlib.import_module(f"{package}.bleu_metric")
    class_ = sys.modules[f"{package}.bleu_core"].PICKLABLE[name]
    return functools.partial(class_.__new__, class_)


_make_maker = functools.cache(_Maker)  # one per class, because pickle writes the same object once
