import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startIrcScene } from "./irc-scene.ts";

test("an answer that was made before a kill of the process is sent after the restart, once, to the owner's nickname of then", async () => {
  await using scene = await startIrcScene(() => sayText("The answer."));
  scene.irc.renameUser(scene.alice, "alice_away");
  const gate = scene.model.hold();
  scene.irc.say(scene.alice, "factotum", "a question");
  await scene.model.nextRequest();
  await scene.killAndStart();
  gate.open();
  expect(await scene.shown(1)).toEqual(["The answer."]);
  expect(scene.irc.messages[0]?.target).toBe("alice_away");
  scene.irc.say(scene.alice, "factotum", "another");
  expect(await scene.shown(2)).toEqual(["The answer.", "The answer."]);
});

test("after the server ends the connection, the product reconnects and sends its answer", async () => {
  await using scene = await startIrcScene(() => sayText("The answer."));
  const gate = scene.model.hold();
  scene.irc.say(scene.alice, "factotum", "a question");
  await scene.model.nextRequest();
  scene.irc.kill("Server going down");
  gate.open();
  expect(await scene.shown(1)).toEqual(["The answer."]);
  expect(scene.irc.registrations).toBe(2);
  await scene.joined();
  scene.irc.say(scene.alice, "#team", "factotum: still there?");
  await scene.shown(2);
  expect(scene.irc.messages[1]?.target).toBe("#team");
});

test("messages that were accepted before a kill are all answered after it", async () => {
  await using scene = await startIrcScene(() => sayText("Seen."));
  const gate = scene.model.hold();
  scene.irc.say(scene.alice, "factotum", "one");
  await scene.model.nextRequest();
  for (const text of ["two", "three", "four"]) scene.irc.say(scene.alice, "factotum", text);
  scene.irc.say(scene.bob, "#team", "factotum: five");
  await scene.model.nextRequest();
  await scene.killAndStart();
  gate.open();
  await scene.irc.until(() => new Set(scene.irc.messages.map(({ target }) => target)).size === 2);
  await scene.irc.until(() =>
    scene.model.requests.some(({ body }) => ["two", "three", "four"].every((text) => JSON.stringify(body).includes(text))),
  );
  await scene.irc.answered();
  expect(scene.irc.violations).toEqual([]);
});
