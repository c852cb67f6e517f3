import { expect, test } from "vitest";
import type { TranscriptBody } from "../../port/transcript-records.ts";
import { titleIn } from "./title-in.ts";

const said = (body: string, more: object = {}): TranscriptBody => ({
  type: "message",
  message: { role: "user", content: [{ type: "text", text: body }], timestamp: 0, parts: { body, systemEvents: [], ...more } },
});
const ann = { sender: { id: "1", name: "Ann", owner: true }, source: { channel: "chat", eventId: "1" } };

test.each([
  ["a person on a platform", said("hello", ann), "agent:main:main", "chat: Ann"],
  ["the first words in a group, whose name is unknown", said("hello\nall", ann), "agent:main:chat:group:1", "hello"],
  ["the first words elsewhere", said(" plan the garden "), "agent:main:main", "plan the garden"],
  ["whole words of a long line", said(`${"word ".repeat(11)}abcdefghijkl`), "agent:main:main", `${"word ".repeat(11).trimEnd()}…`],
  ["nothing without text", said(""), "agent:main:main", undefined],
  ["nothing that no person wrote", said("tick", { run: "heartbeat" }), "agent:main:main", undefined],
])("a rebuilt session is titled by %s", (_name, body, key, title) => {
  expect(titleIn(body, key)).toBe(title);
});
