import type { CommandResult } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { textOf } from "../../test/tool-rig.ts";
import { commandResult } from "./command-text.ts";

const RESULT: CommandResult = { end: { type: "exited", exitCode: 0 }, output: "", outputBytes: 0, durationMs: 1 };
const REFUSED = ["a.example is not among the allowed hosts", "b.example is not on the open internet"];
const LINE = `[network: refused, because ${REFUSED.join("; ")}]`;

test.each<[CommandResult["end"], string, string]>([
  [{ type: "exited", exitCode: 0 }, "out", `out\n${LINE}`],
  [{ type: "exited", exitCode: 0 }, "", LINE],
  [{ type: "exited", exitCode: 7 }, "out\n", `out\n${LINE}\n[exit code 7]`],
])("a result of %j with the output %j names what the network was refused", (end, output, text) => {
  expect(textOf(commandResult({ ...RESULT, end, output, refusedRequests: REFUSED }, 1))).toBe(text);
});
