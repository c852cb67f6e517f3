import type { DeadLetter } from "@factotum/protocol";
import { CliError } from "../runtime/cli-error.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { paint } from "../runtime/paint.ts";
import { relativeTime } from "../runtime/relative-time.ts";
import { renderTable } from "../runtime/render-table.ts";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";

/** The filter of the list. */
export interface DeadLetterListOptions {
  readonly type?: DeadLetter["type"];
  readonly limit?: number;
  readonly cursor?: string;
  readonly json: boolean;
}

/** Lists dead letters, newest first. */
export async function deadLettersList(cli: CliContext, { json, ...params }: DeadLetterListOptions): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const page = await gateway.client.request("deadletters.list", params, { signal: cli.signal });
    if (json) printJson(cli, page);
    else {
      if (cli.isTerminal === true && page.letters.length > 0) cli.print(letterTable(cli, page.letters));
      else for (const letter of page.letters) cli.print(`${describeLetter(letter).join("\n")}\n`);
      if (page.letters.length === 0) cli.note("factotum: there are no dead letters\n");
      if (page.cursor !== undefined) cli.note(`factotum: there are more: --cursor ${page.cursor}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Shows one with everything stored about it. */
export async function deadLettersShow(cli: CliContext, id: string, options: { readonly json: boolean }): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const found = await gateway.client.request("deadletters.show", { id }, { signal: cli.signal });
    if (options.json) printJson(cli, found);
    else {
      cli.print(`${describeLetter(found.letter).join("\n")}\n`);
      if (found.payload !== undefined) cli.print(`${terminalText(JSON.stringify(found.payload, null, 2))}\n`);
    }
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Retries one. `yes` is required for one that may have been shown. */
export async function deadLettersReplay(
  cli: CliContext,
  id: string,
  options: { readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  using gateway = await connectGateway(cli);
  try {
    const result = await gateway.client.request("deadletters.replay", { id, risk: options.yes }, { signal: cli.signal });
    if (options.json) printJson(cli, result);
    else cli.print(`${id} waits again, in ${result.sessionKey}.\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** Purges the named ones, or all that failed longer ago than `olderThanMs`. */
export async function deadLettersPurge(
  cli: CliContext,
  ids: readonly string[],
  options: { readonly olderThanMs?: number; readonly json: boolean },
): Promise<number> {
  const { olderThanMs } = options;
  if ((ids.length === 0) === (olderThanMs === undefined)) {
    throw new CliError("usage", "Say what to purge: ids, or --older-than with an age.", {
      fix: '"factotum deadletters list" shows the ids; --older-than 0s means all of them.',
    });
  }
  using gateway = await connectGateway(cli);
  try {
    const params = olderThanMs === undefined ? { ids } : { failedBeforeMs: Math.max(0, Date.now() - olderThanMs) };
    const result = await gateway.client.request("deadletters.purge", params, { signal: cli.signal });
    if (options.json) printJson(cli, result);
    else cli.print(`${result.purged} ${result.purged === 1 ? "dead letter is" : "dead letters are"} forgotten.\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

/** For a person's terminal; `show` has the rest. */
function letterTable(cli: CliContext, letters: readonly DeadLetter[]): string {
  const nowMs = Date.now();
  const rows = letters.map(({ id, type, failedAtMs, reason, replay, text = "" }) => [
    id,
    relativeTime(failedAtMs, nowMs),
    type === "input" ? "to the assistant" : "of the assistant",
    replay === "risky" ? "needs --yes" : replay === "impossible" ? "impossible" : "safe",
    short(reason),
    short(text),
  ]);
  return renderTable(
    ["ID", "FAILED", "MESSAGE", "REPLAY", "REASON", "TEXT"].map((words) => paint(cli, "heading", words)),
    rows,
  );
}

function short(text: string): string {
  const line = terminalText(text.replaceAll(/\s+/g, " ").trim());
  return line.length <= 40 ? line : `${line.slice(0, 39)}…`;
}

function describeLetter(letter: DeadLetter): readonly string[] {
  const what = letter.type === "input" ? "a message to the assistant" : "a message of the assistant";
  const where = letter.channel === undefined ? "" : `, ${letter.channel}:${letter.accountId ?? ""} ${letter.conversation ?? ""}`;
  const replay = { safe: "", risky: "; it may have been shown, so a replay needs --yes", impossible: "; it cannot be replayed" }[
    letter.replay
  ];
  return [
    `${letter.id}  ${new Date(letter.failedAtMs).toISOString()}  ${what}${where}`,
    `    ${letter.state}: ${letter.reason}${replay}`,
    ...(letter.sessionKey === undefined ? [] : [`    ${letter.sessionKey}`]),
    ...(letter.text === undefined ? [] : [`    | ${letter.text.replaceAll(/\s+/g, " ")}`]),
  ].map((line) => terminalText(line));
}
