import type { AgentMessage } from "@factotum/agent-contract";
import { estimateTokens } from "@factotum/agent-core";
import type { PromptRecord, TranscriptEntry } from "@factotum/store";
import { modelNotesAfter, type ModelNote } from "./model-notes-after.ts";

type Prompt = Omit<PromptRecord, "sessionId">;

interface CachedContext {
  readonly messages: AgentMessage[];
  /** When the conversation was last compacted; the first message is then the summary. */
  readonly compactedAtMs: number | undefined;
  prompt: Prompt | undefined;
  /** Tokens of the prompt, cached on first use. */
  promptTokens: number | undefined;
  sourceGeneration: number | undefined;
  /** What the next turn is told of sends since the last message, cached on first use. */
  modelNotes: readonly ModelNote[] | undefined;
  chars: number;
}

/**
 * A cache of the prompts and messages of active sessions, so that a turn does not read its whole history again. Bounded in sessions and in characters; least
 * recently used first. Its content is committed, or about to be; if a commit fails the entry is dropped.
 */
export class SessionCache {
  readonly #contexts = new Map<string, CachedContext>();
  readonly #maxSessions: number;
  readonly #maxChars: number;
  #chars = 0;
  /** The newest stable half. Sessions of an agent usually have the same one. */
  #stable = "";

  constructor(options: { readonly maxSessions: number; readonly maxChars: number }) {
    this.#maxSessions = options.maxSessions;
    this.#maxChars = options.maxChars;
  }

  /** The session's messages, or `undefined` if they are not cached. */
  get(sessionId: string): { readonly messages: readonly AgentMessage[]; readonly compactedAtMs: number | undefined } | undefined {
    const context = this.#contexts.get(sessionId);
    if (context === undefined) return undefined;
    this.#contexts.delete(sessionId);
    this.#contexts.set(sessionId, context);
    return context;
  }

  /** Caches what was read. */
  set(sessionId: string, messages: readonly AgentMessage[], compactedAtMs?: number): void {
    this.drop(sessionId);
    const context: CachedContext = {
      messages: [...messages],
      compactedAtMs,
      prompt: undefined,
      promptTokens: undefined,
      sourceGeneration: undefined,
      modelNotes: undefined,
      chars: messages.reduce((sum, message) => sum + sizeOf(message), 0),
    };
    this.#contexts.set(sessionId, context);
    this.#chars += context.chars;
    this.#trim();
  }

  /** The session's prompt, or `undefined` if it is not cached. */
  prompt(sessionId: string): Prompt | undefined {
    return this.#contexts.get(sessionId)?.prompt;
  }

  /** Estimated tokens of the cached prompt, its tools included; `undefined` if none is cached. */
  promptTokens(sessionId: string): number | undefined {
    const context = this.#contexts.get(sessionId);
    if (context?.prompt === undefined) return undefined;
    context.promptTokens ??= estimatePromptTokens(context.prompt);
    return context.promptTokens;
  }

  /** The last state of the prompt's sources that the session was given. */
  sourceGeneration(sessionId: string): number | undefined {
    return this.#contexts.get(sessionId)?.sourceGeneration;
  }

  setSourceGeneration(sessionId: string, generation: number): void {
    const context = this.#contexts.get(sessionId);
    if (context !== undefined) context.sourceGeneration = generation;
  }

  /** What the next turn is told of sends since the last message, or `undefined` if it is not cached. */
  modelNotes(sessionId: string): readonly ModelNote[] | undefined {
    return this.#contexts.get(sessionId)?.modelNotes;
  }

  setModelNotes(sessionId: string, notes: readonly ModelNote[]): void {
    const context = this.#contexts.get(sessionId);
    if (context !== undefined) context.modelNotes = notes;
  }

  /** Another writer than the session's own turn has added an entry for the model: they are read again. */
  forgetModelNotes(sessionId: string): void {
    const context = this.#contexts.get(sessionId);
    if (context !== undefined) context.modelNotes = undefined;
  }

  /** Caches a committed prompt with the messages of its session; a no-op if those are not cached. */
  setPrompt(sessionId: string, prompt: Prompt): void {
    const context = this.#contexts.get(sessionId);
    if (context === undefined || context.prompt === prompt) return;
    const chars = promptChars(prompt) - (context.prompt === undefined ? 0 : promptChars(context.prompt));
    context.prompt = { ...prompt, system: { ...prompt.system, stable: this.#shareStable(prompt.system.stable) } };
    context.promptTokens = undefined;
    context.chars += chars;
    this.#chars += chars;
    this.#trim();
  }

  /** Adds just committed entries; a no-op if the session is not cached. */
  append(sessionId: string, entries: readonly TranscriptEntry[]): void {
    const context = this.#contexts.get(sessionId);
    if (context === undefined) return;
    for (const entry of entries) {
      if (entry.type === "compaction" || entry.type === "replacement") return this.drop(sessionId);
      context.modelNotes &&= modelNotesAfter(context.modelNotes, entry);
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

  /** The same text as one string for all sessions: a prompt of 10 KB would otherwise be stored for each. */
  #shareStable(stable: string): string {
    if (stable !== this.#stable) this.#stable = stable;
    return this.#stable;
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

/** Estimated share of the window of a prompt and its tools. */
export function estimatePromptTokens({ system, tools }: Prompt): number {
  return estimateTokens(system.stable) + estimateTokens(system.session) + estimateTokens(JSON.stringify(tools));
}

/** The tools are usually the agent's own shared objects: only the session's own data counts. */
function promptChars({ system }: Prompt): number {
  return system.stable.length + system.session.length;
}
