import type { ChatEntry } from "@factotum/protocol";
import { describe, expect, test } from "vitest";
import { findUndo, mayHaveChangedFiles, type ChangedTurn } from "./undoable-turn.ts";

const said = (text: string, timestampMs: number): ChatEntry => ({
  type: "user",
  id: `u${timestampMs}`,
  timestampMs,
  text,
  channel: "webchat",
});
const result = (timestampMs: number): ChatEntry => ({
  type: "tool-result",
  id: `r${timestampMs}`,
  timestampMs,
  callId: "c",
  name: "write",
  isError: false,
  text: "",
});
const changed = (atMs: number, refused: readonly string[] = []): ChangedTurn => ({
  turnId: "t",
  atMs,
  files: ["/w/a.txt", "/w/b/c.txt"].map((path) => ({ path, before: "kept", refused: refused.includes(path) })),
});
const TURN = [said("write it", 10), result(12)];

describe("an undo", () => {
  test("is offered for the newest turn with the names of its files", () => {
    expect(findUndo(TURN, changed(11))).toEqual({ command: "/undo", files: ["a.txt", "c.txt"] });
  });

  test("is not offered for an earlier turn, and not without one", () => {
    expect(findUndo([...TURN, said("thanks", 20)], changed(11))).toBeUndefined();
    expect(findUndo(TURN, undefined)).toBeUndefined();
    expect(findUndo([], changed(11))).toBeUndefined();
  });

  test("is offered by force for what was refused, also after the command that tried it", () => {
    expect(findUndo([...TURN, said("/undo", 20)], changed(11, ["/w/b/c.txt"]))).toEqual({ command: "/undo force", files: ["c.txt"] });
    expect(findUndo([...TURN, said("/undone?", 20)], changed(11, ["/w/b/c.txt"]))).toBeUndefined();
  });

  test("is asked for only after a call of a tool", () => {
    expect(mayHaveChangedFiles(TURN)).toBe(true);
    expect(mayHaveChangedFiles([...TURN, said("/undo", 20)])).toBe(true);
    expect(mayHaveChangedFiles([...TURN, said("thanks", 20)])).toBe(false);
  });
});
