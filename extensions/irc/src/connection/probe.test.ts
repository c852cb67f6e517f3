import { expect, test } from "vitest";
import { Scene } from "../../test/scene.ts";

const soon = (): { signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });
const SASL = { account: "Bot", password: "right" };

test("a probe names the login and the channels that refuse it, leaves, and passes nothing on", async () => {
  const config = { sasl: SASL, channels: ["#open", "#closed"] };
  await using scene = await Scene.create(config, { accounts: { Bot: "right" } });
  scene.irc.channel("#closed").refusal = "473";
  await expect(scene.channel.probe?.(soon())).resolves.toEqual({
    account: { id: "account:bot", name: "factotum" },
    missingPermissions: ["not in the channel #closed (473 Cannot join channel)"],
  });
  await scene.irc.until(() => scene.irc.clients.length === 0);
  expect(scene.channel.health().state).toBe("starting");
  expect(scene.host.received).toEqual([]);
});

test("a probe next to a running connection takes another nickname and leaves that connection alone", async () => {
  await using scene = await Scene.start();
  await expect(scene.channel.probe?.(soon())).resolves.toMatchObject({ account: { id: "nick:factotum_" } });
  await scene.irc.until(() => scene.irc.clients.length === 1);
  expect(scene.irc.clients[0]?.nick).toBe("factotum");
  expect(scene.channel.health().state).toBe("connected");
});

test("a probe with a wrong password is unauthorized", async () => {
  await using scene = await Scene.create({ sasl: { ...SASL, password: "wrong" } }, { accounts: { Bot: "right" } });
  await expect(scene.channel.probe?.(soon())).rejects.toMatchObject({ code: "unauthorized" });
});

test.each([
  [["message-tags", "extended-join", "account-notify"], "account:alice"],
  [["message-tags"], "nick:alice_"],
])("without account-tag, a server with %j shows the sender as %s", async (caps, id) => {
  await using scene = await Scene.create({ channels: ["#room"] }, { caps });
  const alice = scene.irc.addUser("Alice_", { account: "Alice" });
  scene.irc.joinUser(alice, "#room");
  await scene.channel.start(soon());
  await scene.irc.answered();
  scene.irc.say(alice, "factotum", "hello");
  await scene.irc.answered();
  expect(scene.host.received.map(({ sender }) => sender.id)).toEqual([id]);
  const found = await scene.channel.directory?.("ALICE", { ...soon(), limit: 5 });
  expect(found).toEqual([{ type: "person", id, name: "Alice_" }]);
  // The server no longer reports on people who have left.
  scene.irc.quitUser(alice);
  await scene.irc.answered();
  await expect(scene.channel.directory?.("alice", { ...soon(), limit: 5 })).resolves.toEqual([]);
});
