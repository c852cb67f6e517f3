import { withoutUndefined } from "@factotum/agent-contract";
import type { RunFailureCode } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { failureText, ownerFailureText } from "./failure-text.ts";

describe("when to try again", () => {
  test.each([
    [0, "in 1 second"],
    [200, "in 1 second"],
    [1_001, "in 2 seconds"],
    [59_000, "in 59 seconds"],
    [60_000, "in a minute"],
    [61_000, "in 2 minutes"],
    [119 * 60_000, "in 119 minutes"],
    [120 * 60_000, "in 2 hours"],
    [121 * 60_000, "in 3 hours"],
    [undefined, "in a minute"],
  ])("%s ms reads %s", (retryAfterMs, words) => {
    const failed = { code: "rate-limited" as const, ...withoutUndefined({ retryAfterMs }) };
    expect(failureText(failed)).toBe(`The model's provider asks to slow down. Try again ${words}.`);
    const owner = ownerFailureText({ ...failed, type: "failed", message: "Acme is busy." }, (text) => text);
    expect(owner).toBe(`Acme is busy. Try again ${words}.`);
  });
});

test("a higher cap is advised to the owner only where a cap of the day is used up", () => {
  const tell = (message: string, more: { readonly retryAfterMs?: number } = {}): string =>
    ownerFailureText({ type: "failed", code: "budget", message, ...more }, (text) => text);
  expect(tell("The cap is used up.", { retryAfterMs: 60_000 })).toBe(
    "The cap is used up. A higher cap under spend in the configuration lets it resume sooner.",
  );
  expect(tell("Unattended runs pause.")).toBe("Unattended runs pause.");
});

describe("the failure text for the owner", () => {
  const tell = (code: RunFailureCode, message: string, hide = (text: string): string => text): string =>
    ownerFailureText({ type: "failed", code, message }, hide);
  const AGAIN = "Then send the message again.";

  test.each([
    ["is the reason alone if that explains itself", "billing", "Acme has no credit left.", `Acme has no credit left. ${AGAIN}`],
    [
      "any other stands behind it",
      "timeout",
      "The run took too long.",
      "The model did not answer in time. The run took too long. Try again.",
    ],
    ["a reason becomes a sentence", "billing", "the account is empty", `The account is empty. ${AGAIN}`],
    ["also if a reason starts with it", "billing", "it is empty!", `It is empty! ${AGAIN}`],
    ["keeps names as they are written", "billing", "acme is empty?", `acme is empty? ${AGAIN}`],
    ["also names that start like a word", "billing", "theta is empty…", `theta is empty… ${AGAIN}`],
    ["falls back to the generic text without a reason", "billing", " ", failureText({ code: "billing" })],
    ["a stop needs no reason", "aborted", "you asked me to stop", "The work on this message was stopped."],
  ] as const)("%s", (_name, code, message, text) => {
    expect(tell(code, message)).toBe(text);
  });

  test("a long reason is cut, and never in the middle of a character", () => {
    expect(tell("billing", "x".repeat(1_500))).toBe(`${"x".repeat(1_500)}. ${AGAIN}`);
    expect(tell("billing", "x".repeat(1_501))).toBe(`${"x".repeat(1_500)}… ${AGAIN}`);
    expect(tell("billing", `${"x".repeat(1_499)}😀 and more`).isWellFormed()).toBe(true);
  });

  test("hides secrets before truncating", () => {
    const hide = (text: string): string => text.replaceAll("sk-1", "[hidden]");
    expect(tell("billing", "sk-1", hide)).toBe(`[hidden]. ${AGAIN}`);
    expect(tell("billing", "sk-1", () => "")).toBe(failureText({ code: "billing" }));
  });
});
