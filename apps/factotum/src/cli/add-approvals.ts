import type { Command } from "commander";
import type * as ApprovalCommands from "../commands/approvals.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** Tool calls that need the owner's decision: `factotum approvals`. */
export function addApprovals(program: Command, context: CliContext, finish: Finish): void {
  const approvals = program.command("approvals").description("tool calls that wait for your decision: list, show, decide, revoke");
  const load = async (): Promise<typeof ApprovalCommands> => import("../commands/approvals.ts");
  approvals
    .command("list")
    .description("list calls that wait, and decisions that hold for later calls")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).approvalsList(context, { json: options.json === true })));
  approvals
    .command("show")
    .description("show the whole action of a call that waits, or of a decision that holds")
    .argument("<id>", "the id in the request, or of the decision")
    .addOption(json())
    .action(async (id: string, options: { json?: boolean }) =>
      finish(await (await load()).approvalsShow(context, { id, json: options.json === true })),
    );
  approvals
    .command("decide")
    .description("decide on a call that waits")
    .argument("<id>", "the id in the request")
    .argument("<decision>", "allow-once, allow-session, allow-always or deny")
    .addOption(json())
    .action(async (id: string, decision: string, options: { json?: boolean }) =>
      finish(await (await load()).approvalsDecide(context, { id, decision, json: options.json === true })),
    );
  approvals
    .command("revoke")
    .description("take back a decision that holds for later calls")
    .argument("<id>", "the id of the decision")
    .addOption(json())
    .action(async (id: string, options: { json?: boolean }) =>
      finish(await (await load()).approvalsRevoke(context, { id, json: options.json === true })),
    );
}
