"""Two agents in Python, written from docs/wire.md alone: ada asks, bela answers, over the hub that `npm start` runs.

    python3 examples/websocket/client.py    (PARLEY_URL and PARLEY_DATA say where it is, if not ws://127.0.0.1:4747 and .parley)
"""
import asyncio, itertools, json, os, pathlib, sys
import websockets

URL = os.environ.get("PARLEY_URL", "ws://127.0.0.1:4747")
TOKEN = pathlib.Path(os.environ.get("PARLEY_DATA", ".parley"), "operator-token")


async def agent(name, act):
    async with websockets.connect(URL) as socket:
        send = lambda **frame: socket.send(json.dumps(frame))
        ids = itertools.count(1)
        ask = lambda op, **params: send(kind="request", request_id=str(next(ids)), op=op, params=params)
        await send(kind="hello", protocol=1, name=name, auth={"scheme": "token", "token": TOKEN.read_text().strip()})
        async for text in socket:
            frame = json.loads(text)
            if frame["kind"] == "error" and frame["error"]["code"] == "unauthenticated":
                await ask("register", name=name)  # the token is good, the name is new
            elif frame["kind"] == "error" or frame["kind"] == "response" and not frame["ok"]:
                sys.exit(f"{name} was refused: {frame['error']['message']}")
            else:
                await act(ask, frame["kind"], frame.get("result"), frame.get("envelope", {"event_type": ""}))
            if frame["kind"] == "notify" and frame["prev_seq"] is not None:
                said = {key: frame["envelope"][key] for key in ("session_id", "seq")}
                await send(kind="receipt", recipient_id=frame["recipient_id"], status="ack", **said)
                if frame["envelope"]["event_type"] == "session.closed":
                    return


async def main():
    bela_is_here = asyncio.Event()
    say = lambda ask, session, text: ask("post", session_id=session, event_type="msg.text", event_data={"text": text}, idempotency_key=text)

    async def ada(ask, kind, result, envelope):
        if kind == "welcome":
            await bela_is_here.wait()
            await ask("create_session", type="consulting", participants=["bela"])
        elif kind == "response" and "session" in result:
            await say(ask, result["session"]["session_id"], "What is 2 + 2?")
        elif envelope["event_type"] == "msg.text":
            print("bela says:", envelope["event_data"]["text"])

    async def bela(ask, kind, _result, envelope):
        if kind == "welcome":
            bela_is_here.set()
        elif envelope["event_type"] == "session.invite":
            await ask("ack_invite", session_id=envelope["session_id"])
        elif envelope["event_type"] == "msg.text":
            await say(ask, envelope["session_id"], "4, and Python asked.")

    await asyncio.gather(agent("ada", ada), agent("bela", bela))


asyncio.run(main())
