import path from "node:path";
import type { AgentMessage, SkillEntry } from "@factotum/agent-contract";
import type { SystemEvent } from "@factotum/agent-core";
import { bootstrapTimes, changedAt } from "./bootstrap-files.ts";

/** The sources of a prompt, by name: bootstrap files by file name, skills as `skill <name>`. The value is the modification time. */
export type PromptSources = Readonly<Record<string, number>>;

/** Reads the current sources of a prompt. */
export async function readSources(workspace: string, skills: readonly SkillEntry[]): Promise<PromptSources> {
  const [files, times] = await Promise.all([
    bootstrapTimes(workspace),
    Promise.all(skills.map(async (skill) => [`skill ${skill.name}`, (await changedAt(path.join(skill.folder, "SKILL.md"))) ?? 0] as const)),
  ]);
  return Object.fromEntries([...files, ...times]);
}

/** The skills among the sources. */
export function skillsOf(sources: PromptSources): PromptSources {
  return Object.fromEntries(Object.entries(sources).filter(([name]) => name.startsWith("skill ")));
}

/**
 * One event for each source that has changed since the prompt was rendered and was not announced yet: the prompt itself waits for a named cause. Earlier
 * announcements are read from the conversation, so nothing is announced twice, even over a restart.
 */
export function announceChanges(
  rendered: PromptSources,
  now: PromptSources,
  history: readonly AgentMessage[],
  nowMs: number,
): readonly SystemEvent[] {
  const names = new Set([...Object.keys(rendered), ...Object.keys(now)]);
  return [...names].toSorted().flatMap((name) => {
    const before = rendered[name];
    const after = now[name];
    if (before === after) return [];
    const text = changeText(name, before, after);
    return wasAnnounced(text, after ?? 0, history) ? [] : [{ timestampMs: nowMs, text }];
  });
}

function changeText(name: string, before: number | undefined, after: number | undefined): string {
  const change = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  return name.startsWith("skill ") ? `Skill ${change}: ${name.slice("skill ".length)}` : `File ${change}: ${name}`;
}

function wasAnnounced(text: string, changedAtMs: number, history: readonly AgentMessage[]): boolean {
  return history.some(
    (message) =>
      message.role === "user" &&
      message.timestamp >= changedAtMs &&
      (message.parts?.systemEvents ?? []).some((line) => line.includes(text)),
  );
}
