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

describe("changes since a prompt was rendered", () => {
  test("are reported by name, whether added, removed or changed", () => {
    const rendered = { "AGENTS.md": 1, "USER.md": 1, "skill a": 1, "skill b": 1 };
    expect(texts(rendered, { "AGENTS.md": 2, "SOUL.md": 1, "USER.md": 1, "skill b": 3 }, [], 10)).toEqual([
      "File changed: AGENTS.md",
      "File added: SOUL.md",
      "Skill removed: a",
      "Skill changed: b",
    ]);
    expect(texts(rendered, rendered, [], 10)).toEqual([]);
  });

  test("are reported once, and again after another change", () => {
    const history = [told(5, "[2026-01-01 00:00:00] File changed: AGENTS.md")];
    expect(texts({ "AGENTS.md": 1 }, { "AGENTS.md": 2 }, history, 10)).toEqual([]);
    expect(texts({ "AGENTS.md": 1 }, { "AGENTS.md": 7 }, history, 10)).toEqual(["File changed: AGENTS.md"]);
  });
});
