"""Prints the text of the QR code in a terminal's output, which is read from standard input."""

import re
import sys

import zxingcpp

SCALE = 4

rows = []
for line in re.sub("\x1b\\[[0-9;]*[A-Za-z]", "\n", sys.stdin.read()).splitlines():
    # Each line of blocks is two rows of modules; a full block is light.
    if "█" in line and not set(line) - set("█▀▄ "):
        for light in "█▀", "█▄":
            rows.append([255 * (block in light) for block in line for _ in range(SCALE)])
if not rows:
    sys.exit("no QR code was drawn")
width = max(map(len, rows))
image = b"".join(bytes(row + [0] * (width - len(row))) * SCALE for row in rows)
codes = zxingcpp.read_barcodes(
    memoryview(image).cast("B", (len(rows) * SCALE, width)),
    formats=zxingcpp.BarcodeFormat.QRCode,
    # Many phones can't read a code with inverted colors.
    try_invert=False,
)
if len(codes) != 1:
    sys.exit(f"{len(codes)} codes in {len(rows)} rows of modules")
sys.stdout.write(codes[0].text)
