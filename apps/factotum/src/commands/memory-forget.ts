import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadConfig, type FactotumConfig } from "@factotum/config";
import { agentSessionKey, normalizeSessionKey } from "@factotum/gateway";
import { configOptions } from "../compose/extensions.ts";
import { withStoppedStore } from "../compose/with-stopped-store.ts";
import { applyForgotten } from "../forget/apply-forgotten.ts";
import { applyTombstone, isNothing, type ForgetReport } from "../forget/apply-tombstone.ts";
import { createTombstone, withLines, type ForgetScope } from "../forget/create-tombstone.ts";
import { findForgetPlaces, listUntouched, shownPath, type ForgetPlaces } from "../forget/forget-places.ts";
import { writeForgotten } from "../forget/forgotten-list.ts";
import type { MemoryForgetReport } from "@factotum/protocol";
import { connectGateway } from "../rpc/connect-gateway.ts";
import { requestGateway } from "../rpc/request-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { CliError } from "../runtime/cli-error.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { holdHome } from "../runtime/hold-home.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** What to forget, as it was written; exactly one of session, since and search. */
export interface MemoryForgetOptions {
  readonly session?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  /** With `since`; now by default. */
  readonly until?: number;
  readonly search?: string;
  readonly dryRun: boolean;
  /** A running gateway may be restarted. */
  readonly restart: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** A shorter text is in too many others. */
const MIN_SEARCH_CHARS = 2;

/**
 * Shows what would be forgotten, asks, and forgets it: without a terminal, `yes` is required. A running gateway says what would be forgotten; it is restarted for
 * the rest, if that is allowed. One that was killed is continued by the next call, or by the next start of the gateway.
 */
export async function memoryForget(cli: CliContext, options: MemoryForgetOptions): Promise<number> {
  const loaded = await loadConfig(await configOptions(cli.env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  using held = await holdHome(cli.paths);
  if (held === undefined) return forgetRunning(cli, options);
  if (!existsSync(join(cli.paths.stateFolder, "factotum.sqlite"))) return nothing(cli, options);
  await applyForgotten(cli.paths, cli.env);
  const places = await findForgetPlaces(cli.paths, cli.env);
  const scope = await scopeOf(options, async (written) => keyOf(written, loaded.config, places));
  const first = createTombstone(scope, systemClock.now());
  const { calls } = await applyTombstone(places, first, { isTrial: true });
  const tombstone = await withLines(first, calls, places);
  const report = await applyTombstone(places, tombstone, { isTrial: true });
  if (isNothing(report)) return nothing(cli, options);
  const shown = shownReport(report, { places, untouched: await listUntouched(places) });
  if (options.json && options.dryRun) printJson(cli, { done: false, ...shown });
  if (!options.json) cli.print(describe(shown));
  if (options.dryRun) return saidOnly(cli, options);
  if (!(await isConfirmed(cli, options))) return EXIT.failure;
  await writeForgotten(cli.paths.home, [tombstone]);
  await applyTombstone(places, tombstone, { isTrial: false });
  if (options.json) printJson(cli, { done: true, ...shown });
  else cli.print("It is forgotten. A backup that is restored loses it again.\n");
  return EXIT.ok;
}

/** Through the gateway that runs. */
async function forgetRunning(cli: CliContext, options: MemoryForgetOptions): Promise<number> {
  const { dryRun, restart, json } = options;
  if (!dryRun && !restart)
    throw new CliError("failure", `A gateway uses ${cli.paths.home}, and could say again what it still knows.`, {
      fix: 'Pass --restart, or stop it with "factotum gateway stop", forget, and start it again.',
    });
  const scope = await scopeOf(options, async (written) => {
    using gateway = await connectGateway(cli);
    return sessionKeyOf(parseSessionName(written), cli, gateway);
  });
  const asked = scope.type === "session" ? { type: scope.type, sessionKey: scope.key } : scope;
  const planned = await requestGateway(cli, "memory.forget", { scope: asked, dryRun: true });
  if (planned.type === "nothing") return nothing(cli, options);
  if (json && dryRun) printJson(cli, { done: false, ...withoutType(planned) });
  if (!json) cli.print(describe(planned));
  if (dryRun) return saidOnly(cli, options);
  if (!(await isConfirmed(cli, options))) return EXIT.failure;
  const decided = await requestGateway(cli, "memory.forget", { scope: asked });
  if (json) printJson(cli, { done: true, ...withoutType(decided) });
  else cli.print("The gateway restarts and forgets it. A backup that is restored loses it again.\n");
  return EXIT.ok;
}

function withoutType({ type: _type, ...report }: MemoryForgetReport): Omit<MemoryForgetReport, "type"> {
  return report;
}

function saidOnly(cli: CliContext, { json }: MemoryForgetOptions): number {
  if (!json) cli.note("factotum: nothing was changed; without --dry-run this is what is forgotten\n");
  return EXIT.ok;
}

async function isConfirmed(cli: CliContext, { yes }: MemoryForgetOptions): Promise<boolean> {
  if (yes) return true;
  if (cli.confirm === undefined)
    throw new CliError("usage", "Forgetting needs a confirmation, and no terminal is attached.", {
      fix: "Pass --dry-run to see what would be forgotten, or --yes to forget it.",
    });
  if (await cli.confirm("Forget all of this? It cannot be undone.")) return true;
  cli.note("factotum: nothing was changed\n");
  return false;
}

async function scopeOf(
  { session, since, until, search }: MemoryForgetOptions,
  keyOfSession: (written: string) => Promise<string>,
): Promise<ForgetScope> {
  const fix = "Name one of --session KEY, --since TIME and --search TEXT.";
  if ([session, since, search].filter((one) => one !== undefined).length !== 1)
    throw new CliError("usage", "It is not said what to forget.", { fix });
  if (until !== undefined && since === undefined) throw new CliError("usage", "--until needs --since.", { fix });
  if (since !== undefined) {
    const toMs = until ?? systemClock.now() + 1;
    if (since >= toMs) throw new CliError("usage", "--since is not before --until.", { fix: "Name the earlier time first." });
    return { type: "span", fromMs: since, toMs };
  }
  if (search !== undefined) {
    if (search.trim().length < MIN_SEARCH_CHARS)
      throw new CliError("usage", "The text is too short to search for.", { fix: `Name at least ${MIN_SEARCH_CHARS} characters.` });
    return { type: "search", text: search.trim() };
  }
  return { type: "session", key: await keyOfSession(session ?? "") };
}

/** Like `sessionKeyOf`, without a gateway. A session that is deleted already may still have files. */
async function keyOf(written: string, config: FactotumConfig, places: ForgetPlaces): Promise<string> {
  const name = parseSessionName(written);
  if (name.type === "key") return normalizeSessionKey(name.key);
  const agents = config.agents;
  const agent = name.name === "main" ? agents.find(({ isDefault }) => isDefault) : agents.find(({ id }) => id === name.name.toLowerCase());
  if (agent !== undefined) return agentSessionKey(agent.id, config.session.mainKey);
  const found = await withStoppedStore(places, async (store) => store.findSession({ label: name.name }));
  if (found !== undefined) return found.key;
  throw new CliError("usage", `There is no session "${name.name}".`, {
    fix: 'Write "main", an agent, a name or a key as "factotum sessions list" shows it, such as agent:main:main.',
  });
}

function nothing(cli: CliContext, { json }: MemoryForgetOptions): number {
  if (json) printJson(cli, { done: false, counts: {}, notes: [], untouched: [] });
  else cli.note("factotum: there is nothing of it\n");
  return EXIT.ok;
}

/** What is forgotten, for people. */
type ShownReport = Pick<MemoryForgetReport, "counts" | "notes" | "untouched">;

function shownReport(
  { counts, notes }: ForgetReport,
  { places, untouched }: { readonly places: ForgetPlaces; readonly untouched: readonly string[] },
): ShownReport {
  const shown = notes.map(({ file, lines, text }) => ({ path: shownPath(file, places), lines, removed: text === undefined }));
  return { counts: Object.fromEntries(counts), notes: shown, untouched };
}

function describe({ counts, notes, untouched }: ShownReport): string {
  const width = Math.max(...Object.values(counts).map((count) => String(count).length), 1);
  const lines = [
    "To be forgotten:",
    ...Object.entries(counts).map(([kind, count]) => `  ${String(count).padStart(width)} ${kind}`),
    ...notes.map(({ path, lines: gone, removed }) =>
      removed ? `  the note ${path}` : `  ${gone} ${gone === 1 ? "line" : "lines"} of the note ${path}`,
    ),
    "Summaries of conversations that lose a part go with it, and all logs.",
    ...(untouched.length === 0
      ? []
      : ["Not touched; remove it yourself if it holds what you want to forget:", ...untouched.map((path) => `  ${path}`)]),
  ];
  return `${lines.join("\n")}\n`;
}
