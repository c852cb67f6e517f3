import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import {
  ModelError,
  type AssistantMessage,
  type Clock,
  type ModelClient,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type Random,
} from "@factotum/agent-contract";
import { estimateTokens } from "../estimate-tokens.ts";
import { MessageAssembler } from "../stream/message-assembler.ts";
import { createUsage } from "../usage.ts";
import { planDemoAnswer, type DemoAnswer } from "./plan-demo-answer.ts";

/** Time between two chunks, so that streaming is visible. */
const PAUSE_MS = 15;

/** Maximum number of chunks of an answer (about two seconds), regardless of its length. */
const MOST_PIECES = 120;
const LEAST_PIECE = 8;

/** The demo model's dependencies: no key and no network. */
export interface DemoClientOptions {
  readonly info: ModelInfo;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * The fallback model: it follows a script, but its tool calls are real. It is stateless; everything follows from the request. Tokens are estimates, and they
 * cost nothing.
 */
export function createDemoClient({ info, clock, random }: DemoClientOptions): ModelClient {
  return {
    info,
    async *stream(request, { signal }): AsyncGenerator<ModelEvent, void, undefined> {
      const answer = planDemoAnswer(request);
      const id = `demo_${Buffer.from(random.bytes(8)).toString("hex")}`;
      const assembler = new MessageAssembler({ usedIds: new Set(), generateId: () => id });
      const message = (stopReason: AssistantMessage["stopReason"]): AssistantMessage => ({
        role: "assistant",
        content: assembler.content({ calls: stopReason === "toolUse" }),
        api: info.api,
        provider: info.provider,
        model: info.id,
        usage: createUsage(
          { input: estimateRequest(request), output: estimateTokens(assembler.writtenText), cacheRead: 0, cacheWrite: 0 },
          { cost: info.cost ?? { input: 0, output: 0 }, retention: "none" },
        ),
        stopReason,
        timestamp: clock.now(),
      });
      if (!signal.aborted) yield { type: "message-start" };
      for (const part of toParts(answer, id)) {
        if (!signal.aborted) await pause(clock, signal);
        if (signal.aborted) {
          const error = new ModelError("aborted", "Stopped.", { retry: { type: "never" }, cause: new Error("aborted") });
          const partial = { ...message("aborted"), errorMessage: error.message };
          yield partial.content.length === 0 ? { type: "message-failed", error } : { type: "message-failed", error, partial };
          return;
        }
        yield* assembler.accept(part);
      }
      yield { type: "message-end", message: message(answer.call === undefined ? "stop" : "toolUse") };
    },
  };
}

function* toParts(answer: DemoAnswer, id: string): Generator<LanguageModelV4StreamPart> {
  for (const delta of cut(answer.text)) yield { type: "text-delta", id: "text", delta };
  yield { type: "text-end", id: "text" };
  if (answer.call === undefined) return;
  const input = JSON.stringify(answer.call.arguments);
  yield { type: "tool-input-start", id, toolName: answer.call.name };
  for (const delta of cut(input)) yield { type: "tool-input-delta", id, delta };
  yield { type: "tool-call", toolCallId: id, toolName: answer.call.name, input };
}

/** Chunks of whole characters. */
function cut(text: string): readonly string[] {
  const size = Math.max(LEAST_PIECE, Math.ceil(text.length / MOST_PIECES));
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "gu")) ?? [];
}

function estimateRequest(request: ModelRequest): number {
  // Images are not read, so their data does not count as input.
  const messages = JSON.stringify(request.messages, (key, value: unknown) => (key === "data" ? undefined : value));
  return estimateTokens(request.system.stable + request.system.session + JSON.stringify(request.tools) + messages);
}

/** Settles after the pause, or at once if the signal fires. */
function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer[Symbol.dispose]();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = clock.schedule(PAUSE_MS, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
