import { readFile } from "node:fs/promises";
import path from "node:path";
import type { HeartbeatConfig } from "@factotum/config";

/** Headings, comments and empty lists say nothing that could be due. */
const IDLE_LINE = /^\s*(?:#.*|<!--.*-->|[-*+]|[-*+] \[[ xX]?\])?\s*$/;
const COMMENT = /<!--[\s\S]*?-->/g;

/** Why a heartbeat is left out at no cost, or that it is not. */
export type HeartbeatSkip = "quiet-hours" | "nothing-to-do" | undefined;

/** Whether a heartbeat is worth a call of the model. `hasEvents`: something waits to be shown to the session. */
export async function heartbeatSkip(
  config: Pick<HeartbeatConfig, "activeHours" | "prompt">,
  {
    workspace,
    nowMs,
    timeZone,
    hasEvents,
  }: { readonly workspace: string; readonly nowMs: number; readonly timeZone: string; readonly hasEvents: boolean },
): Promise<HeartbeatSkip> {
  if (!isActive(config.activeHours, { nowMs, timeZone })) return "quiet-hours";
  if (config.prompt !== undefined || hasEvents) return undefined;
  return (await hasTasks(workspace)) ? undefined : "nothing-to-do";
}

/** True within the active hours. The end is exclusive, hours may span midnight, and equal times are never. */
export function isActive(
  hours: HeartbeatConfig["activeHours"],
  { nowMs, timeZone }: { readonly nowMs: number; readonly timeZone: string },
): boolean {
  if (hours === undefined) return true;
  const [start, end] = [minutesOf(hours.start), minutesOf(hours.end)];
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone: hours.timezone ?? timeZone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const now = minutesOf(format.format(nowMs));
  return start <= end ? start <= now && now < end : now >= start || now < end;
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
}

/** True if HEARTBEAT.md has more than blank lines, headings and comments. */
async function hasTasks(workspace: string): Promise<boolean> {
  try {
    const text = await readFile(path.join(workspace, "HEARTBEAT.md"), "utf8");
    return text
      .replaceAll(COMMENT, "")
      .split("\n")
      .some((line) => !IDLE_LINE.test(line));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}
