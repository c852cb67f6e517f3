import { opensFiles } from "@factotum/agent-core";
import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage, RunFacts, RunKind, UserMessage, Clock, Logger } from "@factotum/agent-contract";
import type { SystemEvent } from "@factotum/agent-core";
import type { InputRecord, LedgerStore, TranscriptStore, TurnStore } from "@factotum/store";
import { NO_NOTES, readDailyNotes } from "./daily-notes.ts";
import { withFetchedContext } from "./fetch-context.ts";
import { withFilledPrompt } from "./fill-prompt.ts";
import { readLastRun, sessionHint } from "./last-run.ts";
import { describeEvent } from "./describe-event.ts";
import { modelNotes } from "./model-notes.ts";
import { refersToTainted } from "../taint/sent-taint.ts";
import { isTainted } from "../taint/taint.ts";
import type { MessageFactsContext } from "./message-facts.ts";
import { parseBasis } from "../prompt/prompt-cause.ts";
import type { ResolvedPrompt } from "../prompt/prompt-resolver.ts";
import type { SessionContext, SessionFacts } from "../conversation/session-context.ts";
import { sourceEvents } from "../prompt/source-events.ts";
import { inputsOf, leadInput } from "../queue/turn-job.ts";
import type { InputJob, GatheredMessage } from "../queue/turn-job.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { AddedContext, HookRunner } from "../hooks/hook-runner.ts";
import type { LocalFiles } from "../media/local-files.ts";
import { renderUserMessage } from "./user-message.ts";
import { parseReset } from "../conversation/parse-reset.ts";
import type { MessageContext, MessageParts, UserMessageRequest } from "./user-message.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

const MAX_LINE_CHARS = 160;

/** Entries between a reset and the first message that are looked through: commands and their answers. */
const RESET_LOOK_BACK = 20;

const SPEECH_HINT = "A reply that begins with [[tts]] is spoken to the user. Use it only where a voice serves the user better than text.";

/** A request to render the messages of a turn. */
export interface TurnMessagesRequest extends Pick<UserMessageRequest, "facts" | "nowMs" | "showsGroup" | "signal"> {
  readonly sessionKey: string;
  readonly history: readonly AgentMessage[];
  /** System events, and those of the platform, since the last turn; oldest first. */
  readonly events: readonly InputRecord[];
  /** The session is private, this turn's messages included. */
  readonly isPrivate: boolean;
}

/** For messages that do not begin a turn. */
const NO_OPENING = {
  joined: true,
  isReset: false,
  showsGroup: false,
  opening: { systemEvents: [], truncations: [], dailyNotes: [] },
  isOpeningTainted: false,
} as const;

/** Dependencies of the turn messages. */
export interface TurnMessagesOptions extends MessageParts {
  readonly store: LedgerStore & TranscriptStore & TurnStore & MessageParts["store"];
  readonly cache: SessionCache;
  readonly files: LocalFiles;
  readonly hooks: HookRunner;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Renders the messages of a turn for its model. */
export class TurnMessages {
  readonly #options: TurnMessagesOptions;

  constructor(options: TurnMessagesOptions) {
    this.#options = options;
  }

  /**
   * Renders the messages that begin a turn: one per input, and before them a list of the overflow. At least one. A turn for which no request can be built has
   * neither a prompt nor a model.
   */
  async begin(
    job: InputJob,
    request: TurnMessagesRequest,
    prompt: ResolvedPrompt | undefined,
    context: SessionFacts & MessageContext,
  ): Promise<readonly UserMessage[]> {
    const { facts, nowMs, signal, showsGroup } = request;
    const { admission } = leadInput(job);
    const lastRun = await readLastRun(context.sessionId, this.#options.store);
    const { isFromPerson } = RUN_POLICY[admission.kind];
    const hint = isFromPerson ? sessionHint(lastRun) : undefined;
    const isFirst = lastRun === undefined && (admission.history ?? []).length === 0;
    const daily =
      request.isPrivate && isFirst && isFromPerson && facts !== undefined
        ? await readDailyNotes(this.#options, { run: facts, agent: context.agent, nowMs })
        : NO_NOTES;
    // The prompt of a refused turn has no tools: announcements are for the model that answers later.
    const opens = prompt === undefined || opensFiles(prompt.record.tools, { owner: admission.owner });
    const isReset = isFromPerson && lastRun === undefined && context.record !== undefined && (await this.#followsReset(context.sessionId));
    const isAddedTo = facts !== undefined && this.#options.hooks.has("before_prompt_build");
    const notes =
      context.record === undefined || RUN_POLICY[admission.kind].isAside ? [] : await modelNotes(context.sessionId, this.#options);
    const added = isAddedTo ? await this.#addedContext(job, facts, signal) : [];
    const opening: UserMessageRequest["opening"] = {
      systemEvents: [
        ...added.map(({ owner, text }) => ({ timestampMs: nowMs, text: `From the ${owner}: ${text}` })),
        ...(prompt === undefined || prompt.isNew || facts === undefined || !opens
          ? []
          : await sourceEvents({ ...request, facts }, prompt, context, { running: this.#options.running, cache: this.#options.cache })),
        ...notes.map(({ timestampMs, text }) => ({ timestampMs, text })),
        ...request.events.map(describeEvent),
        ...this.#speechHint(admission.kind, context, nowMs),
      ],
      truncations: opens && facts?.workspace === context.agent.config.workspace ? (prompt?.truncations ?? []) : [],
      ...withoutUndefined({ sessionHint: hint }),
      dailyNotes: daily.notes,
      ...(prompt === undefined ? {} : responseFormat(prompt, context)),
    };
    const areEventsTainted = await this.#isAnyTainted(request.events);
    const shown = {
      joined: false,
      isReset,
      showsGroup,
      opening,
      isOpeningTainted:
        daily.untrusted || areEventsTainted || added.some(({ trusted }) => !trusted) || notes.some(({ tainted }) => tainted === true),
    };
    const session = { sessionId: context.sessionId, sessionKey: request.sessionKey };
    return this.#render(
      job,
      { facts, session, nowMs, signal, hasMessageTool: hasMessageTool(prompt?.record.tools ?? []), opensFiles: opens, ...shown },
      context,
    );
  }

  /** Renders a job's messages for an active turn. */
  async join(
    job: InputJob,
    request: { readonly facts: RunFacts; readonly tools: readonly { readonly name: string }[]; readonly signal: AbortSignal },
    context: Pick<SessionContext, "agent" | "model" | "fallbacks">,
  ): Promise<readonly UserMessage[]> {
    const { facts, tools, signal } = request;
    const session = { sessionId: facts.sessionId, sessionKey: facts.sessionKey };
    const can = { hasMessageTool: hasMessageTool(tools), opensFiles: opensFiles(tools, facts) };
    const plain = { facts, session, signal, nowMs: this.#options.clock.now(), ...can };
    return this.#render(await withFetchedContext(job, this.#options, { signal }), { ...plain, ...NO_OPENING }, context);
  }

  /** What the handlers of `before_prompt_build` add before the messages. */
  async #addedContext(job: InputJob, { agentId, sessionKey, owner }: RunFacts, signal: AbortSignal): Promise<readonly AddedContext[]> {
    return this.#options.hooks.beforePromptBuild(
      { agentId, sessionKey, owner, texts: inputsOf(job).map(({ message }) => message.text) },
      signal,
    );
  }

  /** How to have an answer spoken, where the model chooses. */
  #speechHint(kind: RunKind, { record, channel }: SessionFacts, nowMs: number): readonly SystemEvent[] {
    const { auto, provider } = this.#options.running.config.messages.tts;
    if (provider === undefined || (record?.overrides.tts ?? auto) !== "tagged") return [];
    if (!RUN_POLICY[kind].isFromPerson || channel?.capabilities.addressing !== "platform") return [];
    return [{ timestampMs: nowMs, text: SPEECH_HINT }];
  }

  /** True if the conversation was started by a person's `/new` and has no other message. */
  async #followsReset(sessionId: string): Promise<boolean> {
    const { store, running } = this.#options;
    const { items } = await store.readTranscript(sessionId, { limit: RESET_LOOK_BACK });
    const { resetTriggers } = running.config.session;
    return items.some((entry) => entry.type === "ui-message" && parseReset(entry.text.trim(), resetTriggers) !== undefined);
  }

  async #isAnyTainted(inputs: readonly InputRecord[]): Promise<boolean> {
    const { ownerAllowFrom } = this.#options.running.config.commands;
    for (const { message, admission } of inputs) {
      if (isTainted(message, { admission, overheard: [], ownerAllowFrom })) return true;
      if (await refersToTainted(message, this.#options)) return true;
    }
    return false;
  }

  async #render(job: InputJob, request: Omit<UserMessageRequest, "said">, context: MessageContext): Promise<readonly UserMessage[]> {
    const overflow = job.overflow;
    const listed = overflowInput(overflow);
    const all = [...(listed === undefined ? [] : [listed]), ...job.messages];
    const messages: UserMessage[] = [];
    const { facts, signal } = request;
    const place = { agent: context.agent, provider: context.model?.client.info.provider, facts, signal };
    for (const [index, asked] of all.entries()) {
      const said = await withFilledPrompt(asked, place);
      messages.push(await renderUserMessage({ ...request, ...(index === 0 ? {} : NO_OPENING), said }, context, this.#options));
    }
    const isMarked = await this.#isAnyTainted(overflow);
    return isMarked ? messages.map((message, index) => (index === 0 ? { ...message, tainted: true } : message)) : messages;
  }
}

/** How the turn's channel shows text, if the session's prompt was rendered for another channel. */
function responseFormat(prompt: ResolvedPrompt, { channel }: SessionFacts): Pick<MessageFactsContext, "format"> {
  const promptChannel = parseBasis(prompt.record.basis)?.channel;
  // A prompt of an older version does not record its channel.
  if (channel === undefined || promptChannel === undefined) return {};
  const { dialect, markdown, maxLength } = channel.capabilities.text;
  return {
    format: { responseFormat: { dialect, markdown, maxMessageChars: maxLength }, ...(promptChannel === "" ? {} : { promptChannel }) },
  };
}

/** Combines overflow messages of one conversation into one that lists them. */
function overflowInput(inputs: readonly InputRecord[]): GatheredMessage | undefined {
  const newest = inputs.at(-1);
  if (newest === undefined) return undefined;
  const { replyTo: _quote, forwarded: _forwarded, thread: _thread, untrusted: _notes, ...message } = newest.message;
  const lines = inputs.map((input) => `- ${lineOf(input)}`);
  const text = ["More messages came in while you were busy than can be queued. The oldest of them, shortened:", ...lines].join("\n");
  return { input: { ...newest, message: { ...message, text, attachments: [] } }, overheard: [] };
}

function lineOf({ message: { text, sender, origin, attachments } }: InputRecord): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  const cut = flat.length <= MAX_LINE_CHARS ? flat : `${flat.slice(0, MAX_LINE_CHARS).toWellFormed()}…`;
  const who = origin.conversation.kind === "direct" ? "" : `${sender.name ?? sender.id}: `;
  const count = attachments.length;
  return `${who}${cut}${count === 0 ? "" : ` (${count} ${count === 1 ? "attachment" : "attachments"} left out)`}`;
}

function hasMessageTool(tools: readonly { readonly name: string }[]): boolean {
  return tools.some(({ name }) => name === "message");
}
