import { withoutUndefined } from "@factotum/agent-contract";
import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import type {
  AssistantMessage,
  CacheRetention,
  Clock,
  ModelError,
  ModelEvent,
  ModelInfo,
  StopReason,
  Usage,
} from "@factotum/agent-contract";
import { createLengthError, createModelError, type ErrorContext } from "../errors/create-model-error.ts";
import { toModelError } from "../errors/to-model-error.ts";
import { countedTokens, createUsage, type Pricing, toUsage } from "../usage.ts";
import { estimateTokens } from "../estimate-tokens.ts";
import type { RawFrame, StreamRules } from "../wire-format.ts";
import type { CallGuard } from "./call-guard.ts";
import type { TaggedParts } from "../tagged-text/tagged-parts.ts";
import { judgeFinish, type FinishPart } from "./judge-finish.ts";
import type { MessageAssembler } from "./message-assembler.ts";

/** After the complete answer a server gets this long to end the connection, which can then be reused. */
const DRAIN_MS = 1_000;

/** One call with a rendered request. */
export interface StreamCall {
  readonly info: ModelInfo;
  readonly guard: CallGuard;
  readonly clock: Clock;
  readonly rules: StreamRules;
  readonly assembler: MessageAssembler;
  /** Binds the answer's thoughts to the request. */
  readonly bind?: (content: AssistantMessage["content"]) => AssistantMessage["content"];
  /** For answers whose text contains tags to parse. */
  readonly tagged?: TaggedParts;
  readonly errors: ErrorContext;
  /** Estimated tokens of the prompt. */
  readonly promptTokens: number;
  readonly retention: CacheRetention;
  /** Maximum characters of text, thoughts and arguments of the answer. */
  readonly maxAnswerChars: number;
  readonly start: () => PromiseLike<LanguageModelV4StreamResult>;
}

/**
 * Runs one call and adds the guarantees that the SDK's streams lack: no end without a finish, no finish after an error, errors by shape, unknown events
 * ignored, limits that hold even if the transport hangs. Never throws; the last event is `message-end` or `message-failed`. Leaving early closes the
 * connection.
 */
export async function* streamMessage(call: StreamCall): AsyncGenerator<ModelEvent, void, undefined> {
  const state = new StreamState(call);
  let draining = false;
  try {
    const { stream } = await call.guard.wait(call.start());
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await call.guard.wait(reader.read());
      if (done) break;
      // No `yield*`: delegation adds promises to each event.
      for (const event of state.accept(value)) yield event;
      if (state.finish !== undefined) {
        draining = true;
        void drain(reader, call);
        break;
      }
    }
    yield state.conclude();
  } catch (failure) {
    yield state.fail(toFailure(failure, call, state.answered));
  } finally {
    if (!draining) call.guard[Symbol.dispose]();
  }
}

/** Drains the connection in the background, for a bounded time, so that it can be reused. */
async function drain(reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>, call: StreamCall): Promise<void> {
  // The run that made the call is over, and its signal may fire: that must not abort the rest of a complete answer.
  call.guard.release();
  const timer = call.clock.schedule(DRAIN_MS, () => call.guard[Symbol.dispose]());
  // The answer is complete: how its connection ends no longer matters, as long as nothing of it remains.
  let state: "open" | "ended" | "broken" = "open";
  while (state === "open") {
    state = await reader.read().then(
      ({ done }) => (done ? "ended" : "open"),
      () => "broken",
    );
  }
  if (state === "broken") call.guard[Symbol.dispose]();
  timer[Symbol.dispose]();
}

function toFailure(failure: unknown, call: StreamCall, answered: boolean): ModelError {
  const { end } = call.guard;
  if (end === undefined) return toModelError(failure instanceof StreamFailure ? failure.part : failure, call.errors, { answered });
  const cause = new Error(end.type === "aborted" ? "aborted" : end.limit);
  if (end.type === "aborted") return createModelError("aborted", { cause }, call.errors);
  const limits = { connect: "no connection", "first-event": "nothing came", idle: "nothing more came" };
  return createModelError("timeout", { said: `${limits[end.limit]} within ${end.limitMs / 1_000} s`, cause }, call.errors);
}

class StreamState {
  readonly #call: StreamCall;
  #started = false;
  #ignoredError = false;
  #chars = 0;
  #early: RawFrame["usage"];
  #rawFinish: RawFrame["finishReason"];
  finish: FinishPart | undefined;
  answered = false;

  constructor(call: StreamCall) {
    this.#call = call;
  }

  accept(part: LanguageModelV4StreamPart): readonly ModelEvent[] {
    switch (part.type) {
      case "error":
        if (!this.#isUnknownEvent(part.error)) throw new StreamFailure(part.error);
        this.#ignoredError = true;
        return [];
      case "raw":
        this.#readRaw(part.rawValue);
        return [];
      case "finish":
        this.finish = part;
        return this.#progress(part);
      case "stream-start":
      case "ping":
        return [];
      case "response-metadata":
        return this.#startMessage();
      default:
        this.answered = true;
        return [...this.#startMessage(), ...this.#progress(part)];
    }
  }

  /** The last event of a stream that ended. */
  conclude(): ModelEvent {
    const { assembler, errors } = this.#call;
    const verdict = judgeFinish(this.finish, assembler, this.#ignoredError ? this.#rawFinish : undefined);
    if (verdict.type === "failed") return this.fail(createModelError(verdict.code, withoutUndefined({ said: verdict.said }), errors));
    const isCut = verdict.stopReason === "length";
    const content = assembler.content({ calls: isCut || verdict.stopReason === "toolUse", isCut });
    const bound = this.#call.bind?.(content) ?? content;
    return { type: "message-end", message: this.#message(bound, verdict.stopReason) };
  }

  fail(error: ModelError): ModelEvent {
    const content = this.#call.assembler.content({ calls: false });
    if (content.length === 0) return { type: "message-failed", error };
    const partial = { ...this.#message(content, error.code === "aborted" ? "aborted" : "error"), errorMessage: error.message };
    return { type: "message-failed", error, partial };
  }

  #progress(part: LanguageModelV4StreamPart): readonly ModelEvent[] {
    const { assembler, guard, rules, errors, maxAnswerChars } = this.#call;
    const parts = this.#call.tagged?.accept(part) ?? [part];
    this.#chars += written(part).length;
    if (this.#chars > maxAnswerChars) throw createLengthError(maxAnswerChars, errors);
    const events = parts.flatMap((one) => assembler.accept(one));
    if (isProgress(part)) guard.progress(assembler.isThinking || (rules.buffersToolInput && assembler.isCalling));
    return events;
  }

  #startMessage(): readonly ModelEvent[] {
    if (this.#started) return [];
    this.#started = true;
    const early = this.#early;
    return [
      early === undefined
        ? { type: "message-start" }
        : { type: "message-start", usage: createUsage({ ...early, output: 0 }, this.#pricing) },
    ];
  }

  #readRaw(frame: unknown): void {
    const raw = this.#call.rules.readRawFrame?.(frame);
    const isCounted = raw?.usage !== undefined && Object.values(raw.usage).every((count) => countedTokens(count) !== undefined);
    this.#early = isCounted ? raw.usage : this.#early;
    this.#rawFinish = raw?.finishReason ?? this.#rawFinish;
  }

  #isUnknownEvent(error: unknown): boolean {
    const isUnreadable = error instanceof Error && error.name === "AI_TypeValidationError" && "value" in error;
    return isUnreadable && this.#call.rules.isUnknownEvent(error.value);
  }

  #message(content: AssistantMessage["content"], stopReason: StopReason): AssistantMessage {
    const { info, clock } = this.#call;
    return {
      role: "assistant",
      content,
      api: info.api,
      provider: info.provider,
      model: info.id,
      usage: this.#usage(),
      stopReason,
      timestamp: clock.now(),
    };
  }

  get #pricing(): Pricing {
    return { cost: this.#call.info.cost, retention: this.#call.retention };
  }

  #usage(): Usage {
    const { assembler, promptTokens } = this.#call;
    const output = estimateTokens(assembler.writtenText);
    if (this.finish !== undefined) return toUsage(this.finish.usage, { input: promptTokens, output }, this.#pricing);
    return createUsage(
      this.#early === undefined ? { input: promptTokens, output, cacheRead: 0, cacheWrite: 0 } : { ...this.#early, output },
      this.#pricing,
    );
  }
}

/** Whether a part is progress of the answer. An empty delta is not, nor is the start or end of a text block. */
function isProgress(part: LanguageModelV4StreamPart): boolean {
  switch (part.type) {
    case "text-start":
    case "text-end":
      return false;
    case "text-delta":
    case "reasoning-delta":
    case "tool-input-delta":
      return part.delta !== "";
    default:
      return true;
  }
}

/** The content that a part adds to the answer. The SDK sends arguments as deltas even if they come in one piece. */
function written(part: LanguageModelV4StreamPart): string {
  return part.type === "text-delta" || part.type === "reasoning-delta" || part.type === "tool-input-delta" ? part.delta : "";
}

/** Carries an error part of any type to the code that classifies failures. */
class StreamFailure extends Error {
  readonly part: unknown;

  constructor(part: unknown) {
    super("the stream reported an error");
    this.name = "StreamFailure";
    this.part = part;
  }
}
