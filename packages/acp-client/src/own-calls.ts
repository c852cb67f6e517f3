import { EXTERNAL_CALL } from "@factotum/agent-contract";
import type { JsonObject, PlanStep, ToolCall } from "@factotum/agent-contract";
import { cut, listOf, objectOf, titleOf } from "./parse-update.ts";
import type { OwnCallItem } from "./prompt-queue.ts";

/** Characters of a call's arguments as JSON: those that clients of the gateway get whole. */
const MAX_ARGUMENT_CHARS = 4_000;
const MAX_INPUT_CHARS = 1_000;
const MAX_OUTPUT_CHARS = 8_000;
const MAX_LOCATIONS = 20;
const MAX_PATH_CHARS = 500;
const MAX_PLAN_STEPS = 24;
/** Tried one after the other, until a plan fits. */
const STEP_CHARS = [120, 60, 30] as const;
/** Calls that run at the same time; the oldest is not followed any longer then. */
const MAX_OPEN = 64;
/** Ids of ended calls that are known, so that later words about them begin no calls. */
const MAX_ENDED = 1_000;

const KINDS = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"];
const STATUSES = ["pending", "in_progress", "completed"] as const;

/** What an agent has said about a call so far. */
interface Known {
  readonly id: string;
  readonly said: Readonly<Record<string, unknown>>;
  readonly argumentsText: string;
  readonly output: string;
}

/** What the calls need to know of their conversation. */
export interface OwnCallsOptions {
  /** Name of the agent in the configuration. */
  readonly agent: string;
  /** An id that is unique in the session of the gateway. */
  readonly nextId: () => string;
  readonly hideSecrets: (text: string) => string;
}

/** What an agent does with tools of its own, and its plans, as calls for people. Nothing of it is decided or run here. */
export class OwnCalls {
  readonly #options: OwnCallsOptions;
  /** By the agent's ids, the oldest first. */
  readonly #open = new Map<string, Known>();
  readonly #ended = new Set<string>();
  #planText = "";

  constructor(options: OwnCallsOptions) {
    this.#options = options;
  }

  /** Takes what the agent says about a call (`tool_call`, `tool_call_update`). Returns what is new of it, and of one that it displaces. */
  take(update: Readonly<Record<string, unknown>>): readonly OwnCallItem[] {
    const { toolCallId } = update;
    if (typeof toolCallId !== "string") return [];
    const isBeginning = update["sessionUpdate"] === "tool_call";
    if (isBeginning) this.#ended.delete(toolCallId);
    if (this.#ended.has(toolCallId)) return [];
    const displaced = this.#open.has(toolCallId) || this.#open.size < MAX_OPEN ? [] : this.#endOldest();
    const before = this.#open.get(toolCallId);
    const said = { ...before?.said, ...withoutNull(update) };
    const known: Known = { id: before?.id ?? this.#options.nextId(), said, ...this.#describe(said) };
    this.#open.set(toolCallId, known);
    const added = known.output.startsWith(before?.output ?? "") ? known.output.slice(before?.output.length ?? 0) : `\n${known.output}`;
    const isChanged = known.argumentsText !== before?.argumentsText;
    const { status } = said;
    const hasEnded = status === "completed" || status === "failed";
    if (!hasEnded && !isChanged && added === "") return displaced;
    const item = { type: "own-call", call: callOf(known), isChanged, added } as const;
    if (!hasEnded) return [...displaced, item];
    this.#close(toolCallId);
    return [...displaced, { ...item, end: { text: known.output, isError: status === "failed" } }];
  }

  /** Takes a plan, which replaces the one before; nothing is new of an equal one. */
  takePlan(entries: unknown): readonly OwnCallItem[] {
    const steps = planSteps(listOf(entries), this.#options.hideSecrets);
    const text = JSON.stringify(steps);
    if (steps.length === 0 || text === this.#planText) return [];
    this.#planText = text;
    const call = { id: this.#options.nextId(), name: "update_plan", arguments: { plan: steps as unknown as JsonObject[] } };
    return [{ type: "own-call", call, isChanged: true, added: "", end: { text: "The plan is shown.", isError: false } }];
  }

  /** The prompt is over: calls of which the agent has not said how they ended. */
  endAll(): readonly OwnCallItem[] {
    this.#planText = "";
    return [...this.#open.keys()].flatMap(() => this.#endOldest());
  }

  /** Forgets the calls of a prompt that was cancelled. */
  clear(): void {
    this.#planText = "";
    this.#open.clear();
  }

  #endOldest(): readonly OwnCallItem[] {
    const [oldest] = this.#open;
    if (oldest === undefined) return [];
    const [toolCallId, known] = oldest;
    this.#close(toolCallId);
    const text = [known.output, "The agent did not say how this ended."].filter((part) => part !== "").join("\n");
    return [{ type: "own-call", call: callOf(known), isChanged: false, added: "", end: { text, isError: true } }];
  }

  #close(toolCallId: string): void {
    this.#open.delete(toolCallId);
    this.#ended.add(toolCallId);
    const [oldest] = this.#ended;
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
  }

  #describe(said: Known["said"]): Pick<Known, "argumentsText" | "output"> {
    const { agent, hideSecrets } = this.#options;
    const { kind, locations, content, rawInput, rawOutput } = said;
    const places = listOf(locations).flatMap(({ path, line }) =>
      typeof path === "string" && path.length <= MAX_PATH_CHARS ? [{ path, ...(Number.isSafeInteger(line) ? { line } : {}) }] : [],
    );
    const edits = editsOf(content);
    const base = {
      title: titleOf(said),
      agent,
      ...(typeof kind === "string" && KINDS.includes(kind) ? { kind } : {}),
      ...(places.length === 0 ? {} : { locations: places.slice(0, MAX_LOCATIONS) }),
    };
    // The most telling parts that fit, each whole: a part of an edit would be another one.
    const input = JSON.stringify(rawInput) ?? "";
    const isInputShown = edits.length === 0 && input.length <= MAX_INPUT_CHARS && Object.keys(objectOf(rawInput)).length > 0;
    const whole = JSON.stringify({ ...base, ...(isInputShown ? { input: rawInput } : {}), ...(edits.length === 0 ? {} : { edits }) });
    const fits = whole.length <= MAX_ARGUMENT_CHARS;
    const shown = fits ? whole : JSON.stringify({ ...base, locations: base.locations?.slice(0, 1) });
    const output = [
      ...textsOf(content),
      ...(fits ? [] : edits.map(({ path, newText }) => `${path}:\n${newText}`)),
      ...(listOf(content).length > 0 ? [] : [rawText(rawOutput)]),
    ];
    const text = output.filter((part) => part !== "").join("\n");
    return { argumentsText: hideSecrets(shown.toWellFormed()), output: cut(hideSecrets(text), MAX_OUTPUT_CHARS) };
  }
}

function callOf({ id, argumentsText }: Known): ToolCall {
  return { id, name: EXTERNAL_CALL, arguments: JSON.parse(argumentsText) as JsonObject };
}

/** Absent and null parts of an update leave what was said before. */
function withoutNull(update: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null && value !== undefined));
}

function editsOf(content: unknown): readonly { readonly path: string; readonly oldText: string | null; readonly newText: string }[] {
  return listOf(content).flatMap(({ type, path, oldText, newText }) =>
    type === "diff" && typeof path === "string" && typeof newText === "string"
      ? [{ path, oldText: typeof oldText === "string" ? oldText : null, newText }]
      : [],
  );
}

function textsOf(content: unknown): readonly string[] {
  return listOf(content).flatMap(({ type, content: shown }) => {
    if (type !== "content") return [];
    const block = objectOf(shown);
    if (typeof block["text"] === "string") return [block["text"]];
    return typeof block["uri"] === "string" ? [block["uri"]] : ["[content without text]"];
  });
}

function rawText(output: unknown): string {
  if (output === undefined) return "";
  return typeof output === "string" ? output : (JSON.stringify(output, undefined, 2) ?? "");
}

/** The steps of a plan, as many and as long as clients get whole. */
function planSteps(entries: readonly ReturnType<typeof objectOf>[], hideSecrets: (text: string) => string): readonly PlanStep[] {
  const named = entries.flatMap(({ content, status }): PlanStep[] => {
    if (typeof content !== "string" || content.trim() === "") return [];
    return [{ step: hideSecrets(content.trim()), status: STATUSES.find((known) => known === status) ?? "pending" }];
  });
  const left = named.slice(MAX_PLAN_STEPS - 1);
  const rest: PlanStep = {
    step: `… and ${left.length} more`,
    status: left.every(({ status }) => status === "completed") ? "completed" : "pending",
  };
  const steps = left.length <= 1 ? named : [...named.slice(0, MAX_PLAN_STEPS - 1), rest];
  const cutTo = (chars: number): readonly PlanStep[] => steps.map(({ step, status }) => ({ step: cut(step, chars), status }));
  const fitting = STEP_CHARS.map(cutTo).find((plan) => JSON.stringify({ plan }).length <= MAX_ARGUMENT_CHARS);
  return fitting ?? [];
}
