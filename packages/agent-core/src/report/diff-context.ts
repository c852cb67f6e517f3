import { withoutUndefined } from "@factotum/agent-contract";
import type { ContextDescription, ContextPartType, DescribedSection } from "./context-description.ts";

/** One difference between two requests. */
interface ContextChange {
  readonly part: ContextPartType;
  readonly section: string;
  readonly title: string;
  readonly type: "added" | "removed" | "changed";
  readonly charsBefore: number;
  readonly charsAfter: number;
}

/** What changed from one request to a later one. */
export interface ContextDifference {
  /** The later request begins with the earlier one: same tools and system prompt, and the earlier messages first. */
  readonly prefixHeld: boolean;
  /** Where they first differ, in the order in which providers read them: tools, system prompt, messages. */
  readonly firstDifference?: { readonly part: ContextPartType; readonly section: string };
  /** In system prompt, messages and tools; the turn's own text and images are new in every turn. */
  readonly changes: readonly ContextChange[];
}

/** Compares two requests of a session. Pure. */
export function diffContext(previous: ContextDescription, next: ContextDescription): ContextDifference {
  const firstDifference =
    firstOf("tools", sectionsOf(previous, "tools"), sectionsOf(next, "tools")) ??
    firstOf("system", sectionsOf(previous, "system"), sectionsOf(next, "system")) ??
    firstMessage(previous, next);
  const changes = (["system", "messages", "tools"] as const).flatMap((part) => changesOf(part, previous, next));
  return { prefixHeld: firstDifference === undefined, ...withoutUndefined({ firstDifference }), changes };
}

function sectionsOf(description: ContextDescription, type: ContextPartType): readonly DescribedSection[] {
  return description.parts.find((part) => part.type === type)?.sections ?? [];
}

function firstOf(
  part: ContextPartType,
  before: readonly DescribedSection[],
  after: readonly DescribedSection[],
): ContextDifference["firstDifference"] {
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    if (before[index]?.sent === after[index]?.sent) continue;
    return { part, section: after[index]?.id ?? before[index]?.id ?? "" };
  }
  return undefined;
}

function firstMessage(previous: ContextDescription, next: ContextDescription): ContextDifference["firstDifference"] {
  const index = previous.sentMessages.findIndex(({ sent }, at) => sent !== next.sentMessages[at]?.sent);
  if (index === -1) return undefined;
  const { part, section } = next.sentMessages[index] ?? previous.sentMessages[index] ?? { part: "messages", section: "" };
  return { part, section };
}

/** A message is in part 3 during its turn, and in part 2 afterwards: the move itself is no change. */
function changesOf(
  part: "system" | "messages" | "tools",
  previous: ContextDescription,
  next: ContextDescription,
): readonly ContextChange[] {
  const before = new Map(sectionsOf(previous, part).map((section) => [section.id, section]));
  const moved = part === "messages" ? new Map(previous.sentMessages.map(({ section, sent }) => [section, sent])) : undefined;
  const after = sectionsOf(next, part);
  const changed = after.flatMap((section): ContextChange[] => {
    const old = before.get(section.id);
    if ((old?.sent ?? moved?.get(section.id)) === section.sent) return [];
    const type = old === undefined && moved?.has(section.id) !== true ? "added" : "changed";
    return [{ part, section: section.id, title: section.title, type, charsBefore: old?.chars ?? 0, charsAfter: section.chars }];
  });
  const kept = new Set([...after.map(({ id }) => id), ...(part === "messages" ? next.sentMessages.map(({ section }) => section) : [])]);
  const removed = [...before.values()].filter(({ id }) => !kept.has(id));
  return [
    ...changed,
    ...removed.map(({ id, title, chars }): ContextChange => ({
      part,
      section: id,
      title,
      type: "removed",
      charsBefore: chars,
      charsAfter: 0,
    })),
  ];
}
