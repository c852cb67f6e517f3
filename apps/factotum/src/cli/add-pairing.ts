import type { Command } from "commander";
import type * as PairingCommands from "../commands/pairing.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** People who ask to be admitted: `factotum pairing`. */
export function addPairing(program: Command, context: CliContext, finish: Finish): void {
  const pairing = program.command("pairing").description("people who ask to talk to the assistant: list, approve, reject, revoke");
  const load = async (): Promise<typeof PairingCommands> => import("../commands/pairing.ts");
  pairing
    .command("list")
    .description("list who asks, with their codes, and who was admitted")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).pairingList(context, { json: options.json === true })));
  pairing
    .command("approve")
    .description("admit the person with this code; the first one becomes the owner if there is no owner")
    .argument("<code>", "the code that the assistant gave the person")
    .option("--guest", "do not make the person the owner")
    .addOption(json())
    .action(async (code: string, options: { guest?: boolean; json?: boolean }) =>
      finish(await (await load()).pairingApprove(context, code, { guest: options.guest === true, json: options.json === true })),
    );
  pairing
    .command("reject")
    .description("refuse the person with this code, without an answer")
    .argument("<code>", "the code of the request")
    .addOption(json())
    .action(async (code: string, options: { json?: boolean }) =>
      finish(await (await load()).pairingReject(context, code, { json: options.json === true })),
    );
  pairing
    .command("revoke")
    .description("withdraw an approval; the person may ask again")
    .argument("<account>", "channel:account, such as feishu:default")
    .argument("<id>", "the platform's own id")
    .addOption(json())
    .action(async (account: string, id: string, options: { json?: boolean }) =>
      finish(await (await load()).pairingRevoke(context, { account, id, json: options.json === true })),
    );
}
