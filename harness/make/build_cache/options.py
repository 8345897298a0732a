"""What the user says of the build cache, on the command line or in the environment."""

import argparse
import os
from collections.abc import Sequence
from typing import NamedTuple

PLACES, KEYS = "LAB_BUILD_CACHE", "LAB_BUILD_CACHE_KEY"


class CacheOptions(NamedTuple):
    """The places to ask for objects, the files of the keys that they may be signed by, and whether unsigned places are
    accepted. Without a place nothing is asked."""

    places: Sequence[str] = ()
    keys: Sequence[str] = ()
    trust: bool = False


def from_environment() -> CacheOptions:
    """The places and keys in LAB_BUILD_CACHE and LAB_BUILD_CACHE_KEY, separated by blanks."""
    return CacheOptions(os.environ.get(PLACES, "").split(), os.environ.get(KEYS, "").split())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the options of every verb that builds."""
    parser.add_argument("--build-cache", metavar="PLACE", action="append", default=[], dest="places",
                        help=f"take objects from this folder, http or s3 address; repeatable (default: {PLACES})")
    parser.add_argument("--cache-key", metavar="FILE", action="append", default=[], dest="keys",
                        help=f"public key that places may be signed by; repeatable (default: {KEYS})")
    parser.add_argument("--trust", action="store_true", help="accept a place without a signature")


def from_arguments(arguments: argparse.Namespace) -> CacheOptions:
    """The parsed options; the environment gives what the command line does not."""
    default = from_environment()
    return CacheOptions(arguments.places or default.places, arguments.keys or default.keys, arguments.trust)
