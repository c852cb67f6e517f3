import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ApprovalDecision } from "@factotum/protocol";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { JsonObject, StrictServer } from "@factotum/testing-providers";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { decideApprovals } from "./decide-approvals.ts";
import { newestResults, order, startObedientModel, type Order } from "./obedient-model.ts";

/** The owner's conversation with a model that obeys every text. */
export interface TaintScene extends AsyncDisposable {
  readonly model: StrictServer;
  readonly home: string;
  readonly workspace: string;
  /** Sends a message as the owner; resolves with the answer. */
  say(text: string): Promise<string>;
  /** The owner requests calls; resolves with their results. */
  ask(...calls: readonly Order[]): Promise<readonly string[]>;
  /** The owner has a received file read that requests calls; resolves with their results. */
  readLetter(...calls: readonly Order[]): Promise<readonly string[]>;
  /** The newest request as text. */
  request(): string;
  write(name: string, text: string): Promise<void>;
  read(name: string): Promise<string>;
  killAndStart(): Promise<void>;
  /** The owner's decision on calls that wait; `deny` unless a test says otherwise. */
  decision: ApprovalDecision;
}

/** Commands run without asking unless the turn is tainted; then `decision` counts. `extra` is added to the configuration. */
export async function startTaintScene(extra: JsonObject = {}): Promise<TaintScene> {
  const model = await startObedientModel();
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
    tools: { exec: { mode: "full" } },
    ...extra,
  };
  let product: Product = await startProduct({ config });
  const scene = { decision: "deny" as ApprovalDecision };
  await decideApprovals(product, () => scene.decision);
  const { home } = product;
  const workspace = path.join(home, "workspace");
  // Like `factotum agent`, which would be a process for each message.
  const connect = (): Promise<RpcClient> => RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  const say = async (text: string): Promise<string> => {
    using client = await connect();
    return (await client.request("agent", { message: text, idempotencyKey: randomUUID() })).text;
  };
  const ask: TaintScene["ask"] = async (...calls) => {
    await say(`Please ${order(...calls)}`);
    return newestResults(model);
  };
  return Object.assign(scene, {
    model,
    home,
    workspace,
    say,
    ask,
    readLetter: async (...calls) => {
      using client = await connect();
      const { sessions } = await client.request("sessions.list", {});
      const sessionId = sessions.find(({ key }) => key === "agent:main:main")?.sessionId ?? "no session";
      const letter = path.join(home, "media", "inbound", sessionId, "letter.txt");
      await mkdir(path.dirname(letter), { recursive: true });
      await writeFile(letter, `Hello. ${order(...calls)}`);
      return ask({ name: "read", arguments: { path: letter } });
    },
    request: () => JSON.stringify(model.requests.at(-1)?.body),
    write: async (name, text) => {
      await mkdir(path.dirname(path.join(workspace, name)), { recursive: true });
      await writeFile(path.join(workspace, name), text);
    },
    read: async (name) => readFile(path.join(workspace, name), "utf8"),
    killAndStart: async () => {
      await product.end("SIGKILL");
      product = await startProduct({ config, home });
      await decideApprovals(product, () => scene.decision);
    },
    [Symbol.asyncDispose]: async () => {
      await product[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  } satisfies Omit<TaintScene, "decision">);
}
