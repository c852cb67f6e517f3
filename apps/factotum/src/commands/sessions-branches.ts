import { randomUUID } from "node:crypto";
import { withoutUndefined } from "@factotum/agent-contract";
import type { RpcMethod, RpcMethods } from "@factotum/protocol";
import { connectGateway, requestError, type ConnectedGateway } from "../rpc/connect-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";

/** Sends a message again, with another text or with its own for another answer. The answer is in the conversation. */
export async function sessionsSendVersion(
  cli: CliContext,
  written: string,
  { text, message, json }: { readonly text?: string; readonly message?: string; readonly json: boolean },
): Promise<number> {
  return inSession(cli, written, async (sessionKey, request) => {
    const params = { sessionKey, idempotencyKey: randomUUID(), ...withoutUndefined({ entryId: message }) };
    const sent = text === undefined ? await request("chat.regenerate", params) : await request("chat.edit", { ...params, text });
    if (json) printJson(cli, sent);
    else {
      const kept = sent.isNew === true ? "as a new message: the model was not given the one before" : "and the branch of before is kept";
      cli.note(`factotum: sent; the answer comes into ${terminalText(sessionKey)}, ${kept}\n`);
      if (sent.leftOut !== undefined)
        cli.note(`factotum: without ${sent.leftOut} of its files, which ${sent.leftOut === 1 ? "is" : "are"} no longer kept\n`);
    }
  });
}

/** Lists the messages with several versions. */
export async function sessionsBranches(cli: CliContext, written: string, { json }: { readonly json: boolean }): Promise<number> {
  return inSession(cli, written, async (sessionKey, request) => {
    const { branches } = await request("chat.branches", { sessionKey });
    if (json) printJson(cli, { branches });
    else if (branches.length === 0) cli.note("factotum: every message of this conversation has one version\n");
    for (const { versions } of json ? [] : branches) {
      versions.forEach(({ entryId, timestampMs, text, isShown }, index) => {
        const time = new Date(timestampMs).toISOString().slice(0, 16).replace("T", " ");
        const place = `${index + 1} of ${versions.length}`;
        cli.print(`${terminalText(`${entryId}  ${place}  ${time}${isShown ? "  shown" : ""}  ${text.replaceAll(/\s+/g, " ")}`)}\n`);
      });
    }
  });
}

/** Shows the branch of an entry. */
export async function sessionsBranch(
  cli: CliContext,
  written: string,
  { entryId, json }: { readonly entryId: string; readonly json: boolean },
): Promise<number> {
  return inSession(cli, written, async (sessionKey, request) => {
    const chosen = await request("chat.branch", { sessionKey, entryId });
    if (json) printJson(cli, chosen);
    else cli.note(chosen.changed ? "factotum: the conversation continues that branch\n" : "factotum: that branch is shown already\n");
  });
}

type Request = <Method extends RpcMethod>(method: Method, params: RpcMethods[Method]["params"]) => Promise<RpcMethods[Method]["result"]>;

async function inSession(cli: CliContext, written: string, work: (sessionKey: string, request: Request) => Promise<void>): Promise<number> {
  const name = parseSessionName(written);
  using gateway: ConnectedGateway = await connectGateway(cli);
  const request: Request = async (method, params) => {
    try {
      return await gateway.client.request(method, params, { signal: cli.signal });
    } catch (error) {
      throw requestError(error);
    }
  };
  await work(await sessionKeyOf(name, cli, gateway), request);
  return EXIT.ok;
}
