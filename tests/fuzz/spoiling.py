"""Spoilt copies of valid files: bits, bytes, numbers, parts cut out, doubled, moved or taken from another file."""

import random
import struct
from collections.abc import Sequence

NUMBERS = (
    0,
    1,
    3,
    4,
    12,
    31,
    32,
    127,
    255,
    2**15,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**40,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
WORDS = (
    *(b"null", b"true", b"-1", b"0", b"1e308", b"1e999", b"NaN", b"[]", b"{}", b'""', b'"\\ud800"', b"[[[[[[]]]]]]"),
    *(
        b"\x00",
        b"\x1b[2J",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"9" * 400,
        b"[" * 1100,
        b'{"a":' * 300,
        b"," * 9,
    ),
    *(b'"a"', b'{"a": 1}', b'"llama"', b"0.5", b"-0.0", b"\r\n", b"\xe2\x80\xae", b'"' + b"x" * 70_000 + b'"'),
)


def spoilt(seeds: Sequence[bytes], head: int, dice: random.Random) -> bytes:
    """A copy of one of them with up to eight faults, most of them in so many first bytes."""
    data = bytearray(dice.choice(seeds))
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        most = min(head, len(data)) if dice.random() < 0.9 else len(data)
        place = dice.randrange(most + 1)
        match dice.randrange(9):
            case 0 if place < len(data):
                data[place] ^= 1 << dice.randrange(8)
            case 1 if place < len(data):
                data[place] = dice.randrange(256)
            case 2:
                number = dice.choice(NUMBERS) + dice.choice((0, 0, 0, -1, 1))
                size = dice.choice((1, 4, 8))
                data[place : place + size] = struct.pack("<Q", number % 2**64)[:size]
            case 3:
                del data[place : place + dice.choice((1, 2, 4, 8, 64, 4096))]
            case 4:
                data[place:place] = data[place : place + dice.choice((1, 4, 8, 40, 300))]
            case 5:
                other = dice.choice(seeds)
                begin = dice.randrange(min(head, len(other)) + 1)
                data[place : place + dice.choice((0, 8, 64))] = other[begin : begin + dice.choice((4, 8, 64))]
            case 6:
                data[place:place] = dice.choice(WORDS)
            case 7:
                end = _end_of_word(data, place)
                data[place:end] = dice.choice(WORDS)
            case _ if dice.random() < 0.3:
                del data[place:]
    return bytes(data)


def _end_of_word(data: bytearray, place: int) -> int:
    """Where the value ends that begins here, if it is one of a text."""
    end = place
    while end < len(data) and data[end] not in b',:"[]{}\n ' and end < place + 40:
        end += 1
    return max(end, place + 1)
