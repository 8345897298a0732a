"""Counts the ids of an image in a loop of plain Python, as io7m's script (2024) does it, and prints the seconds that the
loop took, then how many pixels each id has. The image is in runs of about 8 pixels. The loop goes over a list of floats,
or as in the script over every fourth element of an array of NumPy, which holds four equal channels.

usage: python_loop.py [PIXELS [OBJECTS [SEED [list|numpy]]]]      by default 2073600 64 1 list"""
import importlib
import random
import sys
import time
from typing import Iterable


def image(pixels: int, objects: int, seed: int) -> list[float]:
    chosen = random.Random(seed)
    values: list[float] = []
    while len(values) < pixels:
        values += [float(chosen.randrange(objects))] * chosen.randint(1, 15)
    return values[:pixels]


def red_of_four(values: list[float]) -> Iterable[float]:
    numpy = importlib.import_module("numpy")  # the other loop does without
    reds: Iterable[float] = numpy.repeat(numpy.array(values), 4)[::4]
    return reds


def count(values: Iterable[float]) -> dict[int, int]:
    pixels_of: dict[int, int] = {}
    for value in values:
        index = int(value)
        if index:
            pixels_of[index] = pixels_of.get(index, 0) + 1
    return pixels_of


def main(words: list[str]) -> None:
    pixels, objects, seed = [int(word) for word in words[:3]] + [2_073_600, 64, 1][len(words):]
    values: Iterable[float] = image(pixels, objects, seed)
    if words[3:] == ["numpy"]:
        values = red_of_four(list(values))
    start = time.perf_counter()
    found = count(values)
    print(time.perf_counter() - start)
    print(*(f"{index}:{found[index]}" for index in sorted(found)))


main(sys.argv[1:])
