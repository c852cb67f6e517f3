import { expect, test } from "vitest";
import { asks, IMAGE, says, toolResult, turn } from "../../test/histories.ts";
import { dropImages, IMAGE_REMOVED } from "./drop-images.ts";

const HISTORY = [
  turn("1", {}, [IMAGE, IMAGE]),
  says("a"),
  turn("2"),
  asks("x"),
  toolResult("x", "seen", [IMAGE]),
  says("b"),
  turn("3"),
  says("c"),
];

test("an image stays for three turns, the one that is being made included", () => {
  expect(dropImages(HISTORY)).toEqual({ messages: HISTORY, dropped: 0 });
  const { messages, dropped } = dropImages([...HISTORY, turn("4")]);
  expect(dropped).toBe(2);
  expect(messages[0]?.content.slice(1)).toEqual([
    { type: "text", text: IMAGE_REMOVED },
    { type: "text", text: IMAGE_REMOVED },
  ]);
  for (const [index, message] of messages.slice(1, -1).entries()) expect(message).toBe(HISTORY[index + 1]);
  expect(dropImages([...messages, turn("5")]).dropped).toBe(1);
});

test("the number of turns can be set", () => {
  expect(dropImages(HISTORY, { keepTurns: 1 }).dropped).toBe(3);
  expect(dropImages(HISTORY, { keepTurns: 0 }).dropped).toBe(3);
});
