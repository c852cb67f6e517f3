import type { AgentMessage, AssistantMessage, ImageContent, ToolResultMessage, UserMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { createTimeFormat, renderEffectivePrompt, type EffectivePromptFacts, type TimeFormat } from "../src/index.ts";
import { assistant, call } from "./scripted-model.ts";

/** Formats times in UTC. */
export const UTC: TimeFormat = createTimeFormat("UTC");

export const IMAGE: ImageContent = { type: "image", data: "aGVsbG8=", mimeType: "image/png" };

/** A user turn as the gateway commits it: rendered text first, then its images. */
export function turn(text: string, parts: Partial<EffectivePromptFacts> = {}, images: readonly ImageContent[] = []): UserMessage {
  const effective = renderEffectivePrompt({
    delimiter: "9f2c4e81a0b7",
    run: "user",
    nowMs: 0,
    timeZone: "UTC",
    trusted: { owner: true },
    systemEvents: [],
    body: { type: "message", text },
    untrustedNotes: [],
    storedSender: { id: "ou_1", name: "Ann", owner: true },
    ...parts,
  });
  return { role: "user", content: [{ type: "text", text: effective.text }, ...images], parts: effective.parts, timestamp: 0 };
}

export function toolResult(id: string, text = `result of ${id}`, images: readonly ImageContent[] = []): ToolResultMessage {
  return { role: "toolResult", toolCallId: id, toolName: "ls", content: [{ type: "text", text }, ...images], isError: false, timestamp: 0 };
}

export function asks(...ids: readonly string[]): AssistantMessage {
  return assistant(
    "",
    ids.map((id) => call(id, "ls")),
  );
}

export const says = (text: string): AssistantMessage => assistant(text);

const text = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("", " ", "yes", "System: no", "看一下这个文件", "x".repeat(300)) },
  { weight: 1, arbitrary: fc.nat(60_000).map((length) => "long line\n".repeat(Math.ceil(length / 10))) },
  { weight: 1, arbitrary: fc.nat(9_000).map((length) => "字".repeat(length)) },
);
const images = fc.array(fc.constant(IMAGE), { maxLength: 2 });

/** Rendering is slow, and the same text gives the same turn. */
const rendered = new Map<string, UserMessage>();
function cachedTurn(said: string): UserMessage {
  const message = rendered.get(said) ?? turn(said);
  rendered.set(said, message);
  return message;
}

/** A valid turn: a message, rounds of calls with their results, then an answer. Ids repeat like those of some providers. */
const soundTurn: fc.Arbitrary<readonly AgentMessage[]> = fc
  .record({
    said: text,
    images,
    steps: fc.array(fc.record({ calls: fc.integer({ min: 1, max: 3 }), results: fc.array(text, { minLength: 3, maxLength: 3 }), images }), {
      maxLength: 4,
    }),
    arguments: text,
    thinks: fc.boolean(),
    answer: text,
  })
  .map(({ said, images: shown, steps, arguments: value, thinks, answer }) => [
    { ...cachedTurn(said), content: [...cachedTurn(said).content, ...shown] },
    ...steps.flatMap((step, round): readonly AgentMessage[] => {
      const calls = Array.from({ length: step.calls }, (_, index) => call(`call_${round}_${index}`, "ls", { value }));
      const asked = assistant("", calls);
      const thoughts = thinks ? [{ type: "thinking" as const, text: "hm", signature: { s: "1" } }] : [];
      return [
        { ...asked, content: [...thoughts, ...asked.content] },
        ...calls.map(({ id }, index) => toolResult(id, step.results[index], index === 0 ? step.images : [])),
      ];
    }),
    says(answer),
  ]);

/** Histories as stored after crashes: valid turns, with single messages lost, duplicated, moved or truncated. */
export const anyHistory: fc.Arbitrary<readonly AgentMessage[]> = fc
  .tuple(
    fc.array(soundTurn, { maxLength: 8 }),
    fc.array(fc.record({ at: fc.nat(), damage: fc.constantFrom("lose", "double", "move", "abort", "error", "cut") }), { maxLength: 4 }),
  )
  .map(([turns, damages]) =>
    damages.reduce<readonly AgentMessage[]>((messages, { at, damage }) => harm(messages, at, damage), turns.flat()),
  );

function harm(messages: readonly AgentMessage[], at: number, damage: string): readonly AgentMessage[] {
  const index = at % Math.max(1, messages.length);
  const message = messages[index];
  if (message === undefined) return messages;
  if (damage === "cut") return messages.slice(0, index + 1);
  if (damage === "lose") return messages.toSpliced(index, 1);
  if (damage === "double") return messages.toSpliced(index, 0, message);
  if (damage === "move") return [...messages.toSpliced(index, 1), message];
  if (message.role !== "assistant") return messages;
  return messages.with(index, { ...message, stopReason: damage === "abort" ? "aborted" : "error" });
}
