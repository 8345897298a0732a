#!/usr/bin/env python3
"""Checks the columns of simulated devices: all of them answer, twice the same, and like other programs and the article.

usage: check_simulated_devices.py FOLDER (for two atlases)"""

import csv
import filecmp
import json
import os
import subprocess
import sys
import time
from collections import Counter
from typing import NoReturn

PHRASE = "real driver, simulated device"
LIMIT_S = 180
LEAST_TABLES, LEAST_DRIVERS = 15, 4
SECOND_OPINION = "build/pinned-release/tests/vulkan_second_opinion"
HD_620, NAVI_10 = "anv-22.3.6-hd620-simulated", "radv-22.3.6-navi10-simulated"
Images = dict[tuple[int, int], tuple[int, int]]


def fail(sentence: str) -> NoReturn:
    sys.exit(f"check_simulated_devices: error: {sentence}")


def expect(what: str, expected: object, found: object) -> None:
    if found != expected:
        fail(f"{what}: expected {expected}, found {found}")


def probe(out: str, *arguments: str, **variables: str) -> float:
    """Writes an atlas; returns the seconds that it took."""
    started = time.monotonic()
    done = subprocess.run([sys.executable, "make.py", "probe", "--out", out, *arguments], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, env={**os.environ, **variables}, check=False)
    if done.returncode != 0:
        fail(f"probe ended with exit status {done.returncode}:\n{done.stderr}")
    return time.monotonic() - started


def images(column: str) -> Images:
    """{(width, height): (size, alignment)} of the article's sweep, from 2x2 on: 144 sizes."""
    with open(os.path.join(column, "images.csv"), newline="", encoding="utf-8") as file:
        rows = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(file)]
    expect(f"{column}: rows", 169, len(rows))
    return {(row["width"], row["height"]): (row["size"], row["alignment"]) for row in rows
            if row["width"] > 1 and row["height"] > 1}


def described(column: str) -> dict:
    with open(os.path.join(column, "column.json"), encoding="utf-8") as file:
        return json.load(file)


def check_figures(atlas: str) -> None:
    """The figures that the article's two platforms had when Mesa 22.3.6 was asked by hand."""
    hd_620 = images(f"{atlas}/{HD_620}")
    expect("HD 620: alignments", {4096: 144}, Counter(alignment for _, alignment in hd_620.values()))
    expect("HD 620: the smallest size", 8216, min(size for size, _ in hd_620.values()))
    expect("HD 620: 128x16", (20504, 4096), hd_620[128, 16])
    navi_10 = images(f"{atlas}/{NAVI_10}")
    expect("Navi 10: alignments", {4096: 108, 65536: 36}, Counter(alignment for _, alignment in navi_10.values()))
    expect("Navi 10: first with 65536", (128, 128), min(at for at, (_, alignment) in navi_10.items() if alignment > 4096))
    expect("Navi 10: 256x64", (65536, 4096), navi_10[256, 64])


def check_compression(folder: str, atlas: str) -> None:
    """Without compression, HD 620's images lose their metadata."""
    other = os.path.join(folder, "no-compression")
    name = HD_620.replace("-simulated", "-noccs-simulated")
    probe(other, "--driver", name, INTEL_DEBUG="noccs")
    plain, compressed = images(f"{other}/{name}"), images(f"{atlas}/{HD_620}")
    expect("HD 620 with INTEL_DEBUG=noccs: 128x16", (16384, 4096), plain[128, 16])
    larger = [at for at, (size, _) in plain.items() if size >= compressed[at][0]]
    expect("HD 620 with INTEL_DEBUG=noccs: images that do not become smaller", [], larger)


def check_second_opinion(column: str) -> None:
    """An independent program gets the same 169 rows from the same driver on the same simulated device."""
    with open(os.path.join(column, "images.csv"), encoding="utf-8") as file:
        rows = file.read().splitlines()[1:]
    about = described(column)
    driver, simulated = about["driver"], about["driver"]["simulated"]
    package = os.path.dirname(driver["library"])
    libraries = [package, *(f"lib/{name}" for name in os.listdir("lib") if name.startswith(("lavapipe-", "runtime-")))]
    environment = {**os.environ, **simulated["environment"], "VK_DRIVER_FILES": os.path.abspath(driver["manifest"]),
                   "LD_LIBRARY_PATH": os.pathsep.join(map(os.path.abspath, libraries)),
                   "LD_PRELOAD": os.path.abspath(f"build/simulated-devices/lib{simulated['shim']}.so"),
                   "VK_LOADER_LAYERS_DISABLE": "~implicit~"}
    sizes = [edge for row in rows for edge in row.split(",")[:2]]
    done = subprocess.run([SECOND_OPINION, about["probe"]["loader"], *sizes], stdout=subprocess.PIPE, text=True,
                          env=environment, check=True)
    expect(f"{column}: rows of another program", rows, done.stdout.splitlines())


def main(folder: str) -> None:
    with open("harness/probe/simulated_devices.json", encoding="utf-8") as file:
        devices = sum(len(driver.get("devices", ())) for driver in json.load(file)["drivers"])
    first, second = os.path.join(folder, "first"), os.path.join(folder, "second")
    seconds = probe(first)
    probe(second)
    names = sorted(os.listdir(first))
    columns = {name: described(os.path.join(first, name)) for name in names}
    simulated = [name for name in names if columns[name]["driver"]["simulated"]]
    expect("simulated devices that answered", devices, len(simulated))
    for name in names:
        is_simulated = name in simulated
        expect(f"{name}: failure", None, columns[name]["failure"])
        expect(f"{name}: named simulated", is_simulated, name.endswith("-simulated"))
        with open(os.path.join(first, name, "column.json"), encoding="utf-8") as file:
            expect(f"{name}: marked '{PHRASE}'", is_simulated, PHRASE in file.read())
        expect(f"{name}: has no heaps", is_simulated, not columns[name]["heaps"])
    files = sorted(os.path.relpath(os.path.join(path, name), first) for path, _, found in os.walk(first) for name in found)
    same, different, missing = filecmp.cmpfiles(first, second, files, shallow=False)
    expect("files that differ in a second run", [], [name for name in different + missing if not name.endswith("/asked.json")])

    tables = {tuple(sorted(images(os.path.join(first, name)).items())) for name in names}
    drivers = {columns[name]["driver"]["short_name"] for name in names}
    if len(tables) < LEAST_TABLES or len(drivers) < LEAST_DRIVERS or seconds > LIMIT_S:
        fail(f"expected {LEAST_TABLES} tables of {LEAST_DRIVERS} drivers in {LIMIT_S} s, "
             f"found {len(tables)} of {len(drivers)} in {seconds:.0f} s")
    check_figures(first)
    check_compression(folder, first)
    for column in (HD_620, NAVI_10):
        check_second_opinion(os.path.join(first, column))
    print(f"check_simulated_devices: {len(simulated)} devices and {len(names) - len(simulated)} others in {seconds:.1f} s, "
          f"{len(tables)} tables of images from {', '.join(sorted(drivers))}; {len(same)} files equal in a second run",
          file=sys.stderr)


main(*sys.argv[1:])
