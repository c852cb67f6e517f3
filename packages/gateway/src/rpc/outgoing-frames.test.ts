import { expect, test } from "vitest";
import { ClientBacklogs } from "./client-backlogs.ts";
import { OutgoingFrames } from "./outgoing-frames.ts";
import type { FrameSocket } from "./outgoing-frames.ts";

const MIB = 1024 * 1024;

/** A socket whose other side is controlled by the test. */
class FakeSocket implements FrameSocket {
  readonly received: string[] = [];
  ended: number | "terminated" | undefined;
  #unread: { readonly text: string; readonly written: () => void }[] = [];

  get bufferedAmount(): number {
    return this.#unread.reduce((sum, { text }) => sum + text.length, 0);
  }

  send(text: unknown, written: unknown): void {
    this.#unread.push({ text: String(text), written: written as () => void });
  }

  close(code: number): void {
    this.ended = code;
  }

  terminate(): void {
    this.ended = "terminated";
    this.#unread = [];
  }

  read(count: number): void {
    for (const { text, written } of this.#unread.splice(0, count)) {
      this.received.push(text);
      written();
    }
  }

  readAll(): void {
    while (this.bufferedAmount > 0) this.read(1);
  }
}

/** Clients of one server that read nothing. */
function connect(count: number): readonly { readonly socket: FakeSocket; readonly frames: OutgoingFrames }[] {
  const backlogs = new ClientBacklogs();
  return Array.from({ length: count }, () => {
    const socket = new FakeSocket();
    return { socket, frames: new OutgoingFrames(socket, backlogs) };
  });
}

const frame = (bytes: number, mark = "x"): string => mark.padEnd(bytes, ".");

function only<Item>(items: readonly Item[]): Item {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error("not exactly one");
  return item;
}

test("a client that reads late gets every frame, in order", () => {
  const { socket, frames } = only(connect(1));
  const sent = Array.from({ length: 100 }, (_, index) => frame(50_000, `${index} `));
  for (const each of sent.slice(0, 60)) frames.send(each);
  expect(socket.bufferedAmount).toBeLessThan(MIB);
  socket.read(3);
  for (const each of sent.slice(60)) frames.send(each);
  socket.readAll();
  expect(socket.received).toEqual(sent);
  expect(frames.bytes).toBe(0);
  expect(socket.ended).toBeUndefined();
});

test("a client is closed at 8 MiB of its own, and its queue is freed at once", () => {
  const { socket, frames } = only(connect(1));
  for (let count = 0; count < 9 && socket.ended === undefined; count += 1) frames.send(frame(MIB));
  expect(socket.ended).toBeUndefined();
  frames.send(frame(1));
  expect(socket.ended).toBe(4429);
  expect(frames.bytes).toBe(MIB);
});

test("a close is sent after earlier frames, and ends sending", () => {
  const { socket, frames } = only(connect(1));
  const sent = Array.from({ length: 20 }, (_, index) => frame(100_000, `${index} `));
  for (const each of sent) frames.send(each);
  frames.close(1001, "the end");
  frames.send("too late");
  socket.readAll();
  expect(socket.received).toEqual(sent);
  expect(socket.ended).toBe(1001);
});

test("over 64 MiB in total the client with the largest backlog is closed, and no other", () => {
  const clients = connect(10);
  for (let count = 0; count < 6; count += 1) for (const { frames } of clients) frames.send(frame(MIB));
  const sixth = clients[6];
  sixth?.frames.send(frame(MIB));
  const fill = clients[2];
  for (let count = 0; count < 3; count += 1) fill?.frames.send(frame(MIB / 2));
  for (let count = 0; count < 3; count += 1) clients[3]?.frames.send(frame(MIB / 2));
  expect(clients.map(({ socket }) => socket.ended)).toEqual(clients.map(() => undefined));
  fill?.frames.send(frame(1));
  expect(clients.map(({ socket }) => socket.ended)).toEqual(clients.map((_, index) => (index === 2 ? 4429 : undefined)));
  expect(clients.reduce((sum, { frames }) => sum + frames.bytes, 0)).toBeLessThan(60 * MIB);
  clients[3]?.socket.readAll();
  expect(clients[3]?.socket.received).toHaveLength(9);
});

test("a reading client is unaffected by slow ones, and memory of closed clients still counts", () => {
  const clients = connect(100);
  const fast = only(clients.slice(-1));
  for (const { frames } of clients.slice(0, 99)) frames.send(frame(5 * MIB));
  const sent = Array.from({ length: 50 }, (_, index) => frame(1000, `${index} `));
  for (const each of sent) {
    fast.frames.send(each);
    fast.socket.readAll();
  }
  expect(fast.socket.received).toEqual(sent);
  expect(fast.socket.ended).toBeUndefined();
  // One large frame each: nothing is queued that could be dropped.
  const ended = clients.filter(({ socket }) => socket.ended === "terminated");
  expect(ended).toHaveLength(99 - 12);
  expect(clients.reduce((sum, { frames }) => sum + frames.bytes, 0)).toBeLessThanOrEqual(64 * MIB);
});

test("a disconnected client no longer counts", () => {
  const clients = connect(20);
  for (const { frames } of clients) {
    for (let count = 0; count < 7; count += 1) frames.send(frame(MIB));
    frames[Symbol.dispose]();
  }
  expect(clients.every(({ socket }) => socket.ended === undefined)).toBe(true);
});
