import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Random, SubagentChange, SubagentLog, SubagentView } from "@factotum/agent-contract";
import { isOpenSpawn } from "@factotum/store";
import type { InputRecord, SpawnRecord, Store } from "@factotum/store";
import { namedSpawns } from "./named-spawns.ts";
import type { BroughtEnd } from "./plan-end.ts";
import type { SpawnBook } from "./spawn-book.ts";
import type { SpawnEnds } from "./spawn-ends.ts";
import { steeringInput } from "./steering-input.ts";
import { OWNERS, steeringRefusal, type SteeringWords } from "./steering-refusal.ts";
import { readLog } from "./subagent-log.ts";
import type { SubagentRuntime } from "./subagent-runtime.ts";
import { usedBy } from "./subagent-usage.ts";

/** For models and for people. */
const NOT_FOUND = "This session has no such sub-agent. The list of its sub-agents shows what they are called.";

/** What control uses. */
export interface SubagentControlParts {
  readonly store: Pick<Store, "acceptInput" | "readSession" | "readTranscript">;
  readonly book: SpawnBook;
  readonly ends: Pick<SpawnEnds, "bring">;
  readonly runtime: () => Pick<SubagentRuntime, "isBusy" | "requeue">;
  /** Called when a message to a sub-agent is stored, before it is queued. */
  readonly onTold: (spawn: SpawnRecord, input: InputRecord) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** Lists, reads, steers and ends the sub-agents of a session, as models and people name them. */
export class SubagentControl {
  readonly #parts: SubagentControlParts;

  constructor(parts: SubagentControlParts) {
    this.#parts = parts;
  }

  /** Newest first. */
  async list(sessionKey: string): Promise<readonly SubagentView[]> {
    return Promise.all(this.#parts.book.ofParent(sessionKey).map(async (spawn) => this.#view(spawn)));
  }

  /** Ends one, or all. What does not come from the owner ends none of the owner's. */
  async kill(sessionKey: string, named: string, end: BroughtEnd, { owner }: { readonly owner: boolean }): Promise<SubagentChange> {
    const { book, ends } = this.#parts;
    const chosen = named === "all" ? book.openOf(sessionKey) : this.#find(sessionKey, named);
    if (typeof chosen === "string") return { type: "refused", message: chosen };
    const found = chosen.filter(isOpenSpawn);
    if (found.length === 0) return { type: "refused", message: "Every sub-agent that this could name has already ended." };
    const open = found.filter(({ child }) => owner || !child.owner);
    if (open.length === 0) return { type: "refused", message: OWNERS };
    await Promise.all(open.map(async ({ id }) => ends.bring(id, end)));
    const views = await Promise.all(open.map(async (spawn) => this.#view(book.get(spawn.id) ?? spawn)));
    return { type: "done", views };
  }

  /** Tells one something: during its run, or before it begins. */
  async steer(sessionKey: string, named: string, words: SteeringWords): Promise<SubagentChange> {
    const found = this.#find(sessionKey, named);
    if (typeof found === "string") return { type: "refused", message: found };
    const [spawn] = found;
    if (spawn === undefined || !isOpenSpawn(spawn))
      return { type: "refused", message: "It has ended. Start another sub-agent with what is left." };
    const refusal = await steeringRefusal(spawn, words, this.#parts);
    if (refusal !== undefined) return { type: "refused", message: refusal };
    const { text, tainted, key } = words;
    const { book, store, runtime, onTold, random, clock } = this.#parts;
    const eventId = `subagent-said:${key ?? random.uuid()}`;
    const { message, admission } = steeringInput(spawn, { text, tainted, eventId, nowMs: clock.now() });
    const { type, input } = await store.acceptInput(message, { admission, receivedAtMs: clock.now() });
    if (type === "accepted") {
      onTold(spawn, input);
      await runtime().requeue(input);
    }
    return { type: "done", views: [await this.#view(book.get(spawn.id) ?? spawn)] };
  }

  /** The newest messages of one. */
  async log(sessionKey: string, named: string): Promise<SubagentLog> {
    const found = this.#find(sessionKey, named);
    if (typeof found === "string") return { type: "refused", message: found };
    const [spawn] = found;
    if (spawn === undefined) return { type: "refused", message: NOT_FOUND };
    return { type: "log", view: await this.#view(spawn), ...(await readLog(spawn, this.#parts.store)) };
  }

  /** A text says why no single one was found. */
  #find(sessionKey: string, named: string): readonly SpawnRecord[] | string {
    const matches = namedSpawns(named, this.#parts.book.ofParent(sessionKey));
    if (matches.length === 0) return NOT_FOUND;
    return matches.length === 1 ? matches : `Several sub-agents are called ${JSON.stringify(named)}. Name one by its run id.`;
  }

  async #view(spawn: SpawnRecord): Promise<SubagentView> {
    const { store, clock, runtime } = this.#parts;
    const usage = usedBy(await store.readSession(spawn.childKey));
    const { id: runId, childKey: sessionKey, agentId, label, task, reason, createdAtMs, endedAtMs = clock.now() } = spawn;
    // A person or another session may speak with it.
    const state = spawn.state === "idle" && runtime().isBusy(sessionKey) ? "running" : spawn.state;
    const durationMs = Math.max(0, endedAtMs - createdAtMs);
    const costUsd = usage?.costUsd;
    return {
      runId,
      sessionKey,
      agentId,
      task,
      state,
      durationMs,
      tokens: usage?.total ?? 0,
      ...withoutUndefined({ label, reason, costUsd }),
    };
  }
}
