"""A plug-in whose file does not load."""

import a_package_that_nobody_has
from good import Sum


class Layer(Sum):
    """Never defined."""

    package = a_package_that_nobody_has
