import type { AgentMessage } from "@factotum/agent-contract";
import { estimateTokens } from "@factotum/agent-core";
import type { SystemEvent } from "@factotum/agent-core";
import type { PromptRecord, TranscriptEntry } from "@factotum/store";
import { mediaNotesAfter } from "./media-notes-after.ts";

type Prompt = Omit<PromptRecord, "sessionId">;

interface CachedContext {
  readonly messages: AgentMessage[];
  /** When the conversation was last compacted; the first message is the summary then. */
  readonly compactedAtMs: number | undefined;
  prompt: Prompt | undefined;
  /** Tokens of the prompt, once somebody has asked. */
  promptTokens: number | undefined;
  sourceGeneration: number | undefined;
  /** What the last turn could not send, once somebody has asked. */
  mediaNotes: readonly SystemEvent[] | undefined;
  chars: number;
}

/**
 * The prompt and the messages of sessions in use, so that a turn does not read its whole history anew. Bounded in sessions and in characters; what was used longest
 * ago goes first. What is in here is committed, or about to be: what was not is dropped.
 */
export class SessionCache {
  readonly #contexts = new Map<string, CachedContext>();
  readonly #maxSessions: number;
  readonly #maxChars: number;
  #chars = 0;

  constructor(options: { readonly maxSessions: number; readonly maxChars: number }) {
    this.#maxSessions = options.maxSessions;
    this.#maxChars = options.maxChars;
  }

  /** The session's messages, or `undefined` when they have to be read. */
  get(sessionId: string): { readonly messages: readonly AgentMessage[]; readonly compactedAtMs: number | undefined } | undefined {
    const context = this.#contexts.get(sessionId);
    if (context === undefined) return undefined;
    this.#contexts.delete(sessionId);
    this.#contexts.set(sessionId, context);
    return context;
  }

  /** Keeps what was read. */
  set(sessionId: string, messages: readonly AgentMessage[], compactedAtMs?: number): void {
    this.drop(sessionId);
    const context: CachedContext = {
      messages: [...messages],
      compactedAtMs,
      prompt: undefined,
      promptTokens: undefined,
      sourceGeneration: undefined,
      mediaNotes: undefined,
      chars: messages.reduce((sum, message) => sum + sizeOf(message), 0),
    };
    this.#contexts.set(sessionId, context);
    this.#chars += context.chars;
    this.#trim();
  }

  /** The session's prompt, or `undefined` when it has to be read. */
  prompt(sessionId: string): Prompt | undefined {
    return this.#contexts.get(sessionId)?.prompt;
  }

  /** Tokens of the prompt that is kept, its tools included, roughly; `undefined` when none is kept. */
  promptTokens(sessionId: string): number | undefined {
    const context = this.#contexts.get(sessionId);
    if (context?.prompt === undefined) return undefined;
    context.promptTokens ??= estimatePromptTokens(context.prompt);
    return context.promptTokens;
  }

  /** The state of the prompt's sources that the session has seen last. */
  sourceGeneration(sessionId: string): number | undefined {
    return this.#contexts.get(sessionId)?.sourceGeneration;
  }

  setSourceGeneration(sessionId: string, generation: number): void {
    const context = this.#contexts.get(sessionId);
    if (context !== undefined) context.sourceGeneration = generation;
  }

  /** What the last turn could not send, or `undefined` when it has to be read. */
  mediaNotes(sessionId: string): readonly SystemEvent[] | undefined {
    return this.#contexts.get(sessionId)?.mediaNotes;
  }

  setMediaNotes(sessionId: string, notes: readonly SystemEvent[]): void {
    const context = this.#contexts.get(sessionId);
    if (context !== undefined) context.mediaNotes = notes;
  }

  /** Keeps a prompt that is committed, beside the messages of its session; nothing when those are not kept. */
  setPrompt(sessionId: string, prompt: Prompt): void {
    const context = this.#contexts.get(sessionId);
    if (context === undefined || context.prompt === prompt) return;
    const chars = promptChars(prompt) - (context.prompt === undefined ? 0 : promptChars(context.prompt));
    context.prompt = prompt;
    context.promptTokens = undefined;
    context.chars += chars;
    this.#chars += chars;
    this.#trim();
  }

  /** Adds what was just committed; nothing when the session is not kept. */
  append(sessionId: string, entries: readonly TranscriptEntry[]): void {
    const context = this.#contexts.get(sessionId);
    if (context === undefined) return;
    for (const entry of entries) {
      if (entry.type === "compaction" || entry.type === "replacement") return this.drop(sessionId);
      context.mediaNotes &&= mediaNotesAfter(context.mediaNotes, entry);
      if (entry.type !== "message") continue;
      const chars = sizeOf(entry.message);
      context.messages.push(entry.message);
      context.chars += chars;
      this.#chars += chars;
    }
    this.#trim();
  }

  drop(sessionId: string): void {
    const context = this.#contexts.get(sessionId);
    if (context === undefined) return;
    this.#contexts.delete(sessionId);
    this.#chars -= context.chars;
  }

  #trim(): void {
    for (const sessionId of this.#contexts.keys()) {
      if (this.#contexts.size <= this.#maxSessions && this.#chars <= this.#maxChars) return;
      this.drop(sessionId);
    }
  }
}

function sizeOf(message: AgentMessage): number {
  let chars = 200;
  for (const block of message.content) {
    if (block.type === "text" || block.type === "thinking") chars += block.text.length;
    else if (block.type === "image") chars += block.data.length;
    else chars += JSON.stringify(block.arguments).length;
  }
  return chars;
}

/** What a prompt takes of the window, its tools included, roughly. */
export function estimatePromptTokens({ system, tools }: Prompt): number {
  return estimateTokens(system.stable) + estimateTokens(system.session) + estimateTokens(JSON.stringify(tools));
}

/** The tools are the agent's own objects in most prompts: only what belongs to the session counts. */
function promptChars({ system }: Prompt): number {
  return system.stable.length + system.session.length;
}
