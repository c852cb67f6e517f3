import { withoutUndefined } from "@factotum/agent-contract";
import { isOpenSpawn, isWorkingSpawn } from "@factotum/store";
import type { SpawnRecord, TreeBudget } from "@factotum/store";

/**
 * The sub-agents as they are stored, in memory: decisions about them are made without waiting. Of one whose end was reported, only what lists show and what names
 * its exchange and its tree is kept.
 */
export class SpawnBook {
  readonly #spawns = new Map<string, SpawnRecord>();
  readonly #ofChild = new Map<string, string>();
  #changed: (spawn: SpawnRecord) => void = () => undefined;

  /** Calls back with every sub-agent that is put. One listener. */
  onChange(listener: (spawn: SpawnRecord) => void): void {
    this.#changed = listener;
  }

  put(spawn: SpawnRecord): void {
    this.#spawns.set(spawn.id, isOpenSpawn(spawn) || spawn.announcedAtMs === undefined ? spawn : listed(spawn));
    this.#ofChild.set(spawn.childKey, spawn.id);
    this.#changed(spawn);
  }

  get(id: string): SpawnRecord | undefined {
    return this.#spawns.get(id);
  }

  /** The sub-agent whose session this is. */
  ofChild(sessionKey: string): SpawnRecord | undefined {
    const id = this.#ofChild.get(sessionKey);
    return id === undefined ? undefined : this.#spawns.get(id);
  }

  /** The tree whose budget the upkeep of a session uses: that of the sub-agent whose session it is. */
  treeOf(sessionKey: string): TreeBudget | undefined {
    return this.ofChild(sessionKey)?.child.tree;
  }

  /** The sub-agents of a session, newest first. */
  ofParent(sessionKey: string): readonly SpawnRecord[] {
    return this.list()
      .filter(({ parentKey }) => parentKey === sessionKey)
      .toReversed();
  }

  /** Those of a session that have not ended. */
  openOf(sessionKey: string): readonly SpawnRecord[] {
    return this.ofParent(sessionKey).filter(isOpenSpawn);
  }

  /** Those of a session that have something to report. */
  workingOf(sessionKey: string): readonly SpawnRecord[] {
    return this.ofParent(sessionKey).filter(isWorkingSpawn);
  }

  /** The same of those that a sub-agent has started in its own runs. What others have asked for in its session is answered there, and holds up no report. */
  ownWorkOf(childKey: string): readonly SpawnRecord[] {
    return this.workingOf(childKey).filter(({ report }) => report.admission.kind === "subagent");
  }

  /** Those of all sessions that have not ended, oldest first. */
  open(): readonly SpawnRecord[] {
    return this.list().filter(isOpenSpawn);
  }

  /** Oldest first. */
  list(): readonly SpawnRecord[] {
    return [...this.#spawns.values()];
  }

  /** Forgets the sub-agent of a session that was removed, unless it is still to end. */
  removeChild(sessionKey: string): void {
    const spawn = this.ofChild(sessionKey);
    if (spawn === undefined || isOpenSpawn(spawn)) return;
    this.#ofChild.delete(sessionKey);
    this.#spawns.delete(spawn.id);
  }
}

function listed({ result: _result, outputSchema: _schema, ...spawn }: SpawnRecord): SpawnRecord {
  const { message, admission } = spawn.report;
  const { owner, kind, agentToAgent } = admission;
  const { tree } = spawn.child;
  const { origin, eventId, messageId, timestampMs, event, sender } = message;
  const address = { origin, eventId, messageId, timestampMs, event, sender, text: "", mentionsBot: true, attachments: [] };
  return {
    ...spawn,
    child: { owner: spawn.child.owner, kind: spawn.child.kind, ...withoutUndefined({ tree }) },
    report: { message: address, admission: { owner, kind, ...withoutUndefined({ agentToAgent }) } },
  };
}
