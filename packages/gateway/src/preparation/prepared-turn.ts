import { withoutUndefined } from "@factotum/agent-contract";
import type {
  AgentMessage,
  AgentTool,
  Clock,
  Random,
  RunFacts,
  RunKind,
  SystemPrompt,
  ToolSchema,
  ToolSource,
  UserMessage,
} from "@factotum/agent-contract";
import type { InputRecord, NewTurn, PromptRecord, SessionRecord, TranscriptBody, TranscriptEntry, TurnRecord } from "@factotum/store";
import { beginsTurn, TOOL_CALL } from "@factotum/agent-core";
import type { HistoryView, HistoryViewOptions, ModelSettings } from "@factotum/agent-core";
import type { Origin } from "@factotum/channel-contract";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import type { RequestRecorderOptions } from "../requests/request-recorder.ts";
import type { CompactionOutcome } from "../compaction/compaction-outcome.ts";
import { parseBasis } from "../prompt/prompt-cause.ts";
import { withdrawnText } from "../conversation/current-authorization.ts";
import type { ResolvedPrompt } from "../prompt/prompt-resolver.ts";
import { isPrivateTurn, type SessionContext, type SessionFacts } from "../conversation/session-context.ts";
import { inputsOf, leadInput } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { sessionName } from "../conversation/session-name.ts";
import { isSubagentKey } from "../routing/session-key.ts";

/** A turn that is ready to run. */
export interface PreparedTurn {
  readonly turn: TurnRecord;
  readonly facts: RunFacts;
  readonly agent: AgentRuntime;
  readonly model: ResolvedModel;
  readonly fallbacks: readonly ResolvedModel[];
  readonly beginning: TurnBeginning;
  readonly request: TurnRequest;
  readonly display: TurnDisplay;
  /** The inputs that it answers. */
  readonly inputs: readonly InputRecord[];
  /** True if its history contains text of others than the owner (R23). */
  readonly tainted: boolean;
  /** The compaction that ran before its first request. */
  readonly compacted: CompactionOutcome;
  /** Recorded with its model requests. */
  readonly kept: Pick<RequestRecorderOptions, "promptHash" | "view" | "causes" | "sentBefore"> & { readonly lastEntryId: string };
}

/** The state of a turn when this process starts it. */
type TurnBeginning =
  | {
      readonly type: "new";
      /** Resolves once the turn is committed; rejects if the commit failed. Its first request may be sent before; nothing is shown or executed before. */
      readonly committed: Promise<void>;
      /** Entries of the first commit, for watchers. */
      readonly entries: readonly TranscriptEntry[];
      /** Its newest message; the others are in the history. Absent if it begins with results of a client's calls alone. */
      readonly prompt: UserMessage | undefined;
    }
  | {
      readonly type: "resumed";
      /** All messages of the turn so far; the history may contain fewer. */
      readonly own: readonly AgentMessage[];
    };

/** Common parameters of all model requests of a turn. */
interface TurnRequest {
  readonly system: SystemPrompt;
  readonly tools: readonly AgentTool[];
  /** Tools that the model calls through `tool_call`. */
  readonly deferred: readonly AgentTool[];
  /** Tools of the client that waits for the answer, after the others. */
  readonly clientTools: readonly ToolSchema[];
  readonly settings: ModelSettings;
  /** Messages committed before the prompt. */
  readonly history: readonly AgentMessage[];
}

/** What a turn shows besides its answer. */
interface TurnDisplay {
  /** Where the model's thoughts are shown. */
  readonly reasoning: SessionContext["reasoning"];
  /** How much of tool calls the chat is shown. */
  readonly verbose: SessionContext["verbose"];
  /** The thinking level was requested in the message itself, for this turn alone. */
  readonly isThinkingAsked: boolean;
  /** The message itself requests the model's thoughts. */
  readonly areThoughtsAsked: boolean;
}

/** Properties of a job's turn that are decided before its messages are rendered. */
export interface TurnIdentity {
  readonly id: string;
  readonly kind: RunKind;
  readonly owner: boolean;
  readonly sessionKey: string;
  readonly sessionId: string;
  readonly isPrivate: boolean;
  readonly nowMs: number;
  /** Events of the platform that its messages show. */
  readonly events: readonly InputRecord[];
}

/** Creates the identity of a job's turn, as of now. `events`: the platform's events that the turn shows in addition to its messages. */
export function identifyTurn(
  job: InputJob,
  sessionKey: string,
  context: SessionFacts,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  events: readonly InputRecord[] = [],
): TurnIdentity {
  const { kind, owner } = leadInput(job).admission;
  const { sessionId } = context;
  const isPrivate = isPrivateTurn(context, owner) && areOwners(events);
  return { id: random.uuid(), kind, owner, sessionKey, sessionId, isPrivate, nowMs: clock.now(), events };
}

/** Input of a turn's first commit. */
export interface FirstCommit extends Pick<NewTurn, "prompt"> {
  /** Older turns that were re-rendered for this one. */
  readonly replacement?: TranscriptBody | undefined;
  /** The job's messages come last. */
  readonly messages: readonly AgentMessage[];
}

/** Builds the first commit of a job's turn. Pure. */
export function createNewTurn(job: InputJob, run: TurnIdentity, first: FirstCommit, context: SessionFacts): NewTurn {
  const lead = leadInput(job);
  const { message, admission } = lead;
  const { id, kind, owner, sessionKey, sessionId, isPrivate, nowMs, events } = run;
  const { replacement, messages, prompt } = first;
  const isPlatform = context.channel?.capabilities.addressing === "platform";
  const displayName = newSessionName(lead, isPlatform);
  return {
    id,
    ...withoutUndefined({ prompt }),
    session: {
      key: sessionKey,
      sessionId,
      agentId: job.agentId,
      isPrivate,
      displayName,
      ...withoutUndefined({
        workspace: context.workspace,
        expiresAtMs: admission.expiresAtMs,
        spawnedBy: admission.spawn?.parentKey ?? (admission.expiresAtMs === undefined ? undefined : admission.madeBy?.sessionKey),
      }),
    },
    touch: {
      ...touchOf(lead, { nowMs, record: context.record }),
      ...(areOwners(events) ? {} : { endsPrivacy: true }),
      ...(!isPlatform && displayName !== "" && isFirstAsked(lead, context) ? { displayName } : {}),
    },
    kind,
    origin: message.origin,
    owner,
    inputIds: inputsOf(job).map(({ id }) => id),
    ...(events.length === 0 ? {} : { shownEventIds: events.map(({ id }) => id) }),
    ...repliedTo(job.messages.at(-1)?.input ?? lead),
    entries: [
      ...(replacement === undefined ? [] : [replacement]),
      ...messages.map((entry) => ({ type: "message" as const, message: entry })),
    ],
    startedAtMs: nowMs,
  };
}

/** The session of a task is named after it: its first message is written by the gateway, in English. */
function newSessionName({ message, admission: { kind, spawn, job, expiresAtMs } }: InputRecord, isPlatform: boolean): string {
  if (spawn !== undefined) return job?.name ?? "";
  const isOfTask = (kind === "cron" || kind === "hook") && (!isPlatform || expiresAtMs !== undefined);
  return (isOfTask ? job?.name : undefined) ?? sessionName(message, isPlatform);
}

/** The platform's message that the answer replies to; none if the input is not one. */
function repliedTo({ message, admission }: InputRecord): Pick<NewTurn, "replyTo"> {
  if (RUN_POLICY[admission.kind].isFromPerson) return { replyTo: message.messageId };
  return withoutUndefined({ replyTo: admission.replyTo });
}

/** True if all events are the owner's. */
function areOwners(events: readonly InputRecord[]): boolean {
  return events.every(({ admission }) => admission.owner);
}

/** True if no question was asked in the conversation yet: its name is that of a command, an import, or the previous conversation. */
function isFirstAsked({ admission }: InputRecord, { record }: SessionFacts): boolean {
  return record !== undefined && RUN_POLICY[admission.kind].isFromPerson && (record.usage.calls === 0 || record.displayName === record.key);
}

/** Turns that no person has started do not refresh their session's idle timer; their origin is no address for later messages, unless there is no other one. */
function touchOf(
  { message, admission }: InputRecord,
  { nowMs, record }: { readonly nowMs: number; readonly record: SessionRecord | undefined },
): NewTurn["touch"] {
  const { isFromPerson, isAttended } = RUN_POLICY[admission.kind];
  return {
    ...(isFromPerson ? { interactedAtMs: nowMs } : {}),
    ...(isFromPerson || (isAttended && record?.lastOrigin === undefined) ? { lastOrigin: message.origin } : {}),
    ...(admission.owner ? {} : { endsPrivacy: true }),
  };
}

/** Assembles a prepared turn from its session, its prompt and the directives of its messages. */
export function assemblePrepared(
  turn: TurnRecord,
  context: SessionContext,
  prompt: Omit<PromptRecord, "sessionId">,
  run: {
    readonly inputs: readonly InputRecord[];
    readonly history: readonly AgentMessage[];
    readonly directives?: InputJob["directives"];
    /** Tools that an editor brings to the session. */
    readonly added?: readonly ToolSource[] | undefined;
  },
): Pick<PreparedTurn, "turn" | "agent" | "model" | "fallbacks" | "inputs" | "request" | "display"> {
  const { agent, model, fallbacks } = context;
  const { inputs, history, directives = {} } = run;
  const thinking = directives.thinking ?? context.thinking;
  const reasoning = directives.reasoning ?? context.reasoning;
  const showsThoughts = reasoning !== "off" || inputs.some(({ admission }) => admission.showThoughts === true);
  // The prompt lists what the session has; each call is checked again.
  const { offered, deferred } = agent.toolSet({
    model: model.client.info,
    fallbacks,
    group: context.group,
    sandboxed: false,
    subagent: isSubagentKey(turn.sessionKey),
    // They are there for the owner's own turns.
    added: turn.owner && turn.kind === "user" ? run.added : undefined,
  });
  const available = new Map([...deferred, ...offered].map((tool) => [tool.name, tool]));
  // The prompt may list tools of a client that is gone: their calls are answered like those of a removed tool.
  const clientNames = new Set(inputs.flatMap(({ admission }) => admission.clientTools ?? []).map(({ name }) => name));
  const isClients = ({ name }: ToolSchema): boolean => clientNames.has(name) && !available.has(name);
  const { cacheKey = turn.sessionId, deferredTools = [] } = parseBasis(prompt.basis) ?? {};
  const isListed = (name: string): boolean => prompt.tools.some((tool) => tool.name === name);
  return {
    turn,
    agent,
    model,
    fallbacks,
    inputs,
    request: {
      system: prompt.system,
      clientTools: prompt.tools.filter(isClients),
      tools: prompt.tools
        .filter((schema) => !isClients(schema))
        .map((schema) => ({ ...(available.get(schema.name) ?? withdrawn(schema.name)), ...schema })),
      // A prompt that was taken over may defer what its session would have in the request.
      deferred: isListed(TOOL_CALL)
        ? [...deferred, ...offered.filter(({ name }) => deferredTools.includes(name))].filter(({ name }) => !isListed(name))
        : [],
      settings: {
        cacheKey,
        cacheRetention: agent.cacheRetention(model.reference),
        ...withoutUndefined({ thinking }),
        ...(showsThoughts ? { showThoughts: true } : {}),
      },
      history,
    },
    display: {
      reasoning,
      verbose: directives.verbose ?? context.verbose,
      isThinkingAsked: directives.thinking !== undefined,
      areThoughtsAsked: directives.reasoning !== undefined && directives.reasoning !== "off",
    },
  };
}

/** All messages of the turn from before this process started it. */
export function ownMessages({ beginning }: Pick<PreparedTurn, "beginning">): readonly AgentMessage[] {
  return beginning.type === "resumed" ? beginning.own : [];
}

/** The limit that the turn's message keeps for its answer. */
export function ackMaxCharsOf({ beginning, request }: Pick<PreparedTurn, "beginning" | "request">): number | undefined {
  const opening = beginning.type === "new" ? beginning.prompt : request.history.findLast(beginsTurn);
  return opening?.role === "user" ? opening.parts?.ackMaxChars : undefined;
}

/** What is recorded with the requests of a turn, apart from the number sent before. */
export function keptFacts(
  prompt: ResolvedPrompt,
  { historyLimit, ...view }: HistoryViewOptions,
  { breaks }: HistoryView,
): Pick<PreparedTurn["kept"], "promptHash" | "view" | "causes"> {
  return {
    promptHash: prompt.record.hash,
    view: { ...view, ...withoutUndefined({ historyLimit }) },
    causes: [...(prompt.isNew ? [prompt.record.cause] : []), ...breaks],
  };
}

/** How the turn's history is shown to its model. */
export function viewOptions(prompt: ResolvedPrompt, origin: Origin, context: SessionContext): HistoryViewOptions {
  const limits = context.channel?.account?.historyLimit;
  const { kind, threadId } = origin.conversation;
  return {
    settledBeforeMs: parseBasis(prompt.record.basis)?.settledBeforeMs ?? 0,
    contextWindow: context.model.client.info.contextWindow,
    prunes: context.agent.config.contextPruning.mode === "cache-ttl",
    historyLimit: threadId !== undefined ? limits?.thread : kind === "direct" ? limits?.direct : limits?.group,
  };
}

/** The tools block is fixed for the session: a tool that was removed since answers with an error. */
function withdrawn(name: string): AgentTool {
  return {
    name,
    summary: "",
    description: "",
    parameters: {},
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    execute: async () => ({
      content: [{ type: "text", text: withdrawnText(name) }],
      isError: true,
    }),
  };
}
