import type { KillsOptions, KillsReport } from "./run-kills.ts";

/** A run as text: how to repeat it, what was done, what is wrong. */
export function describeKills(options: KillsOptions, { kills, counts, answered, toldOnly, problems }: KillsReport): string {
  const points = Map.groupBy(kills, ({ name }) => name.replace(/:\d+$/, ""));
  const unfinished = kills.filter((kill) => kill.unfinished > 0).length;
  const { lost, doubled, unasked, ambiguous } = counts;
  const again = (["seed", "kills", "worlds", "conversations", "load"] as const).map((name) => `--${name} ${options[name]}`).join(" ");
  return [
    `seed ${options.seed}; repeat it with: pnpm chaos ${again}`,
    `${kills.length} kills, ${unfinished} of them with an unfinished turn: ${[...points].map(([name, all]) => `${name} ${all.length}`).join(", ")}`,
    `${answered} answered once (${toldOnly} with a notice), ${lost} lost, ${doubled} doubled, ${counts["wrong-chat"]} in the wrong chat, ${unasked} unasked, ${ambiguous} ambiguous`,
    ...problems,
  ].join("\n");
}
