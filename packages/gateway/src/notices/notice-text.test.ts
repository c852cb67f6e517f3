import { expect, test } from "vitest";
import { noticeBlocks, renderNoticeText } from "./notice-text.ts";

test("structure has a plain form, a line for each item", () => {
  const answer = [
    { type: "rows", rows: [{ name: "/help", text: "show this list" }] },
    { type: "text", text: "Today:" },
    { type: "list", items: ["one", "two"] },
  ] as const;
  expect(renderNoticeText(answer)).toBe("/help: show this list\nToday:\n- one\n- two");
  expect(noticeBlocks(answer)).toEqual({ blocks: answer });
});

test("each line of a plain text is a block; a single line needs no structure", () => {
  expect(noticeBlocks("one\ntwo")).toEqual({
    blocks: [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
  });
  expect(noticeBlocks("one")).toEqual({});
});
