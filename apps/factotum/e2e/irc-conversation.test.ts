import { sayText } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startIrcScene } from "./irc-scene.ts";

const LONG = Array.from({ length: 7 }, (_, index) =>
  `Paragraph ${index} of a long answer: ${"these are its words, and more of them ".repeat(3)}`.trim(),
).join("\n\n");

test("a private message of the owner is answered to them alone, with formatting", async () => {
  await using scene = await startIrcScene(() => sayText("It is **done**, see `notes.md`."));
  scene.irc.say(scene.alice, "factotum", "hello");
  expect(await scene.shown(1)).toEqual(["It is \u0002done\u0002, see \u0011notes.md\u0011."]);
  expect(scene.irc.messages[0]?.target).toBe("Alice");
  await scene.irc.answered();
  expect(scene.irc.messages).toHaveLength(1);
  expect(scene.product.output()).not.toContain(scene.secret);
});

test("somebody who is not admitted gets no answer, under whatever nickname", async () => {
  await using scene = await startIrcScene(() => sayText("Answer."));
  scene.irc.say(scene.bob, "factotum", "hello");
  // Bob takes the owner's nickname while she is away.
  scene.irc.quitUser(scene.alice);
  scene.irc.renameUser(scene.bob, "Alice");
  scene.irc.say(scene.bob, "factotum", "it is me");
  scene.irc.say({ ...scene.bob, account: undefined, mask: scene.bob.mask }, "factotum", "it is really me");
  scene.irc.say(scene.bob, "#team", "factotum: and here?");
  // In the open channel he is a guest: this is the only answer.
  expect(await scene.shown(1)).toEqual(["Answer."]);
  expect(scene.irc.messages.map(({ target }) => target)).toEqual(["#team"]);
  expect(scene.model.requests).toHaveLength(1);
});

test("a channel is answered when the nickname is in the text", async () => {
  await using scene = await startIrcScene(() => sayText("At noon."));
  scene.irc.say(scene.alice, "#team", "when do we meet?");
  scene.irc.say(scene.alice, "#team", "factotum: when do we meet?");
  expect(await scene.shown(1)).toEqual(["At noon."]);
  expect(scene.irc.messages[0]?.target).toBe("#team");
  expect(scene.model.requests).toHaveLength(1);
});

test("a command of the owner is run, and answered in lines", async () => {
  await using scene = await startIrcScene(() => sayText("Never asked."));
  scene.irc.say(scene.alice, "factotum", "/status");
  await scene.shown(1);
  expect(scene.model.requests).toHaveLength(0);
  expect(scene.irc.violations).toEqual([]);
});

test("a long answer arrives whole and in order within the network's limit of lines", async () => {
  // The RFC's limit; the server disconnects a faster client.
  await using scene = await startIrcScene(() => sayText(LONG), { flood: { penaltyMs: 2_000, maxMs: 10_000 } });
  scene.irc.say(scene.alice, "factotum", "tell me everything");
  const words = (text: string): readonly string[] => text.split(/\s+/u).filter((word) => word !== "");
  const expected = words(LONG);
  await scene.irc.until(() => scene.irc.messages.flatMap(({ text }) => words(text)).length >= expected.length);
  expect(scene.irc.messages.flatMap(({ text }) => words(text))).toEqual(expected);
  expect(scene.irc.registrations).toBe(1);
  expect(scene.irc.violations).toEqual([]);
});
