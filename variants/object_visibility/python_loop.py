"""Counts the ids of an image in a loop of plain Python, as io7m's script (2024) does it without numpy, and prints the
seconds that the loop took, then how many pixels each id has. The image is a list of floats in runs of about 8 pixels.

usage: python_loop.py [PIXELS [OBJECTS [SEED]]]      by default 2073600 64 1"""
import random
import sys
import time


def image(pixels: int, objects: int, seed: int) -> list[float]:
    chosen = random.Random(seed)
    values: list[float] = []
    while len(values) < pixels:
        values += [float(chosen.randrange(objects))] * chosen.randint(1, 15)
    return values[:pixels]


def count(values: list[float]) -> dict[int, int]:
    pixels_of: dict[int, int] = {}
    for value in values:
        index = int(value)
        if index:
            pixels_of[index] = pixels_of.get(index, 0) + 1
    return pixels_of


def main(words: list[str]) -> None:
    pixels, objects, seed = [int(word) for word in words] + [2_073_600, 64, 1][len(words):]
    values = image(pixels, objects, seed)
    start = time.perf_counter()
    found = count(values)
    print(time.perf_counter() - start)
    print(*(f"{index}:{found[index]}" for index in sorted(found)))


main(sys.argv[1:])
