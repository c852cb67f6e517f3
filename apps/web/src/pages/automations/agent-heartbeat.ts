import type { ConfigView } from "@factotum/protocol";
import { asBlock, type ConfigBlock } from "./config-block.ts";

/** The heartbeat of an agent as it is in the fields of the form. */
export interface HeartbeatDraft {
  readonly isOn: boolean;
  readonly every: string;
  readonly start: string;
  readonly end: string;
  readonly target: string;
  readonly prompt: string;
  readonly model: string;
}

/** Where the heartbeat of an agent is set: in the entry of the agent, or for all of them. */
type Place = { readonly type: "defaults" } | { readonly type: "entry"; readonly index: number };

const DEFAULT_EVERY = "30m";

function entriesOf({ written }: Pick<ConfigView, "written">): readonly ConfigBlock[] {
  const list = asBlock(written["agents"])["list"];
  return Array.isArray(list) ? list.map(asBlock) : [];
}

/** An agent of several has a heartbeat of its own: a block in the defaults would be that of all. */
function placeOf(view: Pick<ConfigView, "written">, agentId: string): Place {
  const entries = entriesOf(view);
  const index = entries.findIndex(({ id }) => id === agentId);
  const isOwn = index !== -1 && (entries.length > 1 || entries[index]?.["heartbeat"] !== undefined);
  return isOwn ? { type: "entry", index } : { type: "defaults" };
}

/** The block as it is written; empty if the heartbeat is off. */
function blockOf(view: Pick<ConfigView, "written">, agentId: string): ConfigBlock {
  const own = entriesOf(view).find(({ id }) => id === agentId)?.["heartbeat"];
  return asBlock(own ?? asBlock(asBlock(view.written["agents"])["defaults"])["heartbeat"]);
}

/** The fields of an agent's heartbeat. */
export function heartbeatDraft(view: Pick<ConfigView, "written">, agentId: string): HeartbeatDraft {
  const block = blockOf(view, agentId);
  const { start, end } = asBlock(block["activeHours"]);
  const text = (value: unknown, otherwise = ""): string => (typeof value === "string" ? value : otherwise);
  return {
    isOn: block["every"] !== undefined,
    every: text(block["every"], DEFAULT_EVERY),
    start: text(start),
    end: text(end),
    target: text(block["target"], "owner"),
    prompt: text(block["prompt"]),
    model: text(block["model"]),
  };
}

/** The change of the file that gives an agent this heartbeat. What has no field stays. */
export function heartbeatPatch(
  view: Pick<ConfigView, "written">,
  agentId: string,
  draft: HeartbeatDraft,
): Readonly<Record<string, unknown>> {
  const place = placeOf(view, agentId);
  const heartbeat = draft.isOn ? onBlock(blockOf(view, agentId), draft) : "off";
  if (place.type === "defaults") return { agents: { defaults: { heartbeat } } };
  // A list is replaced as a whole.
  const list = entriesOf(view).map((entry, index) => (index === place.index ? { ...entry, heartbeat: withoutNulls(heartbeat) } : entry));
  return { agents: { list } };
}

/** Parts that are emptied are null: a merge patch removes them. */
function onBlock(before: ConfigBlock, { every, start, end, target, prompt, model }: HeartbeatDraft): ConfigBlock {
  const hours = start !== "" && end !== "" ? { ...asBlock(before["activeHours"]), start, end } : null;
  const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());
  return {
    ...before,
    every: every.trim(),
    target: target.trim() === "" || target.trim() === "owner" ? null : target.trim(),
    prompt: orNull(prompt),
    model: orNull(model),
    activeHours: hours,
  };
}

function withoutNulls(value: ConfigBlock | string): ConfigBlock | string {
  return typeof value === "string" ? value : Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
}
