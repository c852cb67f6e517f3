import type { ChatEntry } from "@factotum/protocol";
import { describe, expect, test } from "vitest";
import { type ChangedTurn, findUndos, mayHaveChangedFiles } from "./undoable-turn.ts";

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
const answer = (text: string, timestampMs: number): ChatEntry => ({
  type: "assistant",
  id: `a${timestampMs}`,
  timestampMs,
  text,
  toolCalls: [],
  model: "local/m",
  stopReason: "stop",
});
interface Change {
  readonly names?: readonly string[];
  readonly refused?: readonly string[];
}
const changed = (atMs: number, { names = ["a.txt", "b/c.txt"], refused = [] }: Change = {}): ChangedTurn => ({
  turnId: `t${atMs}`,
  atMs,
  files: names.map((name) => ({ path: `/w/${name}`, before: "kept", refused: refused.includes(name) })),
});
const TURN = [said("write it", 10), result(12)];

describe("an undo", () => {
  test("is offered for the newest turn with the names of its files", () => {
    expect(findUndos(TURN, [changed(11)]).newest).toEqual({ turnId: "t11", command: "/undo", isForced: false, files: ["a.txt", "c.txt"] });
    expect(findUndos(TURN, [])).toEqual({ earlier: new Map() });
    expect(findUndos([], [changed(11)])).toEqual({ earlier: new Map() });
  });

  test("is offered by force for what was refused, also after the command that tried it", () => {
    const offer = { turnId: "t11", command: "/undo force", isForced: true, files: ["c.txt"] };
    expect(findUndos([...TURN, said("/undo", 20)], [changed(11, { refused: ["b/c.txt"] })]).newest).toEqual(offer);
    expect(findUndos([...TURN, said("/undone?", 20)], [changed(11, { refused: ["b/c.txt"] })]).newest).toBeUndefined();
  });

  test("of an earlier turn stands below its answer, or below its message without one, and names the turn", () => {
    const entries = [...TURN, answer("Done.", 13), said("again", 20), result(22), said("thanks", 30)];
    const { newest, earlier } = findUndos(entries, [changed(21, { names: ["d.txt"] }), changed(11, { refused: ["a.txt"] })]);
    expect(newest).toBeUndefined();
    expect([...earlier]).toEqual([
      ["u20", { turnId: "t21", command: "/undo t21", isForced: false, files: ["d.txt"] }],
      ["a13", { turnId: "t11", command: "/undo force t11", isForced: true, files: ["a.txt"] }],
    ]);
  });

  test("is not offered for a turn whose files a later one has changed, too, nor for one of another branch", () => {
    const entries = [...TURN, said("again", 20), result(22)];
    expect(findUndos(entries, [changed(21, { names: ["a.txt"] }), changed(11)]).earlier.size).toBe(0);
    expect(findUndos(entries, [changed(9)])).toEqual({ earlier: new Map() });
  });

  test("belongs to the turn that worked, not to a message that came meanwhile", () => {
    const entries = [said("write it", 10), result(15), said("and this", 12)];
    expect([...findUndos(entries, [changed(14)]).earlier.keys()]).toEqual(["u10"]);
  });

  test("is asked for only in conversations with a call of a tool", () => {
    expect(mayHaveChangedFiles([...TURN, said("thanks", 20)])).toBe(true);
    expect(mayHaveChangedFiles([said("thanks", 20)])).toBe(false);
  });
});
