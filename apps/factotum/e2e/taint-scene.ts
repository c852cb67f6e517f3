import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { runCommand, startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import type { JsonObject, StrictServer } from "@factotum/testing-providers";
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
}

/** `extra` is added to the configuration. */
export async function startTaintScene(extra: JsonObject = {}): Promise<TaintScene> {
  const model = await startObedientModel();
  const config = {
    agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
    models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
    ...extra,
  };
  let product: Product = await startProduct({ config });
  const { home } = product;
  const workspace = path.join(home, "workspace");
  const say = async (text: string): Promise<string> => (await runCommand(["agent", "--message", text], { home })).stdout.trim();
  const ask: TaintScene["ask"] = async (...calls) => {
    await say(`Please ${order(...calls)}`);
    return newestResults(model);
  };
  return {
    model,
    home,
    workspace,
    say,
    ask,
    readLetter: async (...calls) => {
      const { stdout } = await runCommand(["sessions", "show", "agent:main:main", "--json"], { home });
      const sessionId = /"sessionId": ?"([^"]+)"/.exec(stdout)?.[1] ?? "no session";
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
    },
    [Symbol.asyncDispose]: async () => {
      await product[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
