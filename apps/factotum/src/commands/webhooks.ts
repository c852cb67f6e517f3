import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { cutText } from "@factotum/agent-core";
import { loadConfig, resolveSecret } from "@factotum/config";
import type { FactotumConfig, Secret, WebhookScheme } from "@factotum/config";
import { signRequest } from "@factotum/gateway";
import { formatTime } from "@factotum/tools";
import { configOptions } from "../compose/extensions.ts";
import { connectGateway } from "../rpc/connect-gateway.ts";
import { requestGateway } from "../rpc/request-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { renderTable } from "../runtime/render-table.ts";
import { refusedStart } from "../runtime/refused-start.ts";

const ANSWER_MS = 30_000;
/** UTF-16 units of what was sent that a row shows. */
const MAX_SENT_CHARS = 60;

interface Address {
  readonly name: string;
  readonly scheme: WebhookScheme;
  readonly action: "agent" | "wake";
  readonly secret: Secret | undefined;
}

/** Lists which requests came, newest first, and what became of each. */
export async function webhooksDeliveries(
  cli: CliContext,
  { json, ...params }: { readonly json: boolean; readonly limit?: number },
): Promise<number> {
  const found = await requestGateway(cli, "webhooks.deliveries", params);
  if (json) printJson(cli, found);
  else {
    const rows = found.deliveries.map(({ receivedAtMs, webhook, state, reason, sent = "", sessionKey = "" }) =>
      [
        formatTime(receivedAtMs, ownZone()),
        webhook,
        reason === undefined ? state : `${state}: ${reason}`,
        sessionKey,
        cutText(sent.replaceAll(/\s+/g, " "), MAX_SENT_CHARS, "…"),
      ].map(terminalText),
    );
    if (rows.length === 0) cli.note("factotum: no request came of late\n");
    else cli.print(renderTable(["came", "webhook", "outcome", "conversation", "sent"], rows));
  }
  return EXIT.ok;
}

function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Lists the addresses below `hooks.path`. */
export async function webhooksList(cli: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const config = await readConfig(cli);
  const { hooks, gateway } = config;
  const rows = await Promise.all(
    addressesOf(config).map(async ({ name, scheme, action, secret }) => ({
      name,
      scheme,
      action,
      url: `${gateway.publicUrl ?? ""}${hooks.path}/${name}`,
      ready: secret !== undefined && (await resolveSecret(secret, { env: cli.env })).type === "resolved",
    })),
  );
  if (json) printJson(cli, { enabled: hooks.enabled, webhooks: rows });
  else {
    const lines = rows.map(({ name, scheme, action, url, ready }) => [name, scheme, `POST ${url}`, action, ready ? "" : "has no secret"]);
    cli.print(renderTable(["name", "proof", "address", "does", ""], lines));
    if (!hooks.enabled) cli.note("factotum: webhooks are off: factotum config set hooks.enabled true\n");
  }
  return EXIT.ok;
}

/** What is sent to try a webhook. */
export interface WebhookTest {
  readonly name: string;
  /** `-`: standard input. */
  readonly file: string;
  /** `name: value` each. */
  readonly headers: readonly string[];
  readonly json: boolean;
}

/** Sends a signed request to the running gateway, and shows its answer. */
export async function webhooksTest(cli: CliContext, { name, file, headers, json }: WebhookTest): Promise<number> {
  const config = await readConfig(cli);
  const address = addressesOf(config).find((one) => one.name === name);
  if (address === undefined)
    throw new CliError("usage", `There is no webhook ${JSON.stringify(name)}.`, { fix: "See which there are: factotum webhooks list" });
  const body = await readBody(cli, file);
  const secret = await secretOf(address, cli);
  using gateway = await connectGateway(cli);
  const response = await fetch(`${gateway.facts.url}${config.hooks.path}/${name}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...Object.fromEntries(headers.map(parseHeader)),
      ...signRequest(body, { scheme: address.scheme, secret, id: randomUUID(), nowMs: Date.now() }),
    },
    body,
    signal: AbortSignal.any([cli.signal, AbortSignal.timeout(ANSWER_MS)]),
  });
  const answer = await response.text();
  if (json) printJson(cli, { status: response.status, body: parsed(answer) });
  else cli.print(`${response.status} ${answer}\n`);
  return response.ok ? EXIT.ok : EXIT.failure;
}

async function readConfig({ env }: CliContext): Promise<FactotumConfig> {
  const loaded = await loadConfig(await configOptions(env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  return loaded.config;
}

function addressesOf({ hooks: { token, mappings } }: FactotumConfig): readonly Address[] {
  const own = (["wake", "agent"] as const).map((action) => ({ name: action, action, scheme: "bearer" as const, secret: token }));
  return [
    ...own,
    ...mappings.map(({ name, scheme, action, secret }) => ({
      name,
      scheme,
      action,
      secret: secret ?? (scheme === "bearer" ? token : undefined),
    })),
  ];
}

async function secretOf({ name, secret }: Address, { env }: CliContext): Promise<string> {
  if (secret === undefined)
    throw new CliError("configInvalid", `The webhook ${name} has no secret.`, { fix: "Set hooks.token, or the secret of the mapping." });
  const read = await resolveSecret(secret, { env });
  if (read.type === "resolved") return read.value;
  throw new CliError("configInvalid", `The secret of the webhook ${name} has no value: ${read.message}.`);
}

async function readBody(cli: CliContext, file: string): Promise<Buffer<ArrayBuffer>> {
  if (file === "-" && cli.readInput !== undefined) return Buffer.from(await cli.readInput());
  try {
    return Buffer.from(await readFile(file));
  } catch (error) {
    throw new CliError("usage", `The file ${file} cannot be read.`, { cause: error, fix: "Name a file with the body: --file body.json" });
  }
}

function parseHeader(line: string): readonly [string, string] {
  const [, name, value] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new CliError("usage", `${JSON.stringify(line)} is no header.`, { fix: "Write it as 'name: value'." });
  return [name.toLowerCase(), value];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
