"""A client in 30 lines, written from the wire reference alone: registers, asks one question, acks and prints the answer.

    python3 client.py ws://127.0.0.1:4747 "$(cat .parley/operator-token)" alice bob "What is 2 + 2?"
"""
import asyncio, itertools, json, sys
import websockets


async def main(url, token, name, other, question):
    async with websockets.connect(url) as socket:
        ids = itertools.count(1)

        async def send(frame):
            await socket.send(json.dumps(frame))

        async def ask(op, **params):
            await send({"kind": "request", "request_id": f"r{next(ids)}", "op": op, "params": params})

        await send({"kind": "hello", "protocol": 1, "name": name, "auth": {"scheme": "token", "token": token}})
        async for text in socket:
            frame = json.loads(text)
            if frame["kind"] == "error" and frame["error"]["code"] == "unauthenticated":
                await ask("register", name=name)
            elif frame["kind"] == "welcome":
                me = frame["agent_id"]
                await ask("create_session", type="consulting", participants=[other])
            elif frame["kind"] == "response" and not frame["ok"]:
                sys.exit(f"refused: {frame['error']['message']}")
            elif frame["kind"] == "response" and "session" in frame["result"]:
                session = frame["result"]["session"]["session_id"]
                await ask("post", session_id=session, event_type="msg.text", event_data={"text": question}, idempotency_key="q")
            elif frame["kind"] == "notify" and frame["prev_seq"] is not None:
                envelope = frame["envelope"]
                await send({"kind": "receipt", "recipient_id": me, "session_id": envelope["session_id"], "seq": envelope["seq"], "status": "ack"})
                if envelope["event_type"] == "msg.text":
                    print(f"{other} says: {envelope['event_data']['text']}")
                if envelope["event_type"] == "session.closed":
                    return


asyncio.run(main(*sys.argv[1:6]))
