"""The layout of a statistics row, the only interface between texts and scores.

All that counts or scores uses it. Its order is that of stored tables: do not change it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..shared.arrays import Int64


class Layout(NamedTuple):
    """The layout of a statistics row.

    A row is matches_1 to matches_N, totals_1 to totals_N, prediction_length and reference_length;
    `orders` is N. Rows are arrays whose last axis has this layout, and tables with one column per
    name.

    >>> row = np.array([2, 1, 3, 2, 3, 4])
    >>> layout = Layout.of_width(len(row))
    >>> row[layout.matches].tolist(), row[layout.totals].tolist(), int(row[layout.reference_length])
    ([2, 1], [3, 2], 4)
    """

    orders: int

    @classmethod
    def of_width(cls, width: int) -> Layout:
        """Return the layout of rows of `width` integers."""
        return cls(width // 2 - 1)

    @property
    def width(self) -> int:
        """The number of integers in a row."""
        return 2 * self.orders + 2

    @property
    def matches(self) -> slice:
        """The clipped counts, by order."""
        return slice(0, self.orders)

    @property
    def totals(self) -> slice:
        """The numbers of n-grams of the prediction, by order."""
        return slice(self.orders, 2 * self.orders)

    @property
    def length(self) -> int:
        """The index of the length of the prediction."""
        return 2 * self.orders

    @property
    def reference_length(self) -> int:
        """The index of the effective reference length."""
        return 2 * self.orders + 1

    @property
    def names(self) -> list[str]:
        """The columns of a table of rows.

        >>> Layout(1).names
        ['matches_1', 'totals_1', 'prediction_length', 'reference_length']
        """
        orders = range(1, self.orders + 1)
        return [
            *(f"matches_{order}" for order in orders),
            *(f"totals_{order}" for order in orders),
            "prediction_length",
            "reference_length",
        ]

    def allocate(self, segments: int) -> Int64:
        """Return uninitialized rows, int64 [segments, width].

        They are Fortran-ordered, so that Arrow takes the columns without a copy.
        """
        return np.empty((self.width, segments), np.int64).T
