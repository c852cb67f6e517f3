import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Scene } from "../../test/scene.ts";

const pem = (name: string): string => readFileSync(join(import.meta.dirname, "../../test/tls", `${name}.pem`), "utf8");
const soon = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe("TLS", () => {
  const tls = { cert: pem("server"), key: pem("server-key") };

  test("refuses a server that no authority vouches for", async () => {
    await using scene = await Scene.create({ tls: true }, { tls });
    await expect(scene.channel.start(soon())).rejects.toMatchObject({ code: "unreachable" });
    expect(scene.irc.lines).toEqual([]);
  });

  test("accepts it with its authority's certificate", async () => {
    await using scene = await Scene.start({ tls: { ca: pem("ca") } }, { tls });
    expect(scene.channel.health().state).toBe("connected");
  });

  test("accepts any certificate only when told so", async () => {
    await using scene = await Scene.start({ tls: { verify: false } }, { tls });
    expect(scene.channel.health().state).toBe("connected");
  });
});

test("connects to an IPv6 address", async () => {
  await using scene = await Scene.start({ host: "::1" }, { address: "::1" });
  expect(scene.channel.health().state).toBe("connected");
});

describe("refusals of the server", () => {
  test("a login that the server does not offer is unauthorized, and nothing is said in the open", async () => {
    await using scene = await Scene.create({ sasl: { account: "factotum", password: "pw" } }, { caps: ["message-tags"] });
    await expect(scene.channel.start(soon())).rejects.toMatchObject({ code: "unauthorized", message: expect.stringContaining("SASL") });
  });

  test("a server without any capability: a login is unauthorized there, too", async () => {
    await using scene = await Scene.create({ sasl: { account: "factotum", password: "pw" } }, { caps: [] });
    await expect(scene.channel.start(soon())).rejects.toMatchObject({ code: "unauthorized" });
  });

  test("the server's password is for the server alone, not for a login", async () => {
    await using scene = await Scene.start({ serverPassword: "for the server" }, { password: "for the server" });
    expect(scene.irc.lines.filter((line) => line.includes("for the server"))).toEqual(["PASS :for the server"]);
    expect(scene.irc.lines.filter((line) => line.startsWith("AUTHENTICATE"))).toEqual([]);
  });

  test("a wrong password of the server is unauthorized", async () => {
    await using scene = await Scene.create({ serverPassword: "wrong" }, { password: "right" });
    await expect(scene.channel.start(soon())).rejects.toMatchObject({ code: "unauthorized", message: expect.stringContaining("password") });
  });

  test.each([
    [{ numeric: "465", text: "You are banned from this server" }, "unauthorized"],
    [{ text: "K-Lined: no bots" }, "unauthorized"],
    [{ text: "Trying to reconnect too fast." }, "unreachable"],
  ])("%j is %s, with the server's words", async (refusal, code) => {
    await using scene = await Scene.create();
    scene.irc.refusal = refusal;
    const text = expect.stringContaining(refusal.text.slice(0, 8)) as string;
    await expect(scene.channel.start(soon())).rejects.toMatchObject({ code, message: text });
  });

  test("a ban of a running account degrades it, and is tried again only after minutes", async () => {
    await using scene = await Scene.start();
    scene.irc.refusal = { numeric: "465", text: "You are banned" };
    scene.irc.kill("K-Lined");
    await scene.irc.until(() => scene.irc.clients.length === 0);
    await expect.poll(() => scene.channel.health()).toMatchObject({ state: "disconnected", detail: expect.stringContaining("K-Lined") });
    expect(await scene.send("nick:alice", "x")).toMatchObject({ type: "rejected", code: "unauthorized" });
    expect(scene.clock.pending[0]).toBeGreaterThanOrEqual(5 * 60_000);
  });

  test("a throttle is waited out for a minute", async () => {
    await using scene = await Scene.start();
    scene.irc.kill("Throttled: Reconnecting too fast");
    await expect.poll(() => scene.channel.health().state).toBe("disconnected");
    expect(scene.clock.pending[0]).toBeGreaterThanOrEqual(60_000);
  });
});

describe("the nickname", () => {
  test("takes another one while it is in use, says so, and takes it back when its holder leaves", async () => {
    await using scene = await Scene.create();
    const holder = scene.irc.addUser("factotum");
    scene.irc.channel("#room").users.add(holder);
    await scene.channel.start(soon());
    expect(scene.irc.clients[0]?.nick).toBe("factotum_");
    expect(scene.channel.health()).toMatchObject({ state: "connected", detail: expect.stringContaining("factotum is taken") });
    scene.irc.users.delete("factotum");
    await scene.pass(90_000);
    await scene.irc.until(() => scene.irc.clients[0]?.nick === "factotum");
    await expect.poll(() => scene.channel.health().detail).toBeUndefined();
  });

  test("takes it back at once when the holder is seen to leave", async () => {
    await using scene = await Scene.create({ channels: ["#room"] });
    const holder = scene.irc.addUser("factotum");
    scene.irc.channel("#room").users.add(holder);
    await scene.channel.start(soon());
    scene.irc.quitUser(holder);
    await scene.irc.until(() => scene.irc.clients[0]?.nick === "factotum");
  });

  test("finds a free one where servers cut nicknames at nine characters", async () => {
    await using scene = await Scene.create({ nick: "factotums" }, { nickLength: 9 });
    scene.irc.addUser("factotums");
    await scene.channel.start(soon());
    expect(scene.irc.clients[0]?.nick).toMatch(/^facto\d+$/);
  });

  test("does not answer a rename by the services at once", async () => {
    await using scene = await Scene.start();
    scene.irc.lines.length = 0;
    const [client] = scene.irc.clients;
    scene.irc.send(`:${client?.mask} NICK :Guest123`);
    await scene.irc.answered();
    expect(scene.irc.lines.filter((line) => line.startsWith("NICK"))).toEqual([]);
    expect(scene.clock.pending.some((ms) => ms >= 30_000)).toBe(true);
  });
});

describe("channels", () => {
  test("joins with keys, the keyed ones first", async () => {
    await using scene = await Scene.create({ channels: ["#open", { name: "#secret", key: "pw" }] });
    scene.irc.channel("#secret").key = "pw";
    await scene.channel.start(soon());
    expect([...scene.irc.channels.values()].filter(({ clients }) => clients.size === 1).map(({ name }) => name)).toEqual([
      "#secret",
      "#open",
    ]);
  });

  test("one that cannot be joined degrades the account, and is tried again", async () => {
    await using scene = await Scene.create({ channels: ["#closed", "#open"] });
    scene.irc.channel("#closed").refusal = "473";
    await scene.channel.start(soon());
    expect(scene.channel.health()).toMatchObject({ state: "degraded", detail: expect.stringContaining("#closed (473") });
    scene.irc.channel("#closed").refusal = undefined;
    scene.advanceToNext();
    await scene.irc.until(() => scene.irc.channel("#closed").clients.size === 1);
    await scene.irc.answered();
    expect(scene.channel.health().state).toBe("connected");
  });

  test("joins again after a kick, later each time; a text for it waits meanwhile", async () => {
    await using scene = await Scene.start({ channels: ["#room"] });
    for (let kick = 0; kick < 3; kick += 1) {
      scene.irc.kick("#ROOM", "factotum");
      await scene.irc.answered();
      expect(await scene.send("#room", "x")).toMatchObject({ type: "rejected", code: "unreachable", retry: { type: "backoff" } });
      await scene.pass(5_000);
      expect(scene.irc.channel("#room").clients.size).toBe(0);
      await scene.pass(60_000);
      await scene.irc.until(() => scene.irc.channel("#room").clients.size === 1);
      await scene.irc.answered();
    }
    expect(await scene.send("#room", "back")).toMatchObject({ type: "accepted" });
  });

  test("forgets who was there after a netsplit, and learns it again", async () => {
    await using scene = await Scene.start({ channels: ["#room"] });
    const bob = scene.irc.addUser("Bob");
    const alice = scene.irc.addUser("alice");
    scene.irc.joinUser(alice, "#room");
    const mentionsOf = async (): Promise<unknown> => {
      scene.irc.say(alice, "#room", "ask Bob");
      await scene.irc.answered();
      return scene.host.received.at(-1)?.mentions;
    };
    scene.irc.joinUser(bob, "#room");
    expect(await mentionsOf()).toEqual([{ name: "Bob" }]);
    scene.irc.quitUser(bob, "a.example b.example");
    expect(await mentionsOf()).toBeUndefined();
    scene.irc.joinUser(scene.irc.addUser("Bob"), "#room");
    expect(await mentionsOf()).toEqual([{ name: "Bob" }]);
  });
});

describe("a connection that dies", () => {
  test("is given up when the server does not answer for a minute and a half, and opened again", async () => {
    await using scene = await Scene.start();
    const [client] = scene.irc.clients;
    if (client !== undefined) client.silent = true;
    for (let check = 0; check < 3; check += 1) {
      expect(scene.channel.health().state).toBe("connected");
      scene.clock.advance(30_000);
      await settle();
    }
    expect(scene.channel.health()).toMatchObject({ state: "disconnected", detail: expect.stringContaining("does not answer") });
    scene.advanceToNext();
    await scene.irc.until(() => scene.irc.registrations === 2);
    await expect.poll(() => scene.channel.health().state).toBe("connected");
  });

  test("an idle one is asked, and kept while the server answers", async () => {
    await using scene = await Scene.start();
    for (let check = 0; check < 10; check += 1) {
      scene.clock.advance(30_000);
      await scene.irc.answered();
    }
    expect(scene.irc.registrations).toBe(1);
    expect(scene.channel.health().state).toBe("connected");
  });

  test("stop says goodbye", async () => {
    await using scene = await Scene.start();
    await scene.channel.stop(soon());
    expect(scene.irc.lines.at(-1)).toMatch(/^QUIT/);
    await scene.irc.until(() => scene.irc.clients.length === 0);
  });
});
