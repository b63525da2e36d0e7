"""FORMAT.md section 4: how many lines and probes a capacity and a rate ask for.

Python floats are IEEE binary64 and CPython fuses nothing, so each expression below is the text's, left to right.
"""

from __future__ import annotations

import math
from functools import cache

from errors import OracleError
from layouts import CLASSIC, LINE, PAIR

LN2 = 0.6931471805599453
END = 5632  # one past the last canonical index


def powi(x: float, e: int) -> float:
    r = 1.0
    while e > 0:
        if e & 1:
            r = r * x
        e >>= 1
        if e > 0:
            x = x * x
    return r


def exp(x: float) -> float:
    if x < -700.0:
        return 0.0
    k = math.floor(x / LN2 + 0.5)
    y = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10
    p = 1.0
    for n in range(16, 0, -1):
        p = 1.0 + (y * p) / n
    return p * 2.0**k


def ln1m(x: float) -> float:
    s = 0.0
    for n in range(8, 0, -1):
        s = 1.0 / n + x * s
    return -(x * s)


def size(i: int) -> int:
    if i < 256:
        return i
    return (128 + (i & 127)) << ((i >> 7) - 1)


def rate_blocked(layout: int, n: int, u: int, probes: int) -> float:
    two = layout == LINE and probes == 16
    lam = float(n) / float(u)
    if lam > 600.0:
        return 1.0
    total = single_line(n, two) if u == 1 and n < 10000 else many_lines(n, u, lam, two)
    if two:
        total = total + lam * 2.0**-64
    total = min(total, 1.0)
    return total * total if layout == PAIR else total


def lane_chance(x: float, y: float, two: bool) -> float:
    r = (1.0 - x) / 64.0 + (63.0 / 64.0) * ((1.0 - 2.0 * x) + y) if two else 1.0 - x
    r2 = r * r
    r4 = r2 * r2
    return r4 * r4


def single_line(n: int, two: bool) -> float:
    return lane_chance(powi(63.0 / 64.0, (2 if two else 1) * n), powi(62.0 / 64.0, 2 * n), two)


def many_lines(n: int, u: int, lam: float, two: bool) -> float:
    binomial = n < 10000
    w = powi(1.0 - 1.0 / u, n) if binomial else exp(-lam)
    if binomial and w == 0.0:
        return 1.0
    x = y = 1.0
    dx = (63.0 / 64.0) * (63.0 / 64.0) if two else 63.0 / 64.0
    dy = (62.0 / 64.0) * (62.0 / 64.0)
    total, j = 0.0, 0
    while True:
        total = total + w * lane_chance(x, y, two)
        if (j >= lam and w < 1e-18) or j == n:
            return total
        if binomial:
            w = (w * float(n - j)) / (float(j + 1) * float(u - 1))
        else:
            w = (w * lam) / float(j + 1)
        x, y, j = x * dx, y * dy, j + 1


def rate_classic(n: int, u: int, k: int) -> float:
    m = 512.0 * float(u)
    kn = float(k) * float(n)
    c = kn / m
    e = exp(kn * ln1m(1.0 / m))
    p = 1.0 - e
    v = (e * (1.0 - (1.0 + c) * e)) / m
    if v < 0.0:
        v = 0.0
    rate = powi(p, k)
    if k >= 2:
        rate = rate + ((float(k) * float(k - 1)) / 2.0) * powi(p, k - 2) * v
    return min(rate, 1.0)


def rate(layout: int, n: int, u: int, probes: int) -> float:
    return rate_classic(n, u, probes) if layout == CLASSIC else rate_blocked(layout, n, u, probes)


def smallest_index(layout: int, n: int, fpr: float, probes: int) -> int:
    a, b = 1, END
    while a < b:
        m = (a + b) >> 1
        if rate(layout, n, size(m), probes) <= fpr:
            b = m
        else:
            a = m + 1
    return b


def auto(fpr: float) -> int:
    return LINE if fpr >= 1e-4 else PAIR if fpr >= 1e-7 else CLASSIC


@cache
def plan(layout: int, n: int, fpr: float) -> tuple[int, int]:
    """(probes, lines); `min` keeps the first, that is the fewest probes, among equals."""
    choices = {LINE: (8, 16), PAIR: (16,), CLASSIC: range(1, 65)}[layout]
    index, probes = min((smallest_index(layout, n, fpr, k), k) for k in choices)
    if index == END:
        raise OracleError("ERR_FPR_RANGE", "no size reaches this rate")
    return probes, size(index) * (2 if layout == PAIR else 1)
