import type { GatewayStatus } from "@factotum/protocol";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { describeRequest } from "./pairing-lines.ts";
import { duration } from "./duration-text.ts";
import { describeSchedule } from "./schedule-lines.ts";
import { describeCommands, describeDamage } from "./status-lines.ts";
import { findGateway, findSilentGateway, requestError, silentError } from "../rpc/connect-gateway.ts";

/** Kinds of warnings that are in no other line. */
const TOLD = ["sharing:", "tools:", "acp:"];

/** The state of the gateway; if it is down, the state on disk. The database is never opened: it belongs to the gateway. */
export async function status(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  using gateway = await findGateway(context);
  if (gateway === undefined) {
    const silent = await findSilentGateway(context);
    if (silent !== undefined) throw silentError(silent);
    // Needs the configuration and the store, which a running gateway has loaded itself.
    const { readDisk, describeDisk } = await import("./status-on-disk.ts");
    const disk = await readDisk(context);
    if (json) printJson(context, { running: false, ...disk });
    else for (const line of describeDisk(disk)) context.print(`${line}\n`);
    return EXIT.notRunning;
  }
  try {
    const result = await gateway.client.request("status", {}, { signal: context.signal });
    if (json) printJson(context, { running: true, ...result });
    else {
      const { warnings } = await gateway.client.request("warnings.list", {}, { signal: context.signal });
      const told = warnings.filter(({ id }) => TOLD.some((kind) => id.startsWith(kind)));
      const lines = [...describeStatus(result, Date.now()), ...told.map(({ text }) => `           ! ${terminalText(text)}`)];
      for (const line of lines) context.print(`${line}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** The status as text. Anything that needs attention comes with a reason. */
function describeStatus(status: GatewayStatus, nowMs: number): string[] {
  const { config, sessions, inputs, outbox, storage, usage } = status;
  const differs = config.fileHash !== undefined && config.fileHash !== config.runningHash;
  const cost = usage.costUsd === undefined ? "" : `, ${usage.costUsd.toFixed(2)} US dollars`;
  return [
    `gateway    running at ${status.url} for ${duration(nowMs - status.startedAtMs)} (version ${status.version}, process ${status.pid})`,
    ...(status.publicUrl === undefined ? [] : [`           reached from outside at ${status.publicUrl}`]),
    `config     ${config.path}${differs ? " (the file on disk is not what runs)" : ""}`,
    ...config.problems.map((problem) => `           ! ${problem}`),
    ...(config.needsRestart.length === 0
      ? []
      : [`           ! ${config.needsRestart.join(", ")}: changed since the start; run "factotum gateway restart"`]),
    ...(config.inactive.length === 0 ? [] : [`           not active yet in this build: ${config.inactive.join(", ")}`]),
    ...describeCommands(config.commandPolicy),
    ...(storage.state === "ok" ? [] : [`storage    ! ${storage.state}: ${storage.detail ?? ""}`]),
    ...describeDamage(status.damage),
    ...status.agents.flatMap((agent) => describeAgent(agent, nowMs)),
    ...status.resting.map(({ provider, model = "*", credential, reason, untilMs }) => {
      return `           ! ${provider}/${model} (${credential}) is not asked for ${duration(untilMs - nowMs)}: ${reason}`;
    }),
    ...status.channels.flatMap((account) => {
      const { channel, accountId, detail } = account;
      const line = `channel    ${channel}/${accountId}: ${describeState(account)}${detail === undefined ? "" : ` (${detail})`}`;
      return [line, ...describeOldSecret(account)];
    }),
    ...describePairing(status.pairing, nowMs),
    ...describeRefused(status.refused, nowMs),
    `sessions   ${sessions.total}, ${sessions.running} at work`,
    `messages   ${inputs.waiting} waiting to be answered, ${outbox.waiting} waiting to be sent${oldestText(outbox, nowMs)}`,
    ...describeBlocked(outbox.blocked, nowMs),
    ...describeSchedule(status.schedule, nowMs),
    ...(inputs.deadLettered + outbox.deadLettered + outbox.ambiguous === 0
      ? []
      : [
          `           ! ${inputs.deadLettered} could not be answered, ${outbox.deadLettered} could not be sent, ${outbox.ambiguous} may or may not have arrived`,
        ]),
    `usage      ${usage.totalTokens} tokens${cost}`,
  ];
}

/**
 * The state of an account, and where it receives if platforms call it. Without a request it is not known to be connected, but it listens. One that starts and says
 * what it needs is waiting for that.
 */
export function describeState({
  state,
  detail,
  webhookUrl,
}: Pick<GatewayStatus["channels"][number], "state" | "detail" | "webhookUrl">): string {
  if (webhookUrl !== undefined) return `${state === "starting" ? "listening" : state} at ${webhookUrl}`;
  return state === "starting" && detail !== undefined ? "waiting" : state;
}

/** What to do after a secret was replaced; nothing if none was. */
export function describeOldSecret({ hasOldSecret }: Pick<GatewayStatus["channels"][number], "hasOldSecret">): string[] {
  return hasOldSecret === true ? ['           ! its secret was replaced since it was started; run "factotum gateway restart"'] : [];
}

/** People who ask to be admitted, with their codes; empty without any. */
export function describePairing({ pending }: GatewayStatus["pairing"], nowMs: number): string[] {
  if (pending.length === 0) return [];
  return [
    `pairing    ${pending.length === 1 ? "1 person asks" : `${pending.length} people ask`} to be admitted: factotum pairing approve CODE`,
    ...pending.map((request) => `           ${describeRequest(request, nowMs)}`),
  ];
}

/** Refused parties that are listed with the command that admits them. */
const MAX_REFUSED = 5;

/** Refused messages with the commands that admit their senders and groups; nothing if there are none. */
export function describeRefused({ messages, senders }: GatewayStatus["refused"], nowMs: number): string[] {
  if (messages === 0) return [];
  return [
    `refused    ${messages} ${messages === 1 ? "message" : "messages"} of people or groups that are not admitted, since the start`,
    ...senders.slice(0, MAX_REFUSED).map(({ channel, accountId, type, id, count, lastAtMs, admit }) => {
      const who = `${channel}/${accountId} ${type} ${JSON.stringify(id).slice(1, -1)}`;
      return `           ${who}: ${count}, the newest ${duration(nowMs - lastAtMs)} ago${admit === undefined ? "" : `; admit: ${admit}`}`;
    }),
  ];
}

function oldestText({ oldestAtMs }: GatewayStatus["outbox"], nowMs: number): string {
  return oldestAtMs === undefined ? "" : `, the oldest for ${duration(nowMs - oldestAtMs)}`;
}

/** Conversations that are listed one by one. */
const MAX_BLOCKED = 20;

function describeBlocked(blocked: GatewayStatus["outbox"]["blocked"], nowMs: number): string[] {
  const lines = blocked.slice(0, MAX_BLOCKED).map(({ channel, accountId, conversation, threadId, waiting, sinceMs, reason, nextTryMs }) => {
    const where = `${channel}/${accountId} ${conversation}${threadId === undefined ? "" : ` (thread ${threadId})`}`;
    const next = nextTryMs <= nowMs ? "tried now" : `next try in ${duration(nextTryMs - nowMs)}`;
    return `           ! ${where}: ${waiting} not sent for ${duration(nowMs - sinceMs)} (${reason}), ${next}`;
  });
  const more = blocked.length - lines.length;
  return more > 0 ? [...lines, `           ! ${more} more conversations wait; "factotum status --json" lists them`] : lines;
}

function describeAgent(
  { id, model, credentials = [], modelProblem, modelNote, lastFailure }: GatewayStatus["agents"][number],
  nowMs: number,
): string[] {
  const keys = credentials.length > 1 ? ` (credentials ${credentials.join(", ")})` : "";
  return [
    `agent      ${id}: ${model}${keys}${modelProblem === undefined ? "" : `  ! ${modelProblem}`}`,
    ...(modelNote === undefined ? [] : [`           ${modelNote}`]),
    ...(lastFailure === undefined
      ? []
      : [`           ! the newest run failed ${duration(nowMs - lastFailure.atMs)} ago: ${lastFailure.text}`]),
  ];
}
