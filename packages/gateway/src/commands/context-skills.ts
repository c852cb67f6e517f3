import type { NoticeBlock } from "@factotum/protocol";
import { groupOf } from "../conversation/session-context.ts";
import { parseBasis } from "../prompt/prompt-cause.ts";
import type { CommandCall } from "./define-command.ts";

/** Maximum skills of each list. */
const MAX_LISTED = 60;
const LOOKUP_MS = 5000;

/** The skills in the conversation's prompt: name, source and version; for the owner also those that are left out, with the reason. */
export async function contextSkills(call: CommandCall): Promise<readonly NoticeBlock[]> {
  const { session, store, channels } = call;
  const { message } = session.target.input;
  const { record, agent } = await session.read();
  const prompt = record === undefined ? undefined : await store.readPrompt(record.sessionId);
  const skills = prompt === undefined ? undefined : parseBasis(prompt.basis)?.skills;
  // The prompt of an older version does not say.
  if (skills === undefined) return [];
  const shown = skills.map(({ name, source, version = "" }) => `${name} (${[source, version].filter((part) => part !== "").join(", ")})`);
  const leftOut = session.target.input.admission.owner
    ? await agent.skillsLeftOut({ group: groupOf(message.origin, channels), signal: AbortSignal.timeout(LOOKUP_MS) })
    : [];
  return [
    ...section(shown.length === 0 ? "No skills are in the prompt." : "Skills in the prompt:", shown),
    ...(leftOut.length === 0
      ? []
      : section(
          "Skills left out now:",
          leftOut.map(({ name, reason }) => (reason.startsWith(name) ? reason : `${name}: ${reason}`)),
        )),
  ];
}

function section(title: string, items: readonly string[]): readonly NoticeBlock[] {
  const left = items.length - MAX_LISTED;
  return [
    { type: "text", text: title },
    ...(items.length === 0 ? [] : [{ type: "list" as const, items: items.slice(0, MAX_LISTED) }]),
    ...(left > 0 ? [{ type: "text" as const, text: `${left} more are not listed.` }] : []),
  ];
}
