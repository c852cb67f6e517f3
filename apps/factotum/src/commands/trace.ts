import { withoutUndefined } from "@factotum/agent-contract";
import type { MessageTrace } from "@factotum/protocol";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { parseTurn } from "./parse-turn.ts";

/** Shows what is stored of a message, from its event to the receipts of its answer, in order of time. */
export async function trace(
  cli: CliContext,
  { turn, session, json }: { readonly turn?: string; readonly session?: string; readonly json: boolean },
): Promise<number> {
  const named = session === undefined ? undefined : parseSessionName(session);
  const which = turn === undefined ? undefined : parseTurn(turn);
  using gateway = await connectGateway(cli);
  try {
    const sessionKey = named === undefined ? undefined : await sessionKeyOf(named, cli, gateway);
    const found = await gateway.client.request("messages.trace", withoutUndefined({ sessionKey, turn: which }), { signal: cli.signal });
    if (json) printJson(cli, found);
    else for (const line of linesOf(found)) cli.print(`${terminalText(line)}\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

function linesOf(found: MessageTrace): readonly string[] {
  const { inputs, requests, calls, sends, startedAtMs, endedAtMs, failure } = found;
  const steps: [atMs: number, text: string][] = [
    ...inputs.map(({ receivedAtMs, channel, sender, state, reason, text }): [number, string] => [
      receivedAtMs,
      `received on ${channel} from ${sender} (${withReason(state, reason)}): ${oneLine(text)}`,
    ]),
    [
      startedAtMs,
      `turn ${found.turn} began (${found.kind}, agent ${found.agentId}${found.starts > 1 ? `, started ${found.starts} times` : ""})`,
    ],
    ...requests.map(({ sentAtMs, request, model, durationMs, usage, outcome }): [number, string] => [
      sentAtMs,
      `request ${request} to ${model}: ${durationMs} ms, ${usage.total} tokens, ${outcome.type === "failed" ? `${outcome.code}: ${outcome.message}` : outcome.stopReason}`,
    ]),
    ...calls.map(({ askedAtMs, name, endedAtMs: ended, isError }): [number, string] => [
      askedAtMs,
      `tool ${name}: ${ended === undefined ? "no result" : `${ended - askedAtMs} ms${isError === true ? ", failed" : ""}`}`,
    ]),
    ...calls.flatMap(({ name, waits = [], endedAtMs: ended }) =>
      waits.map(({ atMs, untilMs = ended }): [number, string] => [
        atMs,
        `tool ${name} waits for a person: ${untilMs === undefined ? "no end" : `${untilMs - atMs} ms`}`,
      ]),
    ),
    ...(endedAtMs === undefined
      ? []
      : [
          [endedAtMs, `turn ended: ${found.state}${failure === undefined ? "" : `, ${failure.code}: ${failure.message}`}`] as [
            number,
            string,
          ],
        ]),
    ...sends.map(({ createdAtMs, purpose, channel, state, reason, attempts, messageIds, text }): [number, string] => [
      createdAtMs,
      `${purpose} to ${channel}: ${withReason(state, reason)} after ${attempts} ${attempts === 1 ? "attempt" : "attempts"}${messageIds.length === 0 ? "" : ` as ${messageIds.join(", ")}`}: ${oneLine(text)}`,
    ]),
  ];
  const sorted = steps.toSorted(([left], [right]) => left - right);
  const [firstMs] = sorted[0] ?? [startedAtMs];
  return sorted.map(([atMs, text]) => `${new Date(atMs).toISOString().slice(11, 23)} ${`+${atMs - firstMs} ms`.padStart(12)}  ${text}`);
}

function withReason(state: string, reason: string | undefined): string {
  return reason === undefined ? state : `${state}: ${reason}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, 80).toWellFormed();
}
