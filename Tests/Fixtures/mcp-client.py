"""PyPI's fastmcp client: mcp-client.py auto|legacy COMMAND… lists and calls the tools of a stdio server.

It prints the results as one JSON object.
"""

import asyncio
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def main():
    transport = StdioTransport(sys.argv[2], sys.argv[3:], env=dict(os.environ))
    progress = []

    async def on_progress(done, total, message):
        progress.append(done)

    async with Client(transport, mode=sys.argv[1], timeout=60) as client:
        tools = [tool.name for tool in await client.list_tools()]
        sums = await asyncio.gather(*[client.call_tool("add", {"a": n, "b": 1}) for n in range(20)])
        text = await client.call_tool("repeat", {"text": "ü€😀", "count": 20_000})
        await client.call_tool("count", {"to": 3}, progress_handler=on_progress)
    print(json.dumps({
        "tools": sorted(tools),
        "sums": [result.data for result in sums],
        "text": text.data == "ü€😀" * 20_000,
        "progress": progress,
    }))


asyncio.run(main())
