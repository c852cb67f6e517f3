import type { GatewayWarning } from "@factotum/protocol";
import { expect, test } from "vitest";
import { waitingCount } from "./waiting-count.ts";

const DISK: GatewayWarning = { id: "storage", level: "warning", text: "The disk is nearly full." };
const ANN: GatewayWarning = { id: "pairing:K7RWQ2MX", level: "warning", text: "Ann asks." };

test.each([
  ["nothing is known yet", [], [], undefined, 0],
  ["everything", [DISK, ANN], [], { approvals: 2, deadLetters: 1 }, 5],
  ["a dismissed warning is done, a dismissed person still asks", [DISK, ANN], [DISK, ANN], { approvals: 0, deadLetters: 0 }, 1],
  ["a dismissed warning that has changed", [DISK], [{ ...DISK, text: "It is full." }], undefined, 1],
])("%s", (_, warnings, hiddenWarnings, inbox, count) => {
  expect(waitingCount({ warnings, hiddenWarnings, inbox })).toBe(count);
});
