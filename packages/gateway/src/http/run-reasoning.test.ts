import type { ChatEvent } from "@factotum/protocol";
import { expect, test } from "vitest";
import { RunReasoning } from "./run-reasoning.ts";

const hideSecrets = (text: string): string => text.replaceAll("hunter2", "***");

function shown(events: readonly ChatEvent[]): string {
  const reasoning = new RunReasoning("r", hideSecrets);
  return events.map((event) => reasoning.push(event)).join("");
}

const block = (type: "text" | "thinking", ...pieces: readonly string[]): readonly ChatEvent[] => [
  { type: "block-start", runId: "r", block: type },
  ...pieces.map((text): ChatEvent => ({ type: "block-delta", runId: "r", text })),
];
const call = (name: string, argumentsText: string): ChatEvent => ({
  type: "tool-start",
  runId: "r",
  call: { id: "c", name, argumentsText },
});
const result = (text: string, isError: boolean): ChatEvent => ({
  type: "entry",
  runId: "r",
  entry: { type: "tool-result", id: "1", timestampMs: 0, callId: "c", name: "exec", text, isError },
});

test("thoughts and tools are parts separated by blank lines, for any chunk boundaries; text is not among them", () => {
  const rest = [
    ...block("text", "I look."),
    call("ls", "{}"),
    call("read", '{"path":"a"}'),
    ...block("thinking", "So."),
    ...block("text", "Yes."),
  ];
  const expected = 'I see.\n\nMore.\n\n`ls`\n\n`read` `{"path":"a"}`\n\nSo.';
  expect(shown([...block("thinking", "I see."), ...block("thinking", "More."), ...rest])).toBe(expected);
  expect(shown([...block("thinking", "I ", "", "see", "."), ...block("thinking", "M", "ore."), ...rest])).toBe(expected);
});

test("an empty thought shows nothing, and no blank line", () => {
  expect(shown([...block("thinking", ""), call("ls", "{}")])).toBe("`ls`");
});

test("a failed tool is reported, a successful one is not; secrets are redacted before anything is cut", () => {
  expect(shown([result("fine", false)])).toBe("");
  expect(shown([result("", true)])).toBe("`exec` failed.");
  expect(shown([result(`no hunter2\n${"x".repeat(500)}`, true)])).toMatch(/^`exec` failed: `no \*\*\* x+…`$/);
  expect(shown([call("exec", `{"command":"${"x".repeat(105)}hunter2"}`)])).not.toContain("hunter");
});

test("other runs of the session show nothing", () => {
  const reasoning = new RunReasoning("another", hideSecrets);
  for (const event of [...block("thinking", "I see."), call("ls", "{}"), result("no", true)]) expect(reasoning.push(event)).toBe("");
});
