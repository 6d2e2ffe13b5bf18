#!/usr/bin/env python3
"""Forwards TCP connections to the Unix socket of a PostgreSQL server, so that tests can cut them: a stopped proxy
(SIGSTOP) is a network that has fallen silent, a killed one breaks every connection and refuses new ones.

usage: tests/postgres/proxy.py SOCKET [PORT]      prints the port
"""

import asyncio
import contextlib
import sys


async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def main(socket: str, port: int) -> None:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server_writer = await asyncio.open_unix_connection(socket)
        except OSError:  # the server is being started again
            writer.close()
            return
        await asyncio.gather(forward(reader, server_writer), forward(server_reader, writer))

    listening = await asyncio.start_server(handle, "127.0.0.1", port)
    print(listening.sockets[0].getsockname()[1], flush=True)
    async with listening:
        await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0))
