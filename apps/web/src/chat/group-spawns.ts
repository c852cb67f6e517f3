import type { ChatItem, SpawnCall, SpawnsItem } from "./chat-items.ts";

const groups = new WeakMap<ChatItem, SpawnsItem>();

/** Joins the calls that started sub-agents into one row per turn, where the first of them is. Rows keep their identity while their calls are the same. */
export function groupSpawns(items: readonly ChatItem[]): readonly ChatItem[] {
  const joined: ChatItem[] = [];
  let calls: SpawnCall[] = [];
  let place = -1;
  const endTurn = (): void => {
    const [first] = calls;
    if (first !== undefined) joined[place] = reuseGroup(first, calls);
    calls = [];
  };
  for (const item of items) {
    const runId = startedRun(item);
    if (item.type === "tool" && runId !== undefined) {
      if (calls.length === 0) place = joined.push(item) - 1;
      calls.push({ runId, call: item });
      continue;
    }
    if (endsTurn(item)) endTurn();
    joined.push(item);
  }
  endTurn();
  return joined;
}

/** The next message, a word of the gateway in its place, and a complete answer. */
function endsTurn(item: ChatItem): boolean {
  return item.type === "user" || item.type === "notice" || (item.type === "answer" && item.timestampMs !== undefined);
}

function reuseGroup(first: SpawnCall, calls: readonly SpawnCall[]): SpawnsItem {
  const known = groups.get(first.call);
  if (known?.calls.length === calls.length && known.calls.every(({ call }, index) => call === calls[index]?.call)) return known;
  const group: SpawnsItem = { type: "spawns", id: `spawns-${first.runId}`, calls };
  groups.set(first.call, group);
  return group;
}

/** The run id of the sub-agent that a call has started. */
function startedRun(item: ChatItem): string | undefined {
  if (item.type !== "tool" || item.name !== "sessions_spawn" || item.status !== "done") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(item.output);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  return typeof value === "object" && value !== null && "runId" in value && typeof value.runId === "string" ? value.runId : undefined;
}
