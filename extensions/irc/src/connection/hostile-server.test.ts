import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Scene } from "../../test/scene.ts";

const LIMIT = 16_384;

describe("malformed lines", () => {
  const written: unknown[][] = [];
  beforeEach(() => {
    written.length = 0;
    for (const name of ["log", "error", "warn"] as const) vi.spyOn(console, name).mockImplementation((...args) => void written.push(args));
  });
  afterEach(() => void vi.restoreAllMocks());

  test.each([
    ["without parameters", ""],
    ["with one parameter", " x"],
    ["with an empty one", " :"],
  ])("%s are ignored: nothing is written to the console, and the connection stays", async (_name, params) => {
    await using scene = await Scene.start();
    const commands = [
      "CAP",
      "MODE",
      "JOIN",
      "PART",
      "KICK",
      "QUIT",
      "NICK",
      "TOPIC",
      "BATCH",
      "AUTHENTICATE",
      "PRIVMSG",
      "NOTICE",
      "ACCOUNT",
    ];
    const numerics = Array.from({ length: 999 }, (_entry, n) => String(n + 1).padStart(3, "0"));
    // Numerics of a refused registration or login end the connection.
    const ending = new Set(["001", "432", "433", "436", "437", "464", "465", "902", "904", "905", "906", "908"]);
    for (const command of [...commands, ...numerics.filter((one) => !ending.has(one))]) {
      scene.irc.send(`${command}${params}`);
      scene.irc.send(`:a!b@c ${command}${params}`);
    }
    scene.irc.send("@batch=;=;;= :");
    scene.irc.send(":");
    await scene.irc.answered();
    expect(written).toEqual([]);
    expect(scene.channel.health()).toMatchObject({ state: "connected" });
    const notes = scene.host.logLines.filter((line) => line.includes("irc line not understood"));
    expect(notes.join("")).not.toMatch(/\bat .*:\d+:\d+/);
    expect(notes.length).toBeGreaterThan(0);
  });
});

describe("a line that is too long", () => {
  test.each([
    ["without an end", Buffer.alloc(LIMIT + 1, "x")],
    ["with an end", Buffer.concat([Buffer.alloc(LIMIT + 1, "x"), Buffer.from("\r\n")])],
  ])("%s closes the connection; the health says why, and the account connects again", async (_name, bytes) => {
    await using scene = await Scene.start();
    scene.irc.sendBytes(bytes);
    await expect
      .poll(() => scene.channel.health())
      .toMatchObject({ state: "disconnected", detail: "the server sent a line of more than 16384 bytes, so the connection was closed" });
    await scene.irc.until(() => scene.irc.clients.length === 0);
    scene.advanceToNext();
    await expect.poll(() => scene.channel.health().state).toBe("connected");
  });

  test("is not one of exactly the limit, in any number of pieces", async () => {
    await using scene = await Scene.start();
    const line = Buffer.from(`:irc.example NOTICE * :${"x".repeat(LIMIT)}`).subarray(0, LIMIT);
    scene.irc.sendBytes(line.subarray(0, 5_000));
    await scene.irc.until(() => true);
    scene.irc.sendBytes(Buffer.concat([line.subarray(5_000), Buffer.from("\n")]));
    await scene.irc.answered();
    expect(scene.channel.health().state).toBe("connected");
  });

  test("before the registration fails the start with the reason", async () => {
    await using scene = await Scene.create();
    const starting = scene.channel.start({ signal: AbortSignal.timeout(60_000) });
    await scene.irc.until(() => scene.irc.clients.length > 0);
    scene.irc.sendBytes(Buffer.alloc(LIMIT + 1, "x"));
    await expect(starting).rejects.toMatchObject({ code: "unreachable", message: expect.stringContaining("more than 16384 bytes") });
  });
});
