/**
 * Starts and kills MCP servers, language servers and the gateway, and prints the processes that are left as JSON: `kill-tool-servers.ts <starts>`. It runs in a
 * PID namespace, where every process that is not its own or the first one came from the gateway.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startProduct, type Product } from "@factotum/testing-product";
import {
  callTools,
  checkOfficialRequests,
  sayText,
  startStrictServer,
  type CapturedRequest,
  type JsonObject,
} from "@factotum/testing-providers";
import OpenAI from "openai";
import { runningProcesses } from "./processes.ts";

const LIST_SERVER = fileURLToPath(new URL("mcp-list-server.ts", import.meta.url));
const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const STARTS = Number(process.argv[2]);
const STARTS_PER_GATEWAY = 10;
const HOVER = { name: "lsp_hover_typescript", arguments: { path: "a.ts", symbol: "area" } };
const ECHO = { name: "mcp__raw_echo", arguments: {} };

/** A server with a program of its own in the background, which holds the server's pipes and ignores a polite end. */
function withHelper(file: string, ...args: readonly string[]): { readonly command: string; readonly args: readonly string[] } {
  const helper = "(trap '' TERM HUP; while :; do sleep 1000; done) &";
  return { command: "sh", args: ["-c", `${helper} exec "$0" "$@"`, process.execPath, file, ...args] };
}

const home = await mkdtemp(join(tmpdir(), "factotum-kills-"));
const list = join(home, "tools.json");
const workspace = join(home, "workspace");
await mkdir(workspace, { recursive: true });
await writeFile(list, JSON.stringify([{ name: "echo", inputSchema: { type: "object" } }]));
await writeFile(join(workspace, "a.ts"), "export const area = 1;\n");
await using model = await startStrictServer("anthropic-messages");
const config = {
  agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
  models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
  mcp: { servers: { raw: { ...withHelper(LIST_SERVER, list), trusted: true } } },
  lsp: { servers: { ts: { ...withHelper(TSC, "--lsp", "--stdio"), languages: ["typescript"] } } },
};

let starts = 0;
const problems: string[] = [];
for (let life = 0; starts < STARTS; life += 1) {
  const product = await startProduct({ home, config });
  for (const end = starts + STARTS_PER_GATEWAY; starts < Math.min(end, STARTS); starts += 1) {
    const [call, expected] = starts % 2 === 0 ? ([ECHO, "ran echo"] as const) : ([HOVER, "area"] as const);
    // A server that has ended is started again after a pause.
    let result = await use(product, call);
    while (result.includes("it is tried again in")) {
      await wait(200);
      result = await use(product, call);
    }
    if (!result.includes(expected)) problems.push(`start ${starts}: ${result}`);
    const running = await serverProcesses(product);
    if (running.length < 2) problems.push(`start ${starts}: the server has no helper`);
    for (const id of running) if (await isServer(id)) process.kill(id, "SIGKILL");
    // The gateway ends what a dead server leaves.
    while ((await serverProcesses(product)).length > 0) await wait(5);
  }
  // These are for the gateway to end, or for its next start.
  await use(product, ECHO);
  await use(product, HOVER);
  await product.end(life % 2 === 0 ? "SIGKILL" : "SIGTERM");
}
const last = await startProduct({ home, config });
await last.end("SIGTERM");
const left = await serverProcesses(last);
const commands = await Promise.all(left.map(async (id) => (await readFile(`/proc/${id}/cmdline`, "utf8")).replaceAll("\0", " ")));
const subjects = model.requests.map(({ body = {} }) => ({ format: "anthropic-messages" as const, body }));
problems.push(...(await checkOfficialRequests(subjects)).map((problem) => JSON.stringify(problem)));
await rm(home, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ starts, problems, left: commands }));

/** Has the model make one call, and resolves with the request that has its result. */
async function use(product: Product, call: { readonly name: string; readonly arguments: JsonObject }): Promise<string> {
  model.respond(({ body }: CapturedRequest) => (hasResult(body) ? sayText("Done.") : callTools(call)));
  const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0, timeout: 60_000 });
  await client.chat.completions.create({ model: "factotum", user: "test", messages: [{ role: "user", content: "go on" }] });
  return newestMessage(model.requests.at(-1)?.body);
}

function hasResult(body: CapturedRequest["body"]): boolean {
  return newestMessage(body).includes('"tool_result"');
}

function newestMessage(body: CapturedRequest["body"]): string {
  return JSON.stringify((body?.["messages"] as readonly unknown[] | undefined)?.at(-1));
}

/** All that run, but the first one, this one and the gateway: what is left of a server may have any parent. */
async function serverProcesses({ pid }: Product): Promise<readonly number[]> {
  return (await runningProcesses()).filter((id) => ![1, process.pid, pid].includes(id));
}

async function isServer(id: number): Promise<boolean> {
  const command = await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "");
  return /^[^\0]*(?:\/node\0[^\0]*mcp-list-server|tsc\0)/.test(command);
}
