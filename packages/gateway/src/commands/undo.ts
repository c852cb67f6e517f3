import type { RestoredFile } from "../checkpoints/restore-file.ts";
import type { RestoreOutcome } from "../checkpoints/checkpoint-service.ts";
import { defineCommand, parseWish } from "./define-command.ts";
import type { Command, CommandCall, Wish } from "./define-command.ts";

const MAX_NAMES = 20;

/** Gives the files that the last turn with changes changed their earlier content. */
export const undoCommand: Command = defineCommand<Wish>({
  name: "/undo",
  summary: "give files back what they held before my last changes; /undo force also those that were changed since",
  hint: "[force]",
  words: ["force"],
  access: "anyone",
  parse: parseWish,
  changes: () => true,
  run: ({ wish }, call) => undo(call, wish),
});

async function undo({ session: { target }, checkpoints, running }: CommandCall, wish: string | undefined): Promise<string> {
  const choice = wish?.toLowerCase();
  if (choice !== undefined && choice !== "force") return `"${wish ?? ""}" is not understood. /undo takes nothing, or force.`;
  const { owner } = target.input.admission;
  const outcome = await checkpoints.restore(target.sessionKey, { owner, force: choice === "force" });
  return describeRestored(outcome, { isEnabled: running.config.tools.checkpoints });
}

/** What an undo did, in words. */
function describeRestored(outcome: RestoreOutcome, { isEnabled }: { readonly isEnabled: boolean }): string {
  switch (outcome.type) {
    case "nothing":
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
          ? ["/undo force restores it all the same; /undo goes on with the turn before."]
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
