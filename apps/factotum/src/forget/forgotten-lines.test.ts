import type { ForgottenCall } from "@factotum/store";
import { expect, test } from "vitest";
import { forgottenLines } from "./forgotten-lines.ts";
import type { KeptNote } from "./read-notes.ts";

const call = (tool: string, ...texts: readonly string[]): ForgottenCall => ({
  agentId: "main",
  startedAtMs: 100,
  endedAtMs: 200,
  tool,
  texts,
});
const note = (text: string, file = "/w/MEMORY.md", atMs = 0): KeptNote => ({ agentId: "main", file, text, atMs, mode: 0o644 });
const version = (text: string, atMs: number): KeptNote => note(text, `/state/note-versions/main/1/${atMs}.md`, atMs);

test("the lines that a call wrote, without those that the note had before its turn", () => {
  const notes = [note("# Known\n- The boiler is old.\n- The cellar door sticks in winter.\n")];
  const write = call("write", "MEMORY.md", "# Known\n- The boiler is old.\n- The cellar door sticks in winter.\n");
  expect(forgottenLines([write], { notes, versions: [version("# Known\n- The boiler is old.\n", 150)] })).toEqual([
    "The cellar door sticks in winter.",
  ]);
  // What a change later in the turn found is of the turn itself.
  const versions = [version("# Known\n- The boiler is old.\n", 150), version("- The cellar door sticks in winter.\n", 160)];
  expect(forgottenLines([write], { notes, versions })).toEqual(["The cellar door sticks in winter."]);
  expect(forgottenLines([write], { notes, versions: [version("- The cellar door sticks in winter.\n", 50)] })).toEqual([
    "# Known",
    "The boiler is old.",
  ]);
});

test("lines inside a patch or a command, and none of what was only searched or is no line of a note", () => {
  const notes = [note('- She said "no".\n', "/w/memory/2026-01-02.md")];
  expect(forgottenLines([call("exec", "echo '- She said \"no\".' >> memory/2026-01-02.md")], { notes, versions: [] })).toEqual([
    '- She said "no".',
    String.raw`- She said \"no\".`,
  ]);
  expect(forgottenLines([call("memory_search", '- She said "no".')], { notes, versions: [] })).toEqual([]);
  expect(forgottenLines([call("write", "src/main.ts", "a line of a program")], { notes, versions: [] })).toEqual([]);
});

test("a heading that another note has, too, is no text of the session", () => {
  const notes = [note("# Decisions\n", "/w/memory/2026-01-02.md"), note("# Decisions\n# Only here\n", "/w/memory/2026-01-03.md")];
  expect(forgottenLines([call("write", "memory/2026-01-03.md", "# Decisions\n# Only here\n")], { notes, versions: [] })).toEqual([
    "# Only here",
  ]);
});
