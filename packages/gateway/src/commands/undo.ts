import type { RestoredFile } from "../checkpoints/restore-file.ts";
import type { RestoreOutcome } from "../checkpoints/checkpoint-service.ts";
import { withoutUndefined } from "@factotum/agent-contract";
import { defineCommand } from "./define-command.ts";
import type { Command, CommandCall } from "./define-command.ts";

const MAX_NAMES = 20;
const FORCE_OR_BEFORE = "/undo force restores it all the same; /undo goes on with the turn before.";

/** What is to be undone. */
interface UndoWish {
  readonly force: boolean;
  /** Absent: the last turn with changes. */
  readonly turnId?: string;
}

/** Gives the files that the last turn with changes, or one that is named, changed their earlier content. */
export const undoCommand: Command = defineCommand<UndoWish>({
  name: "/undo",
  summary: "give files back what they held before my last changes; /undo force also those that were changed since",
  hint: "[force] [TURN]",
  words: ["force"],
  access: "anyone",
  parse: parseUndo,
  changes: () => true,
  run: undo,
});

function parseUndo(words: string): UndoWish | undefined {
  const found = /^(?<force>[ \t]+force)?(?:[ \t]+(?<turnId>\S+))?$/i.exec(words);
  return found === null
    ? undefined
    : { force: found.groups?.["force"] !== undefined, ...withoutUndefined({ turnId: found.groups?.["turnId"] }) };
}

async function undo(wish: UndoWish, { session: { target }, checkpoints, running }: CommandCall): Promise<string> {
  const { owner } = target.input.admission;
  const outcome = await checkpoints.restore(target.sessionKey, { owner, ...wish });
  return describeRestored(outcome, { isEnabled: running.config.tools.checkpoints, turnId: wish.turnId });
}

/** What an undo did, in words. */
function describeRestored(
  outcome: RestoreOutcome,
  { isEnabled, turnId }: { readonly isEnabled: boolean; readonly turnId: string | undefined },
): string {
  switch (outcome.type) {
    case "nothing":
      if (turnId !== undefined)
        return `"${turnId}" is no turn here that can be undone. /undo takes nothing, force, or the id of a turn with changes.`;
      return isEnabled
        ? "There is nothing to undo: no earlier turn here changed a file with a file tool."
        : "There is nothing to undo: tools.checkpoints is false, so nothing is kept.";
    case "running":
      return "I am still working here, and the files may change again. Wait for the end, or send /stop first.";
    case "done":
      return [
        ...sentence("Restored", outcome.files, "restored"),
        ...sentence("Deleted, because I had created it", outcome.files, "removed"),
        ...sentence("Not restored, because something else changed it since", outcome.files, "refused"),
        ...outcome.files
          .flatMap((file) => (file.type === "lost" ? [`Not restored: ${file.path}: ${file.reason}`] : []))
          .slice(0, MAX_NAMES),
        ...(outcome.files.some(({ type }) => type === "refused")
          ? [turnId === undefined ? FORCE_OR_BEFORE : `/undo force ${turnId} restores it all the same.`]
          : []),
      ].join("\n");
  }
}

function sentence(words: string, files: readonly RestoredFile[], type: RestoredFile["type"]): readonly string[] {
  const paths = files.filter((file) => file.type === type).map(({ path }) => path);
  if (paths.length === 0) return [];
  const more = paths.length > MAX_NAMES ? ` and ${paths.length - MAX_NAMES} more` : "";
  return [`${words}: ${paths.slice(0, MAX_NAMES).join(", ")}${more}`];
}
