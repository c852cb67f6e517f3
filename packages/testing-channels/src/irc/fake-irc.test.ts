import { connect } from "node:net";
import type { Socket } from "node:net";
import { expect, test } from "vitest";
import { FakeIrc } from "../index.ts";

/** A bare client: writes lines, reads lines. */
class Client implements Disposable {
  readonly lines: string[] = [];
  readonly #socket: Socket;
  #onLine: (() => void) | undefined;

  constructor(port: number, ...lines: readonly string[]) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.on("data", (chunk: Buffer) => {
      this.lines.push(
        ...chunk
          .toString("utf8")
          .split("\r\n")
          .filter((line) => line !== ""),
      );
      this.#onLine?.();
    });
    this.write(...lines);
  }

  write(...lines: readonly string[]): void {
    for (const line of lines) this.#socket.write(`${line}\r\n`);
  }

  async until(part: string): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => line.includes(part));
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => (this.#onLine = resolve));
    }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

const hello = ["NICK dan", "USER dan 0 * :Dan"];

test("accepts nothing before the registration", async () => {
  await using irc = await FakeIrc.start();
  using client = new Client(irc.port, "JOIN #room");
  await client.until(" 451 ");
  client.write(...hello);
  await client.until(" 001 dan ");
});

test("a login needs the capability and the right password", async () => {
  await using irc = await FakeIrc.start({ accounts: { dan: "pw" } });
  const plain = (password: string): string => `AUTHENTICATE ${Buffer.from(`dan\0dan\0${password}`).toString("base64")}`;
  using client = new Client(irc.port, "AUTHENTICATE PLAIN");
  await client.until(" 904 ");
  client.lines.length = 0;
  client.write("CAP REQ :sasl", "AUTHENTICATE PLAIN", plain("wrong"));
  await client.until(" 904 ");
  client.write(plain("pw"));
  await client.until(" 903 ");
});

test("a nickname in use, in any case, is refused", async () => {
  await using irc = await FakeIrc.start();
  irc.addUser("Dan[1]");
  using client = new Client(irc.port, "NICK dan{1}");
  await client.until(" 433 ");
});

test("kills a client that sends faster than the limit", async () => {
  await using irc = await FakeIrc.start();
  using client = new Client(irc.port, ...hello);
  await client.until(" 422 ");
  client.write(...Array.from({ length: 6 }, (_, index) => `PING ${index}`));
  expect(await client.until("ERROR")).toContain("Excess Flood");
});

test("cuts a line for its recipients at 512 bytes, and says so", async () => {
  await using irc = await FakeIrc.start();
  irc.addUser("eve");
  using client = new Client(irc.port, ...hello);
  await client.until(" 422 ");
  client.write(`PRIVMSG eve :${"x".repeat(490)}`);
  await irc.until(() => irc.messages.length === 1);
  expect(irc.messages[0]?.text.length).toBeLessThan(490);
  expect(irc.violations).toHaveLength(1);
});

test("refuses messages for nobody, for unknown channels, and for channels without the sender", async () => {
  await using irc = await FakeIrc.start();
  irc.channel("#room");
  using client = new Client(irc.port, ...hello);
  client.write("PRIVMSG nobody :x", "PRIVMSG #none :x", "PRIVMSG #room :x");
  await client.until(" 401 dan nobody");
  await client.until(" 403 dan #none");
  await client.until(" 404 dan #room");
  expect(irc.messages).toEqual([]);
});

test("tags go only to those who asked for them", async () => {
  await using irc = await FakeIrc.start();
  const eve = irc.addUser("eve", { account: "eve" });
  using plain = new Client(irc.port, ...hello);
  using tagged = new Client(irc.port, "CAP REQ :message-tags account-tag", "NICK flo", "USER flo 0 * :Flo", "CAP END");
  await Promise.all([plain.until(" 422 "), tagged.until(" 422 ")]);
  const id = irc.say(eve, "dan", "hello");
  irc.say(eve, "flo", "hello");
  expect(await plain.until("PRIVMSG dan")).toBe(":eve!~eve@people.example PRIVMSG dan :hello");
  expect(await tagged.until("PRIVMSG flo")).toMatch(/^@msgid=msg-2;account=eve :eve!/);
  expect(id).toBe("msg-1");
});
