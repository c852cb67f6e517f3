import type { CommandSummary } from "@factotum/protocol";
import { expect, test } from "vitest";
import { completeSlash } from "./slash-completion.ts";

const command = (name: string, more: Partial<CommandSummary> = {}): CommandSummary => ({
  name,
  aliases: [],
  type: "built-in",
  summary: `about ${name}`,
  access: "anyone",
  words: [],
  ...more,
});
const COMMANDS = [
  command("think", { aliases: ["thinking"], hint: "[LEVEL]", words: ["low", "high"] }),
  command("status"),
  command("rethink", { type: "skill" }),
];
const texts = (text: string): readonly string[] => completeSlash(text, COMMANDS).map((one) => one.text);

test("names that begin with the text come first; those that take more end with a space", () => {
  expect(texts("/th")).toEqual(["/think ", "/thinking ", "/rethink "]);
  expect(texts("/STAT")).toEqual(["/status"]);
  expect(completeSlash("/status", COMMANDS)).toEqual([{ text: "/status", label: "/status", detail: "about status" }]);
});

test("the first word of a command is completed, and nothing behind it, nor any other text", () => {
  expect(texts("/thinking ")).toEqual(["/thinking low", "/thinking high"]);
  expect(texts("/think h")).toEqual(["/think high"]);
  for (const text of ["/think high", "/think high x", "/status x", "hello /th", "/a/b", "", "/unknown "]) expect(texts(text)).toEqual([]);
});
