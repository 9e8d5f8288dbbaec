"""An agent in Python, written from docs/reference/wire.md alone: bela answers one question over the hub that `npm start` runs.
It says how to ask. PARLEY_URL and PARLEY_DATA say where the hub is."""
import asyncio, itertools, json, os, pathlib, sys
try: import websockets
except ImportError: sys.exit("this needs the package websockets: pip install websockets")
URL, DATA = os.environ.get("PARLEY_URL", "ws://127.0.0.1:4747"), os.environ.get("PARLEY_DATA", ".parley")

async def main(token):
    ids, handled = itertools.count(1), set()
    async with websockets.connect(URL) as socket:
        send = lambda **frame: socket.send(json.dumps(frame))
        ask = lambda op, **params: send(kind="request", request_id=str(next(ids)), op=op, params=params)
        await send(kind="hello", protocol=1, name="bela", auth={"scheme": "token", "token": token})
        async for frame in (json.loads(text) async for text in socket):
            envelope = frame.get("envelope", {})
            event, where = envelope.get("event_type"), {key: envelope.get(key) for key in ("session_id", "seq")}
            place = (frame.get("epoch"), *where.values())
            if frame.get("error", {}).get("code") == "unauthenticated": await ask("register", name="bela")  # a new name
            elif "error" in frame: sys.exit(f"bela was refused: {frame['error']['message']}")
            elif frame["kind"] == "welcome": print('bela is here; ask: npx parley open consulting --to bela --follow "What is 2 + 2?"', flush=True)
            elif event == "session.invite": await ask("ack_invite", session_id=where["session_id"])
            elif event == "msg.text" and place not in handled:  # unacked envelopes are delivered again
                said = dict(event_type="msg.text", event_data={"text": f"You asked: {envelope['event_data']['text']}"})
                await ask("post", session_id=where["session_id"], idempotency_key=f"answer-{place}", **said)
            if frame.get("prev_seq") is not None:  # an envelope of the stream, now handled
                handled.add(place)
                await send(kind="receipt", recipient_id=frame["recipient_id"], status="ack", **where)
            if event == "session.closed": return
try: asyncio.run(main(pathlib.Path(DATA, "operator-token").read_text().strip()))
except OSError as error: sys.exit(f"no hub at {URL} with its token in {DATA}; is `npm start` running? ({error})")
