import { expect, test } from "vitest";
import { REACTIONS } from "../actions/reactions.ts";
import { reactionEmoji } from "./reaction-emoji.ts";

test("every reaction of the platform stays as it is", () => {
  expect(REACTIONS.map(reactionEmoji)).toEqual(REACTIONS);
});

test("an emoji that the table does not have is left to the platform", () => {
  expect(reactionEmoji("🫥🫥")).toBe("🫥🫥");
});
