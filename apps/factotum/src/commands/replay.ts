import { randomUUID } from "node:crypto";
import type { RpcMethods } from "@factotum/protocol";
import { withoutUndefined } from "@factotum/agent-contract";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { parseTurn } from "./parse-turn.ts";

/** Selects the request and the model. */
export interface ReplayOptions {
  /** A turn number of the conversation, or an id. */
  readonly turn: string;
  readonly session?: string;
  readonly request?: number;
  readonly model?: string;
  readonly json: boolean;
}

/** Sends a stored request again and prints the answer while it comes. The conversation does not change, and no tool is run. */
export async function replay(context: CliContext, options: ReplayOptions): Promise<number> {
  const session = options.session === undefined ? undefined : parseSessionName(options.session);
  using gateway = await connectGateway(context);
  const replayId = randomUUID();
  const sessionKey = session === undefined ? undefined : await sessionKeyOf(session, context, gateway);
  const params: RpcMethods["context.replay"]["params"] = {
    turn: parseTurn(options.turn),
    replayId,
    ...withoutUndefined({ sessionKey, request: options.request, model: options.model }),
  };
  try {
    const result = await gateway.client.request("context.replay", params, {
      signal: context.signal,
      onEvent: (event, payload) => {
        if (event !== "replay" || options.json) return;
        if (payload.replayId === replayId && payload.block === "text") context.print(payload.text);
      },
    });
    if (options.json) printJson(context, result);
    else {
      if (result.text !== "") context.print("\n");
      for (const { name, argumentsText } of result.toolCalls) context.print(`[${name} ${argumentsText}]\n`);
      const same = result.exact
        ? "the same bytes as then"
        : "not the same as then: another model, or the conversation's stored form has changed";
      context.note(`factotum: ${result.model}; ${same}; ${result.usage.total} tokens\n`);
    }
    if (result.outcome.type === "answered") return EXIT.ok;
    if (!options.json) context.note(`factotum: the request failed (${result.outcome.code}): ${result.outcome.message}\n`);
    return EXIT.failure;
  } catch (error) {
    throw requestError(error);
  }
}
