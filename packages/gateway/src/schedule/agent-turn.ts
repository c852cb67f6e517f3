import { withoutUndefined } from "@factotum/agent-contract";
import { messageId } from "@factotum/channel-contract";
import type { MsgContext, Origin } from "@factotum/channel-contract";
import type { InboxStore, InputAdmission, InputSource, JobRecord, OccurrenceRecord } from "@factotum/store";
import { agentSessionKey } from "../routing/session-key.ts";
import { sessionOrigin } from "../routing/session-origin.ts";
import type { InputWatcher, InputWatchers } from "../queue/run-report.ts";
import { deliveryOf } from "./job-announcer.ts";
import { taskText } from "./job-text.ts";
import { endOfInput, endOfRun } from "../queue/run-end.ts";
import { attemptEvent, isolatedSession } from "./run-names.ts";
import type { RunEnd } from "../queue/run-end.ts";

/** The session of an isolated run is kept this long, for those who want to look at it. */
const SESSION_TTL_MS = 24 * 60 * 60_000;

/** Takes the input of a job's turn. Resolves once it is committed; the same event is accepted once. */
export interface TurnIntake {
  submit(message: MsgContext, admission: InputAdmission): Promise<{ readonly inputId: string }>;
}

/** What the turns of jobs use. */
export interface AgentTurnParts {
  readonly intake: TurnIntake;
  readonly store: Pick<InboxStore, "readInput">;
  readonly watchers: InputWatchers;
}

/** The session in which a job's runs work; an isolated run has one of its own. */
export function sessionOfRun(job: JobRecord, { slotMs }: Pick<OccurrenceRecord, "slotMs">, mainKey: string): string {
  return chosenSession(job, mainKey) ?? isolatedSession({ jobId: job.id, slotMs });
}

/** The session that all runs of a job work in; `undefined` if they are isolated. */
export function chosenSession({ agentId, spec }: Pick<JobRecord, "agentId" | "spec">, mainKey: string): string | undefined {
  const { session = "isolated" } = spec;
  if (session === "isolated") return undefined;
  return session === "main" ? agentSessionKey(agentId, mainKey) : session.key;
}

/** True for a job whose runs have sessions of their own. */
export function isIsolated({ spec }: Pick<JobRecord, "spec">): boolean {
  return spec.session === undefined || spec.session === "isolated";
}

/**
 * Runs one attempt of an `agentTurn` as an input of its session: the store accepts the input of an attempt once, so that a restart goes on with its turn (R1).
 * Resolves with its end; `undefined` if the signal fires first.
 */
export async function runAgentTurn(
  {
    job,
    occurrence,
    sessionKey,
    checkOutput,
  }: { readonly job: JobRecord; readonly occurrence: OccurrenceRecord; readonly sessionKey: string; readonly checkOutput: string },
  { intake, store, watchers }: AgentTurnParts,
  { nowMs, signal, onInput }: { readonly nowMs: number; readonly signal: AbortSignal; readonly onInput: (inputId: string) => void },
): Promise<RunEnd | undefined> {
  const { payload } = job.spec;
  if (payload.type !== "agentTurn") throw new Error("this job has no turn");
  const { inputId } = await intake.submit(
    messageOf(job, occurrence, {
      sessionKey,
      nowMs,
      text: job.system === undefined ? taskText(job, payload.message, checkOutput) : payload.message,
    }),
    admissionOf(job, { sessionKey, nowMs, tainted: checkOutput !== "" }),
  );
  onInput(inputId);
  const { promise, resolve } = Promise.withResolvers<RunEnd | undefined>();
  const watcher: InputWatcher = {
    onClaimed: () => undefined,
    onReport: (report) => resolve(endOfRun(report)),
    onAnswered: (text) => resolve({ state: "done", text }),
    onSettled: (reason) => resolve({ state: "failed", reason }),
  };
  using _watch = watchers.watch(inputId, watcher);
  // It may have ended before it was watched: in an earlier process, or while it was submitted.
  const ended = endOfInput((await store.readInput(inputId))?.state ?? { type: "ignored", reason: "its input is gone" });
  if (ended !== undefined) resolve(ended);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  if (signal.aborted) resolve(undefined);
  return await promise;
}

function messageOf(
  job: JobRecord,
  occurrence: OccurrenceRecord,
  { sessionKey, nowMs, text }: { readonly sessionKey: string; readonly nowMs: number; readonly text: string },
): MsgContext {
  return {
    origin: occurrence.origin ?? originOf(job, sessionKey),
    eventId: attemptEvent(job, occurrence),
    messageId: messageId(""),
    timestampMs: nowMs,
    event: { type: "message" },
    sender: job.authority.sender,
    text,
    // Groups answer only what is addressed to the assistant.
    mentionsBot: true,
    attachments: [],
  };
}

/** Where the answer is sent. One that is announced nowhere stays in the session of its run, which is no address of a platform. */
export function originOf(job: JobRecord, sessionKey: string): Origin {
  if (deliveryOf(job).type === "announce") return job.target ?? job.authority.origin;
  return sessionOrigin(sessionKey);
}

function admissionOf(
  { id, agentId, spec, authority, target, system, createdAtMs }: JobRecord,
  { sessionKey, nowMs, tainted }: { readonly sessionKey: string; readonly nowMs: number; readonly tainted: boolean },
): InputAdmission {
  const isOwn = isIsolated({ spec });
  const timeoutMs = spec.timeoutSeconds === undefined ? undefined : spec.timeoutSeconds * 1000;
  const isHere = target === undefined || system !== undefined;
  const announceIn =
    sessionKey !== authority.sessionKey && isHere && deliveryOf({ spec }).type === "announce" ? authority.sessionKey : undefined;
  return {
    owner: authority.owner,
    kind: system === "heartbeat" ? system : "cron",
    sessionKey,
    agentId,
    ownTurn: true,
    job: {
      id,
      name: spec.name,
      ...withoutUndefined({
        model: spec.model,
        thinking: spec.thinking,
        tools: spec.tools,
        timeoutMs,
        lightContext: spec.lightContext,
        announceIn,
      }),
    },
    ...(authority.isListedOwner === true ? { isListedOwner: true } : {}),
    ...(tainted ? { tainted: true } : {}),
    ...(isOwn ? { expiresAtMs: nowMs + SESSION_TTL_MS } : {}),
    ...(system === "heartbeat" ? {} : { madeBy: sourceOf({ authority, system, createdAtMs }) }),
  };
}

/** What a job's inputs come from. The gateway makes its own from the configuration, at no time that a person knows. */
export function sourceOf({
  authority,
  system,
  createdAtMs,
}: Pick<JobRecord, "authority" | "createdAtMs"> & { readonly system?: JobRecord["system"] | undefined }): InputSource {
  return { sessionKey: authority.sessionKey, ...(system === undefined ? { atMs: createdAtMs } : {}) };
}
