import type { UserMessage } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { announceChanges } from "./source-changes.ts";

const told = (timestamp: number, ...systemEvents: string[]): UserMessage => ({
  role: "user",
  content: [],
  parts: { body: "", systemEvents },
  timestamp,
});
const texts = (...args: Parameters<typeof announceChanges>): string[] => announceChanges(...args).map(({ text }) => text);

describe("what has changed since a prompt was rendered", () => {
  test("is told by name, whether it came, went or is another", () => {
    const rendered = { "AGENTS.md": 1, "USER.md": 1, "skill a": 1, "skill b": 1 };
    expect(texts(rendered, { "AGENTS.md": 2, "SOUL.md": 1, "USER.md": 1, "skill b": 3 }, [], 10)).toEqual([
      "File changed: AGENTS.md",
      "File added: SOUL.md",
      "Skill removed: a",
      "Skill changed: b",
    ]);
    expect(texts(rendered, rendered, [], 10)).toEqual([]);
  });

  test("is told once, and again when it changes again", () => {
    const history = [told(5, "[2026-01-01 00:00:00] File changed: AGENTS.md")];
    expect(texts({ "AGENTS.md": 1 }, { "AGENTS.md": 2 }, history, 10)).toEqual([]);
    expect(texts({ "AGENTS.md": 1 }, { "AGENTS.md": 7 }, history, 10)).toEqual(["File changed: AGENTS.md"]);
  });
});
