import { plural } from "@factotum/agent-contract";
import type { Approval, ApprovalDecision } from "@factotum/protocol";
import { APPROVAL_DECISIONS } from "@factotum/protocol";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { foreignText, plainText } from "../runtime/foreign-text.ts";
import { relativeTime } from "../runtime/relative-time.ts";

/** Lists tool calls that wait for a decision, and decisions that hold for later calls. */
export async function approvalsList(cli: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const found = await gateway.client.request("approvals.list", {}, { signal: cli.signal });
    const nowMs = Date.now();
    if (json) printJson(cli, found);
    else {
      for (const one of found.waiting) cli.print(`${describe(one, LISTED)}${describeRequest(one, nowMs)}`);
      for (const one of found.grants) cli.print(`${one.decision ?? ""}  ${describe(one, LISTED)}`);
      if (found.waiting.length === 0) cli.note("factotum: no tool call waits for a decision\n");
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Shows one call that waits, or one decision that holds for later calls, with its whole action. */
export async function approvalsShow(cli: CliContext, { id, json }: { readonly id: string; readonly json: boolean }): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const { waiting, grants } = await gateway.client.request("approvals.list", {}, { signal: cli.signal });
    const wanted = id.replaceAll(/[\s-]/gu, "").toUpperCase();
    const found = [...waiting, ...grants].find((one) => one.id === wanted);
    if (found === undefined)
      throw new CliError("failure", `No call with the id ${foreignText(id)} waits, and no decision with that id holds.`, {
        fix: "See them with: factotum approvals list",
      });
    if (json) printJson(cli, found);
    else if (found.decision === undefined) {
      cli.print(`${describe(found)}${describeRequest(found, Date.now())}`);
      cli.note(`  Decide with: factotum approvals decide ${found.id} ${found.decisions.join("|")}\n`);
    } else cli.print(`${found.decision}  ${describe(found)}`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Decides on a call that waits. */
export async function approvalsDecide(
  cli: CliContext,
  { id, decision, json }: { readonly id: string; readonly decision: string; readonly json: boolean },
): Promise<number> {
  if (!isDecision(decision))
    throw new CliError("usage", `"${decision}" is no decision.`, { fix: `Write one of: ${APPROVAL_DECISIONS.join(", ")}.` });
  using gateway = await connectGateway(cli);
  try {
    const result = await gateway.client.request("approvals.decide", { id, decision }, { signal: cli.signal });
    if (json) printJson(cli, result);
    else {
      cli.print(`${decision}: ${describe(result.approval, LISTED)}`);
      if (result.approval.isParked && decision !== "deny")
        cli.note("Its turn had gone on without it: it runs now, and the assistant goes on from its result.\n");
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Takes back a decision that holds for later calls. */
export async function approvalsRevoke(cli: CliContext, { id, json }: { readonly id: string; readonly json: boolean }): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const result = await gateway.client.request("approvals.revoke", { id }, { signal: cli.signal });
    if (!result.revoked)
      throw new CliError("failure", `No decision with the id ${foreignText(id)} holds for later calls.`, {
        fix: "See them with: factotum approvals list",
      });
    if (json) printJson(cli, result);
    else cli.print(`The decision ${foreignText(id)} is taken back: equal calls are asked about again.\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** How much of an action a list shows. */
const LISTED = { lines: 20, characters: 2_000 };

/** The call, and its action with a mark before each line: the model has chosen its words. */
function describe({ id, toolName, text }: Approval, limit = { lines: Infinity, characters: Infinity }): string {
  const lines = text.split("\n");
  const shown = text.length > limit.characters ? text.slice(0, limit.characters).toWellFormed().split("\n") : lines;
  const head = shown.slice(0, limit.lines);
  const isCut = head.length < lines.length || shown !== lines;
  const cut = `  This is only its beginning, of ${plural(lines.length, "line")}. All of it: factotum approvals show ${id}\n`;
  return `${id}  ${toolName}\n${head.map((line) => `  | ${plainText(line)}\n`).join("")}${isCut ? cut : ""}`;
}

function describeRequest({ askedIn, reason, requestedAtMs }: Approval, nowMs: number): string {
  const where = askedIn === undefined ? "" : `  ${plainText(askedIn)}\n`;
  return `${where}  ${plainText(reason)} Requested ${relativeTime(requestedAtMs, nowMs)}.\n`;
}

function isDecision(text: string): text is ApprovalDecision {
  return APPROVAL_DECISIONS.some((decision) => decision === text);
}
