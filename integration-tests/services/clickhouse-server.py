"""
ClickHouse's own HTTP server, out of the npm package with its engine: the library holds the whole program
`clickhouse local`, which can listen. A query that reads from a pipe keeps it running; SIGTERM closes the pipe.

clickhouse-server.py LIBRARY FOLDER HTTP_PORT CONFIG
"""
import ctypes
import os
import signal
import sys
import threading

library, folder, http_port, config = sys.argv[1:]
pipe = os.path.join(folder, "hold.pipe")
if os.path.exists(pipe):
    os.unlink(pipe)
os.mkfifo(pipe)
# with a writer of our own, the reader waits instead of ending
hold = os.open(pipe, os.O_RDWR | os.O_CLOEXEC)

engine = ctypes.CDLL(library)
engine.query_stable_v2.restype = ctypes.c_void_p
queries = ["SYSTEM START LISTEN HTTP", f"SELECT count() FROM file('{pipe}', LineAsString, 's String')"]
arguments = [
    "clickhouse-local",
    "--path=" + os.path.join(folder, "data"),
    "--http_port=" + http_port,
    "--listen_host=127.0.0.1",
    "--config-file=" + config,
    "--query=" + ";".join(queries),
]
texts = (ctypes.c_char_p * len(arguments))(*[one.encode() for one in arguments])
ended = threading.Event()
asked = threading.Event()


def serve():
    engine.query_stable_v2(len(arguments), texts)
    ended.set()


def stop(*_):
    if not asked.is_set():
        asked.set()
        os.close(hold)


signal.signal(signal.SIGTERM, stop)
signal.signal(signal.SIGINT, stop)
threading.Thread(target=serve, daemon=True).start()
while not ended.wait(0.1):
    pass
os._exit(0 if asked.is_set() else 1)
