"""Two agents in Python, written from docs/wire.md alone: ada asks, bela answers, over the hub that `npm start` runs.
PARLEY_URL and PARLEY_DATA say where it is, if not at ws://127.0.0.1:4747 and in .parley."""
import asyncio, itertools, json, os, pathlib, sys
try:
    import websockets
except ImportError:
    sys.exit("this needs the package websockets: pip install websockets")
URL, DATA = os.environ.get("PARLEY_URL", "ws://127.0.0.1:4747"), os.environ.get("PARLEY_DATA", ".parley")

async def agent(name, token, bela_is_here):
    ids, handled = itertools.count(1), set()
    async with websockets.connect(URL) as socket:
        send = lambda **frame: socket.send(json.dumps(frame))
        ask = lambda op, **params: send(kind="request", request_id=str(next(ids)), op=op, params=params)
        say = lambda text, **to: ask("post", event_type="msg.text", event_data={"text": text}, idempotency_key=text, **to)
        await send(kind="hello", protocol=1, name=name, auth={"scheme": "token", "token": token})
        async for frame in (json.loads(text) async for text in socket):
            envelope = frame.get("envelope", {})
            event, where = envelope.get("event_type", frame["kind"]), {key: envelope.get(key) for key in ("session_id", "seq")}
            if event == "error" and frame["error"]["code"] == "unauthenticated":
                await ask("register", name=name)  # the name is new
            elif "error" in frame:
                raise RuntimeError(f"{name} was refused: {frame['error']['message']}")
            elif event == "welcome":
                bela_is_here.set() if name == "bela" else await bela_is_here.wait()
                if name == "ada": await ask("create_session", type="consulting", participants=["bela"])
            elif event == "response" and "session" in frame["result"]:
                await say("What is 2 + 2?", session_id=frame["result"]["session"]["session_id"])
            elif event == "session.invite":
                await ask("ack_invite", session_id=where["session_id"])
            elif event == "msg.text" and (frame["epoch"], *where.values()) not in handled:  # what was not acked comes again
                if name == "ada": print("bela says:", envelope["event_data"]["text"])
                else: await say("4, and Python asked.", session_id=where["session_id"])
            if frame.get("prev_seq") is not None:  # an envelope of the stream, and handled now
                handled.add((frame["epoch"], *where.values()))
                await send(kind="receipt", recipient_id=frame["recipient_id"], status="ack", **where)
            if event == "session.closed": return

async def main():
    token, bela_is_here = pathlib.Path(DATA, "operator-token").read_text().strip(), asyncio.Event()
    await asyncio.gather(*(agent(name, token, bela_is_here) for name in ("ada", "bela")))

try:
    asyncio.run(main())
except RuntimeError as error:
    sys.exit(str(error))
except (OSError, websockets.WebSocketException) as error:
    sys.exit(f"no hub at {URL} with its token in {DATA}; is `npm start` running? ({error})")
