import { createHash } from "node:crypto";

/** How a wire format restricts the ids of tool calls. */
export interface ToolCallIdRule {
  readonly accepted: RegExp;
  readonly length: number;
}

/** Letters, digits, `_` and `-`, 40 at most: the format of Anthropic's and OpenAI's endpoints. */
export const COMMON_IDS: ToolCallIdRule = { accepted: /^[a-zA-Z0-9_-]{1,40}$/, length: 24 };

/** Mistral requires exactly nine letters or digits. */
export const MISTRAL_IDS: ToolCallIdRule = { accepted: /^[a-zA-Z0-9]{9}$/, length: 9 };

/**
 * Maps the ids of one request. A valid id is unchanged; an invalid one is hashed, so that it is the same in every later request. Two ids never become one: a
 * collision is hashed again, and that depends only on earlier ids.
 */
export function createToolCallIdMap(rule: ToolCallIdRule): (id: string) => string {
  const known = new Map<string, string>();
  const taken = new Set<string>();
  return (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    let candidate = rule.accepted.test(id) ? id : hashId(id, rule.length);
    for (let round = 1; taken.has(candidate); round += 1) candidate = hashId(`${id}#${round}`, rule.length);
    known.set(id, candidate);
    taken.add(candidate);
    return candidate;
  };
}

function hashId(id: string, length: number): string {
  return createHash("sha256")
    .update(id)
    .digest("base64")
    .replaceAll(/[^a-zA-Z0-9]/g, "")
    .slice(0, length);
}
