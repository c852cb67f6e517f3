import { access, constants } from "node:fs/promises";
import type { AgentTool, RunFacts, RunKind, ToolCall, Clock, Random } from "@factotum/agent-contract";
import { renderEffectivePrompt } from "@factotum/agent-core";
import type { ToolDecision } from "@factotum/agent-core";
import type { Origin } from "@factotum/channel-contract";
import type { TranscriptEntry, TurnRecord, TurnStore } from "@factotum/store";
import type { LocalFiles } from "../media/local-files.ts";
import { sessionPlace } from "../conversation/session-context.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { MAX_NOTES_BYTES, notesPath } from "../messages/notes-file.ts";
import { isSubagentKey } from "../routing/session-key.ts";

/** Runs the silent turn in which the agent writes its notes. Resolves with any outcome; rejects only if the store does. */
export type FlushMemory = (context: SessionContext, options: { readonly signal: AbortSignal }) => Promise<void>;

/** The inputs of the decision about notes. */
export interface FlushQuery {
  /** The run that triggered the compaction; `undefined`: a person requested the summary. */
  readonly kind: RunKind | undefined;
  readonly compactedAtMs: number | undefined;
}

/**
 * True if the agent should write its notes before the conversation is summarised: once per summary, in private sessions that work in the agent's own workspace,
 * if its files and the tools can be written.
 */
export async function mayFlushMemory(
  { kind, compactedAtMs }: FlushQuery,
  context: SessionContext,
  { agents }: Pick<RunningConfig, "agents">,
): Promise<boolean> {
  const { record, agent, model, fallbacks, group, isGroup } = context;
  if (record === undefined || !record.isPrivate || isGroup || !agent.config.compaction.memoryFlush) return false;
  if (kind !== undefined && !RUN_POLICY[kind].flushesMemory) return false;
  if (record.memoryFlushAtMs !== undefined && (compactedAtMs === undefined || record.memoryFlushAtMs > compactedAtMs)) return false;
  const subagent = isSubagentKey(record.key);
  if (!agent.tools({ model: model.client.info, fallbacks, group, sandboxed: false, subagent }).some(({ name }) => WRITERS.has(name)))
    return false;
  const { folder, sandbox } = await agents.placeFor(agent, { owner: true, sessionKey: record.key, ...sessionPlace(context) });
  return folder === agent.config.workspace && sandbox?.workspaceAccess !== "ro" && isWritable(folder);
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}

/** Starts the memory flush. The same commit records it in the session, so that it runs once, despite crashes. */
export async function beginMemoryFlush(
  context: SessionContext,
  origin: Origin,
  { store, clock, random }: { readonly store: TurnStore; readonly clock: Clock; readonly random: Random },
): Promise<{ readonly turn: TurnRecord; readonly entries: readonly TranscriptEntry[] }> {
  const { record, agent } = context;
  if (record === undefined) throw new Error("a session that has not begun has nothing to note");
  const startedAtMs = clock.now();
  const { text, parts } = renderEffectivePrompt(
    {
      delimiter: Buffer.from(random.bytes(6)).toString("hex"),
      run: "memory",
      nowMs: startedAtMs,
      timeZone: agent.config.userTimezone,
      trusted: {},
      systemEvents: [],
      body: { type: "memory-flush", notesPath: notesPath(context, startedAtMs) },
      untrustedNotes: [],
    },
    agent.time,
  );
  return store.startTurn({
    id: random.uuid(),
    session: record,
    touch: { memoryFlushAtMs: startedAtMs },
    kind: "memory",
    origin,
    owner: true,
    inputIds: [],
    entries: [{ type: "message", message: { role: "user", content: [{ type: "text", text }], parts, timestamp: startedAtMs } }],
    startedAtMs,
  });
}

/** Tools that can append to a file, with the arguments that they take. */
const WRITERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["write", new Set(["path", "content"])],
  ["edit", new Set(["path", "edits"])],
]);

/** The inputs of the decision about a flush's calls. */
export interface FlushBounds {
  readonly notesPath: string;
  readonly run: RunFacts;
  readonly files: LocalFiles;
}

/** During a flush the model may only read, and append to today's notes; whatever its instructions, no note can be lost (R9). */
export async function checkFlushCall(call: ToolCall, tool: AgentTool, bounds: FlushBounds): Promise<ToolDecision> {
  const { effect, network } = tool.traits;
  if (effect === "read" && !network) return { type: "allow" };
  const known = WRITERS.get(call.name);
  const isNotes = known !== undefined && Object.keys(call.arguments).every((name) => known.has(name)) && pathOf(call) === bounds.notesPath;
  if (isNotes && (await onlyAdds(call, bounds))) return { type: "allow" };
  return {
    type: "refuse",
    message: `Only reading, and adding to ${bounds.notesPath}, is allowed in this turn. Keep what stands there: give edit the old text with the new behind it, or write the old content and the new.`,
  };
}

function pathOf({ arguments: { path } }: ToolCall): string | undefined {
  return typeof path === "string" ? path.replace(/^(?:\.\/)+/, "") : undefined;
}

async function onlyAdds({ name, arguments: args }: ToolCall, { notesPath: path, run, files }: FlushBounds): Promise<boolean> {
  if (name === "edit") return Array.isArray(args["edits"]) && args["edits"].every(isAddition);
  const file = await files.read(path, { run, maxBytes: MAX_NOTES_BYTES });
  if (file.type === "refused") return file.reason === "not-found";
  const { content } = args;
  return typeof content === "string" && content.startsWith(new TextDecoder().decode(file.bytes).trimEnd());
}

function isAddition(edit: unknown): boolean {
  const { oldText, newText } = edit as { readonly oldText?: unknown; readonly newText?: unknown };
  return typeof oldText === "string" && typeof newText === "string" && newText.includes(oldText);
}
