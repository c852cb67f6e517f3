import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describeCommandPolicy, formatProblem, isFatal, loadConfig } from "@factotum/config";
import type { DamageEvent, GatewayStatus } from "@factotum/protocol";
import { findPendingRecovery, readDamageEvents, type PendingRecovery } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import { configOptions } from "../compose/extensions.ts";
import { sessionFolders } from "../compose/session-folders.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { describeFullDisk, FREE_SPACE } from "../runtime/full-disk.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { describeEvent } from "./damage.ts";
import { describeRequest } from "./pairing.ts";
import { findGateway, requestError } from "../rpc/connect-gateway.ts";

/** The state of the gateway; if it is down, the state on disk. The database is never opened: it belongs to the gateway. */
export async function status(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  using gateway = await findGateway(context);
  if (gateway === undefined) {
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
      const shared = warnings.filter(({ id }) => id.startsWith("sharing:"));
      const lines = [...describeStatus(result, Date.now()), ...shared.map(({ text }) => `           ! ${text}`)];
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
    ...status.channels.map((account) => {
      const { channel, accountId, detail } = account;
      return `channel    ${channel}/${accountId}: ${describeState(account)}${detail === undefined ? "" : ` (${detail})`}`;
    }),
    ...describePairing(status.pairing, nowMs),
    ...describeRefused(status.refused, nowMs),
    `sessions   ${sessions.total}, ${sessions.running} at work`,
    `messages   ${inputs.waiting} waiting to be answered, ${outbox.waiting} waiting to be sent${oldestText(outbox, nowMs)}`,
    ...describeBlocked(outbox.blocked, nowMs),
    ...(inputs.deadLettered + outbox.deadLettered + outbox.ambiguous === 0
      ? []
      : [
          `           ! ${inputs.deadLettered} could not be answered, ${outbox.deadLettered} could not be sent, ${outbox.ambiguous} may or may not have arrived`,
        ]),
    `usage      ${usage.totalTokens} tokens${cost}`,
  ];
}

/** The state of an account in one word: one that starts and says what it needs is waiting for that. */
export function describeState(health: Pick<GatewayStatus["channels"][number], "state" | "detail">): string {
  return health.state === "starting" && health.detail !== undefined ? "waiting" : health.state;
}

function describeCommands(lines: readonly string[]): string[] {
  return lines.map((line, index) => `${index === 0 ? "commands  " : "          "} ${line}`);
}

function describePairing({ pending }: GatewayStatus["pairing"], nowMs: number): string[] {
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

interface DiskFacts {
  readonly damage: readonly DamageEvent[];
  readonly home: string;
  readonly config: { readonly path: string; readonly state: "valid" | "missing" | "bad"; readonly problems: readonly string[] };
  /** Of the configuration that a start would use; empty if a start would be refused. */
  readonly commandPolicy: readonly string[];
  readonly databaseBytes: number;
  /** Why a start would fail on a full disk. */
  readonly fullDisk?: string;
  /** How the next start will handle a lost database. */
  readonly recovery?: PendingRecovery;
  readonly sessionFiles: number;
}

async function readDisk({ env, paths }: CliContext): Promise<DiskFacts> {
  const loaded = await loadConfig(await configOptions(env));
  const isMissing = loaded.problems.some(({ type }) => type === "missing") || (loaded.type === "loaded" && loaded.source === "defaults");
  const recovery = await findPendingRecovery(paths.stateFolder, sessionFolders(paths));
  return {
    home: paths.home,
    config: {
      path: loaded.path,
      state: isMissing ? "missing" : loaded.problems.some(isFatal) ? "bad" : "valid",
      problems: loaded.problems.map(formatProblem),
    },
    commandPolicy: loaded.type === "loaded" ? describeCommandPolicy(loaded.config) : [],
    databaseBytes: await sizeOf(join(paths.stateFolder, "factotum.sqlite")),
    ...withoutUndefined({ recovery, fullDisk: await describeFullDisk(paths.home) }),
    sessionFiles: await countSessionFiles(join(paths.home, "agents")),
    damage: readDamageEvents(paths.stateFolder),
  };
}

function describeDisk({ home, config, commandPolicy, databaseBytes, fullDisk, recovery, sessionFiles, damage }: DiskFacts): string[] {
  return [
    'gateway    not running; start it with "factotum gateway start"',
    `state      ${home} (database ${(databaseBytes / 1e6).toFixed(1)} MB, ${sessionFiles} conversation files)`,
    `config     ${config.path} (${config.state === "missing" ? `not there${config.problems.length === 0 ? '; "factotum setup" makes it' : ""}` : config.state})`,
    ...config.problems.map((problem) => `           ! ${problem}`),
    ...describeCommands(commandPolicy),
    ...(fullDisk === undefined ? [] : [`storage    ! ${fullDisk}`, `           ${FREE_SPACE}`]),
    ...(recovery === undefined ? [] : [`database   ! ${recovery.text}`, `           ${recovery.fix}`]),
    ...describeDamage(damage),
  ];
}

function describeDamage(events: readonly DamageEvent[]): string[] {
  if (events.length === 0) return [];
  return [
    ...events.map((event, index) => `${index === 0 ? "damage    " : "          "} ! ${describeEvent(event)}`),
    '           "factotum damage acknowledge" ends this notice',
  ];
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}

async function countSessionFiles(agents: string): Promise<number> {
  let count = 0;
  for (const agent of await namesIn(agents)) {
    count += (await namesIn(join(agents, agent, "sessions"))).filter((name) => name.endsWith(".jsonl")).length;
  }
  return count;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

function duration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "less than a minute";
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
