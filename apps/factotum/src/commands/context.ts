import type { ContextPartType, ContextReport, RpcMethods } from "@factotum/protocol";
import { withoutUndefined } from "@factotum/agent-contract";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { connectGateway, requestError } from "../rpc/connect-gateway.ts";
import { parseSessionName, sessionKeyOf } from "../rpc/session-name.ts";
import { parseTurn } from "./parse-turn.ts";

/** Selects the request and the parts of the report. */
export interface ContextOptions {
  readonly session?: string;
  /** A turn number of the conversation, or an id. */
  readonly turn?: string;
  readonly request?: number;
  readonly diff?: number | "previous";
  /** Include texts. */
  readonly texts: boolean;
  readonly json: boolean;
}

const PART_NAMES: Readonly<Record<ContextPartType, string>> = {
  system: "system prompt",
  messages: "session messages",
  prompt: "effective prompt",
  images: "prompt-local images",
  tools: "tools",
};

/** Shows the content of one model request: its five parts, their cost, and what changed since an earlier one. */
export async function context(cli: CliContext, options: ContextOptions): Promise<number> {
  const session = options.session === undefined ? undefined : parseSessionName(options.session);
  using gateway = await connectGateway(cli);
  const sessionKey = session === undefined ? undefined : await sessionKeyOf(session, cli, gateway);
  const params: RpcMethods["context.report"]["params"] = {
    diff: options.diff ?? "previous",
    ...withoutUndefined({ sessionKey }),
    ...(options.turn === undefined ? {} : { turn: parseTurn(options.turn) }),
    ...withoutUndefined({ request: options.request }),
    ...(options.texts ? { texts: true } : {}),
  };
  try {
    const report = await gateway.client.request("context.report", params, { signal: cli.signal });
    if (options.json) printJson(cli, report);
    else cli.print(`${describeReport(report).join("\n")}\n`);
    return EXIT.ok;
  } catch (error) {
    throw requestError(error);
  }
}

function describeReport(report: ContextReport): readonly string[] {
  return [
    ...describeRequest(report),
    "",
    `${"".padEnd(42)}${right("tokens")}${right("bytes")}${right("chars")}`,
    ...report.parts.flatMap((part) => [
      row(PART_NAMES[part.type], part),
      ...part.sections.flatMap((section) => [
        row(`  ${section.title}${section.half === undefined ? "" : ` (${section.half})`}`, section),
        ...(section.truncation === undefined
          ? []
          : [`    ! cut: ${count(section.truncation.keptChars)} of ${count(section.truncation.totalChars)} characters`]),
        ...(section.ofOthers === true ? ["    ! with words or files of others"] : []),
        ...(section.text === undefined ? [] : indent(section.text)),
        ...(section.omittedChars === undefined ? [] : [`    … ${count(section.omittedChars)} characters more`]),
      ]),
    ]),
    row("together (tokens are an estimate)", report.total),
    ...describeDiff(report),
  ];
}

function describeRequest({ request, prompt, exact, contextWindow, cutFiles, resting = [] }: ContextReport): readonly string[] {
  const { usage, outcome } = request;
  const cost = usage.costUsd === undefined ? "" : `, ${usage.costUsd.toFixed(4)} US dollars`;
  const settings = [
    request.thinking === undefined ? undefined : `thinking ${request.thinking}`,
    `cache ${request.cacheRetention}`,
    request.credential === undefined ? undefined : `key from ${request.credential}`,
  ].filter((part) => part !== undefined);
  return [
    ...(request.asked === undefined ? [] : [`asked      ${terminalText(request.asked)}`]),
    `request    turn ${request.turn}, request ${request.request} (${request.kind}), ${new Date(request.sentAtMs).toISOString()}, ${request.durationMs} ms`,
    `model      ${request.model}${contextWindow === undefined ? "" : `, window ${count(contextWindow)} tokens`}; ${settings.join(", ")}`,
    `outcome    ${outcome.type === "answered" ? `answered (${outcome.stopReason})` : `failed (${outcome.code}): ${outcome.message}`}`,
    `usage      ${count(usage.input)} new, ${count(usage.cacheRead)} read from the cache, ${count(usage.cacheWrite)} written to it, ${count(usage.output)} answered${cost}`,
    request.promptHash === ""
      ? "prompt     its own, kept with the request"
      : `prompt     rendered ${new Date(prompt.renderedAtMs).toISOString()} because of ${prompt.cause}, hash ${request.promptHash.slice(0, 12)}`,
    ...(request.causes.length === 0 ? [] : [`breaks     ${request.causes.join(", ")}`]),
    ...resting.map(
      ({ provider, model = "*", credential, reason, untilMs }) =>
        `           ! ${provider}/${model} (${credential}) is not asked until ${new Date(untilMs).toISOString()}: ${reason}`,
    ),
    ...cutFiles.map(
      ({ name, keptChars, totalChars, limit }) =>
        `           ! ${name} was cut to ${count(keptChars)} of ${count(totalChars)} characters (${limit === "file" ? "its own limit" : "the limit of all files"})`,
    ),
    ...(exact ? [] : ["           ! the conversation's stored form has changed since; this is what it is now"]),
  ];
}

function describeDiff({ diff }: ContextReport): readonly string[] {
  if (diff === undefined) return [];
  const first = diff.firstDifference;
  const why = diff.causes.length === 0 ? "no named cause" : diff.causes.join(", ");
  return [
    "",
    `since turn ${diff.turn}, request ${diff.request}: ${
      diff.prefixHeld
        ? "the prefix held, byte for byte"
        : `the prefix broke (${why})${first === undefined ? "" : `, first in ${PART_NAMES[first.part]}: ${first.section}`}`
    }`,
    ...(diff.reread === undefined
      ? []
      : [
          `  not read from the cache: ${count(diff.reread.tokens)} tokens${diff.reread.costUsd === undefined ? "" : `, which cost ${diff.reread.costUsd.toFixed(4)} US dollars more`}`,
        ]),
    ...diff.changes.map(
      ({ part, title, type, charsBefore, charsAfter }) =>
        `  ${{ added: "+", removed: "-", changed: "~" }[type]} ${PART_NAMES[part]}, ${title}: ${count(charsBefore)} → ${count(charsAfter)} characters`,
    ),
  ];
}

function row(name: string, size: { readonly tokens: number; readonly bytes: number; readonly chars: number }): string {
  const shown = name.length <= 41 ? name : `${name.slice(0, 40)}…`;
  return `${shown.padEnd(42)}${right(count(size.tokens))}${right(count(size.bytes))}${right(count(size.chars))}`;
}

function indent(text: string): readonly string[] {
  return text.split("\n").map((line) => `    | ${line}`);
}

function right(text: string): string {
  return text.padStart(11);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
