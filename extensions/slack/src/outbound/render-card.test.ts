import type { Card } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { renderCard } from "./render-card.ts";

const CARD: Card = {
  title: "Deploy?",
  body: "Version **2** & more",
  fields: [
    { label: "From", value: "main" },
    { label: "Long", value: "x".repeat(2_500) },
    { label: "To", value: "prod" },
  ],
  inputs: [
    { type: "text", id: "note", label: "Note", multiline: true, placeholder: "why", initial: "because" },
    { type: "choice", id: "day", label: "Day", options: [{ value: "mo", label: "Monday" }], multiple: true },
  ],
  buttons: Array.from({ length: 6 }, (_, index) => ({
    actionId: "go",
    label: `Go ${index}`,
    value: `/deploy ${index}`,
    style: index === 0 ? "primary" : "default",
  })),
};

test("a card becomes blocks in the order of its parts", () => {
  const rendered = renderCard(CARD);
  if (rendered.type !== "body") throw new Error(rendered.limit);
  expect(rendered.body.text).toBe("Deploy?\nVersion *2* &amp; more");
  const blocks = rendered.body.blocks as { type: string; block_id?: string; elements?: object[] }[];
  expect(blocks.map(({ type }) => type)).toEqual([
    "header",
    "section",
    "section",
    "section",
    "section",
    "input",
    "input",
    "actions",
    "actions",
  ]);
  expect(blocks.flatMap(({ block_id: id }) => id ?? [])).toEqual(["i0:note", "i1:day"]);
  expect(blocks[5]).toMatchObject({ element: { type: "plain_text_input", multiline: true, initial_value: "because" } });
  expect(blocks[6]).toMatchObject({ element: { type: "multi_static_select" } });
  expect(blocks[7]?.elements).toHaveLength(5);
  expect(blocks[7]?.elements?.[0]).toEqual({
    type: "button",
    action_id: "b0:go",
    text: { type: "plain_text", text: "Go 0", emoji: true },
    value: "/deploy 0",
    style: "primary",
  });
  expect(blocks[8]?.elements?.[0]).not.toHaveProperty("style");
});

describe("a card over a limit of the platform is refused", () => {
  const button = { actionId: "a", label: "A", style: "default" } as const;
  test.each<[string, Card]>([
    ["nothing", { body: "" }],
    ["too many buttons", { body: "x", buttons: Array.from({ length: 26 }, () => button) }],
    ["a long label", { body: "x", buttons: [{ ...button, label: "x".repeat(76) }] }],
    ["a long value", { body: "x", buttons: [{ ...button, value: "é".repeat(1_001) }] }],
    ["a long id", { body: "x", buttons: [{ ...button, actionId: "x".repeat(251) }] }],
    ["an input without a label", { body: "x", inputs: [{ type: "text", id: "a", label: " " }] }],
    ["a choice without options", { body: "x", inputs: [{ type: "choice", id: "a", label: "A", options: [] }] }],
    ["a long option", { body: "x", inputs: [{ type: "choice", id: "a", label: "A", options: [{ value: "v", label: "x".repeat(76) }] }] }],
    ["too many blocks", { body: "x", inputs: Array.from({ length: 51 }, (_, index) => ({ type: "text", id: `${index}`, label: "A" })) }],
  ])("%s", (_, card) => {
    expect(renderCard(card).type).toBe("over-limit");
  });
});
