import type { Clock, JsonObject, Logger } from "@factotum/agent-contract";
import type { HookName, HookPayloads } from "@factotum/plugin";
import type { HookSource } from "./hook-source.ts";

/** Calls of observers that have not ended; further ones are left out, and logged. */
const MAX_PENDING = 100;
/** What one handler may add to a prompt. */
const MAX_CONTEXT_CHARS = 8_000;
const MAX_REASON_CHARS = 500;
/** Milliseconds that an end of the gateway waits for observers. */
const LAST_WAIT_MS = 3_000;

/** What the handlers of `before_tool_call` say together. `isForeign`: the reason, or the arguments, count as text of others. */
export type CallVerdict =
  | { readonly type: "deny"; readonly message: string; readonly isForeign: boolean }
  | { readonly type: "go-on"; readonly arguments?: JsonObject; readonly isForeign: boolean; readonly ask?: AskVerdict };

/** The owner decides. `isForeign`: the reason counts as text of others. */
export interface AskVerdict {
  readonly reason: string;
  readonly isForeign: boolean;
}

/** What the handlers of `message_sending` say together. `failed`: one of them did not answer, and the message is tried again later. */
export type SendVerdict =
  | { readonly type: "send"; readonly text: string }
  | { readonly type: "cancel" | "failed"; readonly reason: string };

/** Text that a handler adds to a prompt. */
export interface AddedContext {
  readonly owner: string;
  readonly text: string;
  readonly trusted: boolean;
}

/** Dependencies of the hooks. */
export interface HookRunnerOptions {
  /** Those of the running configuration. */
  readonly sources: () => readonly HookSource[];
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Calls the handlers of hooks: higher priorities first, equal ones in the order of the sources. A handler that decides or transforms gets what those before it
 * have changed. The gateway's own rules follow all of them, and no handler can take them away.
 */
export class HookRunner {
  readonly #options: HookRunnerOptions;
  readonly #pending = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(options: HookRunnerOptions) {
    this.#options = options;
  }

  /** True if a hook has handlers. */
  has(name: HookName): boolean {
    return this.#handlersOf(name).length > 0;
  }

  /** Calls observers. Nothing waits for them, and a failure is logged (fail open). The payload is made only if there are any. */
  observe<Name extends HookName>(name: Name, payload: () => HookPayloads[Name]): void {
    const handlers = this.#handlersOf(name);
    if (handlers.length === 0) return;
    const said = payload();
    for (const handler of handlers) {
      if (this.#pending.size >= MAX_PENDING) {
        this.#options.logger.warn("A hook was left out, because too many are still running", { hook: name, owner: handler.owner });
        continue;
      }
      const calling = handler.call(name, said, { signal: this.#closing.signal }).then(
        () => undefined,
        (error: unknown) => this.#logFailure(name, handler, error),
      );
      this.#pending.add(calling);
      void calling.finally(() => this.#pending.delete(calling));
    }
  }

  /** Why a turn must not begin; `undefined` if it may. A failure is a denial (fail closed). */
  async beforeDispatch(payload: HookPayloads["before_dispatch"], signal: AbortSignal): Promise<string | undefined> {
    for (const handler of this.#handlersOf("before_dispatch")) {
      const answer = await this.#ask("before_dispatch", handler, payload, signal);
      if (answer.type === "failed") return `${handler.owner} has failed, and messages wait until it works or is switched off.`;
      const deny = textAt(answer.value, "deny");
      if (deny !== undefined) return deny;
    }
    return undefined;
  }

  /** What is added before the messages of a turn. A failure adds nothing. */
  async beforePromptBuild(payload: HookPayloads["before_prompt_build"], signal: AbortSignal): Promise<readonly AddedContext[]> {
    const added: AddedContext[] = [];
    for (const handler of this.#handlersOf("before_prompt_build")) {
      const answer = await this.#ask("before_prompt_build", handler, payload, signal);
      const text = answer.type === "failed" ? undefined : textAt(answer.value, "prependContext", MAX_CONTEXT_CHARS);
      if (text !== undefined) added.push({ owner: handler.owner, text, trusted: handler.trusted });
    }
    return added;
  }

  /** Why a request must not go to a model; `undefined` if it may. A failure is a denial (fail closed). */
  async beforeModelCall(payload: HookPayloads["before_model_call"], signal: AbortSignal): Promise<string | undefined> {
    const asked = `${payload.provider}/${payload.model} was not asked`;
    for (const handler of this.#handlersOf("before_model_call")) {
      const answer = await this.#ask("before_model_call", handler, payload, signal);
      if (answer.type === "failed") return `${asked}: the ${handler.owner}, which decides on requests to models, has failed.`;
      const deny = textAt(answer.value, "deny");
      if (deny !== undefined) return `${asked}. Rule of the ${handler.owner}: ${deny}`;
    }
    return undefined;
  }

  /** What becomes of a tool call. A failure denies it (fail closed). */
  async beforeToolCall(payload: HookPayloads["before_tool_call"], signal: AbortSignal): Promise<CallVerdict> {
    let current = payload;
    let isForeign = false;
    let ask: AskVerdict | undefined;
    for (const handler of this.#handlersOf("before_tool_call")) {
      const answer = await this.#ask("before_tool_call", handler, current, signal);
      const refused = (reason: string, isOthers: boolean): CallVerdict => ({
        type: "deny",
        message: `${payload.tool} was not run. ${reason}`,
        isForeign: isOthers,
      });
      if (answer.type === "failed") return refused(`The ${handler.owner}, which decides on calls, has failed. Tell the user.`, false);
      const deny = textAt(answer.value, "deny");
      if (deny !== undefined) return refused(`Rule of the ${handler.owner}: ${deny}`, !handler.trusted);
      const reason = textAt(answer.value, "ask");
      if (reason !== undefined)
        ask = {
          reason: [...(ask === undefined ? [] : [ask.reason]), `Rule of the ${handler.owner}: ${reason}`].join(" "),
          isForeign: ask?.isForeign === true || !handler.trusted,
        };
      const changed = objectAt(answer.value, "arguments");
      if (changed === undefined) continue;
      current = { ...current, arguments: changed };
      isForeign ||= !handler.trusted;
    }
    return {
      type: "go-on",
      isForeign,
      ...(current === payload ? {} : { arguments: current.arguments }),
      ...(ask === undefined ? {} : { ask }),
    };
  }

  /** What becomes of a text on its way to a chat. A failure holds it back (fail closed). */
  async messageSending(payload: HookPayloads["message_sending"]): Promise<SendVerdict> {
    let { text } = payload;
    for (const handler of this.#handlersOf("message_sending")) {
      const answer = await this.#ask("message_sending", handler, { ...payload, text }, this.#closing.signal);
      if (answer.type === "failed") return { type: "failed", reason: `the ${handler.owner}, which looks at messages, has failed` };
      const cancel = textAt(answer.value, "cancel");
      if (cancel !== undefined) return { type: "cancel", reason: `the ${handler.owner} cancelled it: ${cancel}` };
      text = textAt(answer.value, "text", Number.POSITIVE_INFINITY) ?? text;
    }
    return { type: "send", text };
  }

  /** Waits a little for observers, and ends those that still run. */
  async close(): Promise<void> {
    const late = Promise.withResolvers<void>();
    using _timer = this.#options.clock.schedule(LAST_WAIT_MS, () => late.resolve());
    await Promise.race([Promise.all(this.#pending), late.promise]);
    this.#closing.abort();
  }

  #handlersOf(name: HookName): readonly HookSource[] {
    const found = this.#options.sources().flatMap((source) => {
      const hook = source.hooks.find((one) => one.name === name);
      return hook === undefined ? [] : [{ source, priority: hook.priority }];
    });
    return found.toSorted((one, other) => other.priority - one.priority).map(({ source }) => source);
  }

  async #ask<Name extends HookName>(
    name: Name,
    handler: HookSource,
    payload: HookPayloads[Name],
    signal: AbortSignal,
  ): Promise<{ readonly type: "answered"; readonly value: unknown } | { readonly type: "failed" }> {
    try {
      return { type: "answered", value: await handler.call(name, payload, { signal }) };
    } catch (error) {
      this.#logFailure(name, handler, error);
      return { type: "failed" };
    }
  }

  #logFailure(name: HookName, { owner }: HookSource, error: unknown): void {
    this.#options.logger.warn("A hook failed", { hook: name, owner, error });
  }
}

/** A text of an answer; one that is empty or no text counts as absent. */
function textAt(answer: unknown, key: string, maxChars = MAX_REASON_CHARS): string | undefined {
  const value = isObject(answer) ? answer[key] : undefined;
  return typeof value === "string" && value.trim() !== "" ? value.slice(0, maxChars).toWellFormed() : undefined;
}

function objectAt(answer: unknown, key: string): JsonObject | undefined {
  const value = isObject(answer) ? answer[key] : undefined;
  return isObject(value) ? (value as JsonObject) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
