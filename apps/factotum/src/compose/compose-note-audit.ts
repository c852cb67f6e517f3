import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { AuditNotes } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { findNotes, hasTaintedBlock, type InstructionPlaces } from "@factotum/gateway";
import { auditNotes, type NamedNote } from "@factotum/memory";
import type { Store } from "@factotum/store";
import type { SecretFilter } from "../runtime/secret-filter.ts";

interface NoteAuditParts {
  readonly store: Pick<Store, "readNoteEntries" | "readTaintedBlocks">;
  readonly currentConfig: () => FactotumConfig;
  readonly places: () => InstructionPlaces;
  readonly secrets: Pick<SecretFilter, "toolOutput">;
}

/** The examination of an agent's notes, with what is recorded of them. */
export function composeNoteAudit({ store, currentConfig, places, secrets }: NoteAuditParts): AuditNotes {
  return async (agentId, { signal }) => {
    const agent = currentConfig().agents.find(({ id }) => id === agentId);
    const workspace = await realpath(agent?.workspace ?? "").catch(() => undefined);
    if (workspace === undefined) return [];
    await secrets.toolOutput.ready();
    // By the name under which it was recorded, which is that of no link and in lower case.
    const recorded = async ({ file }: NamedNote): Promise<NamedNote> =>
      (await findNotes(join(workspace, file), places())).find((one) => one.agentId === agentId) ?? { agentId, file };
    return auditNotes({
      agentId,
      workspace,
      maxChars: shownNoteChars(currentConfig(), agentId),
      sourcesOf: async (note) => store.readNoteEntries(await recorded(note)),
      taintOf: async (note) => {
        const tainted = await store.readTaintedBlocks(await recorded(note));
        return (lines) => tainted.size > 0 && hasTaintedBlock(lines, tainted);
      },
      redact: (text) => secrets.toolOutput.redact(text),
      signal,
    });
  };
}

/** How many characters of one bootstrap file the prompt of an agent shows, whatever its model. */
export function shownNoteChars({ agents }: FactotumConfig, agentId: string): number {
  const agent = agents.find(({ id }) => id === agentId);
  return agent === undefined ? 0 : Math.min(agent.bootstrapMaxChars, agent.bootstrapTotalMaxChars);
}
