/**
 * The program that the conformance suite starts as a client of a server that wants a login: it uses the server as a gateway does, and logs in where an owner would
 * be asked to, with a browser that agrees to everything.
 */
import type { ToolSource } from "@factotum/agent-contract";
import { startLogin, type RemoteServer } from "../src/index.ts";
import { memoryLogins } from "./memory-logins.ts";
import { callTool, openScene, testClock, textOf } from "./scene.ts";

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
}

const MAX_LOGINS = 5;
const ROUNDS = 2;

const { client_id: clientId, client_secret: clientSecret, issuer } = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Context;
const clientMetadataUrl = "https://conformance-test.local/client-metadata.json";
const settings: RemoteServer = {
  url: process.argv.at(-1) ?? "",
  transport: "streamable-http",
  headers: {},
  timeoutMs: 20_000,
  trusted: true,
  oauth: clientId === undefined ? { clientMetadataUrl } : { clientId, clientSecret, issuer },
};

const logins = memoryLogins();
const clock = testClock();
await using scene = await openScene({ logins, clock });

let source = await listed();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { name } of source.tools) {
    const text = textOf(await callTool(source, name, {}, scene));
    process.stdout.write(`${name}: ${text}\n`);
    if (!text.includes("needs login")) continue;
    await logIn();
    source = await listed();
    process.stdout.write(`${name}: ${textOf(await callTool(source, name, {}, scene))}\n`);
  }
}

/** The server with its list, after as many logins as it takes. */
async function listed(): Promise<ToolSource> {
  for (let count = 0; count < MAX_LOGINS; count += 1) {
    const found = await scene.listed(settings);
    if (found.problem === undefined) return found;
    if (!found.problem.startsWith("needs login")) throw new Error(found.problem);
    await logIn();
  }
  throw new Error("it wants one login after the other");
}

async function logIn(): Promise<void> {
  const redirectUrl = "http://127.0.0.1:3999/callback";
  const readSecret = async (value: unknown): Promise<string> => Promise.resolve(String(value));
  const signal = AbortSignal.timeout(20_000);
  const started = await startLogin("raw", settings, { logins, fetch, clock, readSecret, version: "1.0.0", redirectUrl, signal });
  if (started === undefined) throw new Error("it wants no login");
  const answer = await fetch(started.address, { redirect: "manual" });
  await started.finish(answer.headers.get("location") ?? "");
}
