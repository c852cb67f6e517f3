import type { Command } from "commander";
import type * as DamageCommands from "../commands/damage.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** Damage of the stored state: `factotum damage`. */
export function addDamage(program: Command, context: CliContext, finish: Finish): void {
  const damage = program.command("damage").description("damage of the stored state that was repaired or left out: list, acknowledge");
  const load = async (): Promise<typeof DamageCommands> => import("../commands/damage.ts");
  damage
    .command("list")
    .description("list what has not been acknowledged, oldest first")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).damageList(context, { json: options.json === true })));
  damage
    .command("acknowledge")
    .description("acknowledge some, or all by default; snapshots of a lost database may be removed afterwards")
    .argument("[id...]")
    .addOption(json())
    .action(async (ids: string[], options: { json?: boolean }) =>
      finish(await (await load()).damageAcknowledge(context, ids, { json: options.json === true })),
    );
}
