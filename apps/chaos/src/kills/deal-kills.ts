import { SHOWINGS } from "../scene/showing.ts";
import type { Showing } from "../scene/showing.ts";
import type { KillPlan } from "./plan-kills.ts";

/** Lives of one environment. Then it recovers, is judged, and is replaced by a new one, so that a long run needs no more memory than a short one. */
const MAX_LIVES = 200;

/** One environment, and the kills of its product. */
export interface World {
  readonly world: number;
  readonly showing: Showing;
  readonly plans: readonly KillPlan[];
}

/** Deals kills out to environments in the planned order. Each kind is spread evenly: with as many of it as environments, each gets one. */
export function dealKills(
  plans: readonly KillPlan[],
  { worlds, showings = SHOWINGS }: { readonly worlds: number; readonly showings?: readonly Showing[] },
): World[] {
  const count = Math.max(worlds, showings.length, Math.ceil(plans.length / MAX_LIVES));
  const byKind = [...Map.groupBy(plans, ({ kill }) => (kill.type === "point" ? kill.point : kill.type)).values()].flat();
  const worldOf = new Map(byKind.map((plan, index) => [plan, index % count]));
  return Array.from({ length: count }, (_, world) => ({
    world,
    showing: showings[world % showings.length] ?? "whole",
    plans: plans.filter((plan) => worldOf.get(plan) === world),
  }));
}
