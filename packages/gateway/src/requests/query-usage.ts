import { setImmediate as nextTick } from "node:timers/promises";
import { createTimeFormat, type TimeFormat } from "@factotum/agent-core";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import type { RpcMethods, UsageAmount, UsageGroup, UsageReport } from "@factotum/protocol";
import type { LedgerStore, RequestUsage } from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { RpcError } from "../kernel/rpc-error.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const DEFAULT_LIMIT = 200;
/** Requests that are read before other work runs. */
const PAGE = 500;

/** The dependencies of usage reports. */
export interface UsageParts {
  readonly store: Pick<LedgerStore, "listRequestUsage" | "oldestRequestMs" | "listSpend">;
  readonly running: RunningConfig;
  readonly spend: Pick<SpendGuard, "caps">;
  readonly clock: Clock;
}

interface Sum {
  requests: number;
  failed: number;
  unpriced: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  total: number;
  costUsd: number;
}

/** Adds up the stored requests of a period, with what was charged and what remains under the caps. */
export async function queryUsage(query: RpcMethods["usage.query"]["params"], parts: UsageParts): Promise<UsageReport> {
  const { store, running, clock } = parts;
  const toMs = query.toMs ?? clock.now() + 1;
  const fromMs = query.fromMs ?? Math.max(0, toMs - DEFAULT_DAYS * DAY_MS);
  if (fromMs >= toMs) throw new RpcError("invalid-request", "The period ends before it begins: give an earlier fromMs.");
  const timeZone = query.timeZone ?? running.agents.default.config.userTimezone;
  const time = timeIn(timeZone);
  const { by = ["day"], limit = DEFAULT_LIMIT } = query;
  const total = emptySum();
  const groups = new Map<string, { readonly keys: Partial<Record<UsageGroup, string>>; readonly sum: Sum }>();
  let before: string | undefined;
  do {
    if (before !== undefined) await nextTick();
    const page = await store.listRequestUsage({ fromMs, toMs, limit: PAGE, ...withoutUndefined({ before }) });
    for (const request of page.items) {
      add(total, request);
      const keys = Object.fromEntries(by.map((group) => [group, keyOf(request, group, time)]));
      const key = JSON.stringify(Object.values(keys));
      const group = groups.get(key) ?? { keys, sum: emptySum() };
      groups.set(key, group);
      add(group.sum, request);
    }
    before = page.cursor;
  } while (before !== undefined);
  const spent = await store.listSpend(time.day(fromMs), time.day(toMs - 1));
  return {
    fromMs,
    toMs,
    timeZone,
    total: toAmount(total),
    groups: firstGroups([...groups.values()], limit).map(({ keys, sum }) => ({ keys, ...toAmount(sum) })),
    omitted: Math.max(0, groups.size - limit),
    ...withoutUndefined({ storedSinceMs: await store.oldestRequestMs() }),
    charged: spent.map(({ agentId, ...row }) => ({ agent: agentId, ...row })),
    caps: await capsOf(parts),
  };
}

function timeIn(timeZone: string): TimeFormat {
  try {
    return createTimeFormat(timeZone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new RpcError("invalid-request", `"${timeZone}" is no time zone. Write one like Europe/Berlin or Asia/Shanghai.`, {
      cause: error,
    });
  }
}

function keyOf({ sentAtMs, model, kind, agentId, channel, sessionKey }: RequestUsage, group: UsageGroup, time: TimeFormat): string {
  switch (group) {
    case "day":
      return time.day(sentAtMs);
    case "model":
      return model;
    case "cause":
      return kind;
    case "agent":
      return agentId;
    case "channel":
      return channel ?? "-";
    case "session":
      return sessionKey;
  }
}

function emptySum(): Sum {
  return { requests: 0, failed: 0, unpriced: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0, costUsd: 0 };
}

function add(sum: Sum, { usage, outcome }: RequestUsage): void {
  sum.requests += 1;
  if (outcome.type === "failed") sum.failed += 1;
  if (usage.costUsd === undefined && usage.total > 0) sum.unpriced += 1;
  sum.costUsd += usage.costUsd ?? 0;
  for (const name of ["input", "output", "cacheRead", "cacheWrite", "total"] as const) sum[name] += usage[name];
}

function toAmount(sum: Sum): UsageAmount {
  const read = sum.input + sum.cacheRead + sum.cacheWrite;
  return { ...sum, ...(read === 0 ? {} : { cacheHitRate: sum.cacheRead / read }) };
}

/** The first groups: of the newest days, in order of time; otherwise the most expensive first, and the largest of those without a price. */
function firstGroups<Group extends { readonly keys: Partial<Record<UsageGroup, string>>; readonly sum: Sum }>(
  groups: readonly Group[],
  limit: number,
): readonly Group[] {
  const compareDays = (left: Group, right: Group): number => (left.keys.day ?? "").localeCompare(right.keys.day ?? "");
  return groups
    .toSorted((left, right) => compareDays(right, left) || right.sum.costUsd - left.sum.costUsd || right.sum.total - left.sum.total)
    .slice(0, limit)
    .toSorted(compareDays);
}

async function capsOf({ running, spend }: UsageParts): Promise<UsageReport["caps"]> {
  const states = await Promise.all(running.agents.list().map(async ({ config: { id } }) => ({ agent: id, ...(await spend.caps(id)) })));
  return states.flatMap(({ agent, caps, resetsAtMs }) =>
    caps.map(({ name, cap: { tokensPerDay, usdPerDay }, tokens, costUsd }) => ({
      agent,
      name,
      tokens,
      costUsd,
      resetsAtMs,
      ...withoutUndefined({
        tokensPerDay,
        usdPerDay,
        tokensLeft: tokensPerDay === undefined ? undefined : Math.max(0, tokensPerDay - tokens),
        usdLeft: usdPerDay === undefined ? undefined : Math.max(0, usdPerDay - costUsd),
      }),
    })),
  );
}
