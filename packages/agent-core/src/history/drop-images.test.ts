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

test("keeps images for three turns, including the current one", () => {
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

test("takes the number of turns as an option", () => {
  expect(dropImages(HISTORY, { keepTurns: 1 }).dropped).toBe(3);
  expect(dropImages(HISTORY, { keepTurns: 0 }).dropped).toBe(3);
});

test("keeps the images of the oldest kept turn, and returns older messages without images as the same objects", () => {
  const history = [
    turn("1"),
    says("a"),
    turn("2", {}, [IMAGE]),
    asks("x"),
    toolResult("x"),
    turn("3", {}, [IMAGE]),
    says("b"),
    turn("4"),
    turn("5"),
  ];
  const { messages, dropped } = dropImages(history);
  expect(dropped).toBe(1);
  expect(messages.map((message, index) => message === history[index])).toEqual([true, true, false, true, true, true, true, true, true]);
});

test("returns an empty or short history unchanged", () => {
  expect(dropImages([])).toEqual({ messages: [], dropped: 0 });
  const few = [turn("1", {}, [IMAGE]), says("a")];
  expect(dropImages(few).messages).toBe(few);
});
