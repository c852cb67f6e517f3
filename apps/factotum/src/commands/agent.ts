import { randomUUID } from "node:crypto";
import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentRunResult } from "@factotum/protocol";
import { connectGateway, requestError, type ConnectedGateway } from "../rpc/connect-gateway.ts";
import { ConnectionError } from "../rpc/rpc-errors.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { AnswerStream } from "./answer-stream.ts";

/** Options of a message to an agent. */
export interface AgentOptions {
  readonly message: string;
  readonly agent?: string;
  readonly session?: string;
  readonly json: boolean;
}

/** As a shell reports a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/**
 * Sends a message to an agent through the gateway and prints its answer: while it is written at a terminal, otherwise at its end. If the run waits for
 * sub-agents, that is the answer to their results. Calls and questions that wait for the owner are shown at once, those of the sub-agents too. An interrupt also
 * stops the run, and its sub-agents, in the gateway.
 */
export async function agent(context: CliContext, options: AgentOptions): Promise<number> {
  if (options.message.trim() === "")
    throw new CliError("usage", "The message is empty.", { fix: 'Write it behind --message: factotum agent --message "What can you do?"' });
  const session = options.session === undefined ? undefined : parseSessionName(options.session);
  using gateway = await connectGateway(context);
  const { client } = gateway;
  const sessionKey = session === undefined ? undefined : await sessionKeyOf(session, context, gateway);
  const isStreamed = context.isTerminal === true && !options.json;
  const params = { message: options.message, idempotencyKey: randomUUID(), ...withoutUndefined({ agentId: options.agent, sessionKey }) };
  try {
    const target = sessionKey ?? (await mainKey(gateway, options.agent));
    using stream = target === undefined ? undefined : await AnswerStream.open(target, client, { context, isStreamed });
    const running = client.request("agent", params).catch((error: unknown) => {
      throw error instanceof ConnectionError && target !== undefined ? lostAnswer(error, target) : error;
    });
    const result = await Promise.race([running, interrupted(context.signal)]);
    if (result !== undefined) return report(context, result, { stream, json: options.json });
    // Its result is in the conversation.
    running.catch(() => undefined);
    await stop(context, gateway, { sessionKey: target, stream: isStreamed ? stream : undefined });
    return INTERRUPTED;
  } catch (error) {
    throw requestError(error);
  }
}

async function mainKey({ client }: ConnectedGateway, agentId: string | undefined): Promise<string | undefined> {
  const { agents } = await client.request("agents.list", {});
  return agents.find(({ id, isDefault }) => (agentId === undefined ? isDefault : id === agentId.toLowerCase()))?.mainSessionKey;
}

async function interrupted(signal: AbortSignal): Promise<undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  if (signal.aborted) resolve(undefined);
  signal.addEventListener("abort", () => resolve(undefined), { once: true });
  return promise;
}

/** Stops the run of this command. If something else ran in the session, its own run is unknown and nothing is stopped. */
async function stop(
  context: CliContext,
  { client }: ConnectedGateway,
  { sessionKey, stream }: { readonly sessionKey: string | undefined; readonly stream: AnswerStream | undefined },
): Promise<void> {
  if (sessionKey === undefined) return;
  if (stream !== undefined && !stream.isOurs) {
    context.note('\nfactotum: the message waits behind another run and is answered in the conversation; "/stop" there ends both\n');
    return;
  }
  const { aborted } = await client.request("chat.abort", { sessionKey, ...withoutUndefined({ runId: stream?.runId }) });
  context.note(aborted ? "\nfactotum: stopped\n" : "\nfactotum: the run had ended\n");
}

function report(
  context: CliContext,
  result: AgentRunResult,
  { stream, json }: { readonly stream: AnswerStream | undefined; readonly json: boolean },
): number {
  const { text, remarks = [], notices = [], thoughts, outcome } = result;
  const isDone = outcome.type === "done";
  if (json) {
    printJson(context, result);
    return isDone ? EXIT.ok : EXIT.failure;
  }
  // A pipe gets the answer as it is.
  const shown = (words: string): string => (context.isTerminal === true ? terminalText(words) : words);
  if (thoughts !== undefined) context.note(`${shown(thoughts).replaceAll(/^/gm, "> ")}\n`);
  if (stream?.end(text) !== true && text !== "") context.print(`${shown(text)}\n`);
  const later = notices.filter((notice) => stream?.requests.has(notice) !== true);
  for (const remark of [...remarks, ...later]) context.note(`factotum: ${shown(remark)}\n`);
  if (!isDone) context.note(`factotum: the run ${outcome.type === "failed" ? "failed" : "was stopped"}: ${shown(outcome.message ?? "")}\n`);
  return isDone ? EXIT.ok : EXIT.failure;
}

/** A message that the gateway has stored is answered, whether a client waits for that or not (R1). */
function lostAnswer(error: ConnectionError, sessionKey: string): CliError {
  const fix = `If the gateway had the message, its answer comes in the conversation: factotum sessions show ${sessionKey}`;
  return new CliError("failure", error.message, { cause: error, fix });
}
