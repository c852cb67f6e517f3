import { expect, test } from "vitest";
import { jobText } from "./sent-text.ts";

test("a text that was sent is quoted for the model, and shown with its lines to people", () => {
  expect(jobText('di"sk', 'Size  Used\n9G    1G "x"')).toEqual({
    text: String.raw`The scheduled job "di\"sk" sent this here: "Size  Used\n9G    1G \"x\""`,
    blocks: [
      { type: "text", text: String.raw`The scheduled job "di\"sk" sent this here:` },
      { type: "quote", text: 'Size  Used\n9G    1G "x"' },
    ],
  });
  expect(jobText("long", "a".repeat(5_000)).blocks?.at(-1)).toEqual({ type: "quote", text: expect.stringMatching(/^a{3999}…$/) as string });
});
