import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startProduct, type Product } from "@factotum/testing-product";
import type { JsonObject, StrictServer } from "@factotum/testing-providers";
import OpenAI from "openai";
import { newestTexts } from "./browser-scene.ts";
import { order, startObedientModel, type Order } from "./obedient-model.ts";

/** The manifests of the servers from the registry. */
const MANIFESTS = {
  everything: import.meta.resolve("@modelcontextprotocol/server-everything/package.json"),
  filesystem: import.meta.resolve("@modelcontextprotocol/server-filesystem/package.json"),
  memory: import.meta.resolve("@modelcontextprotocol/server-memory/package.json"),
};

/** The program of a server from the registry: its package's only command. */
export function serverProgram(name: keyof typeof MANIFESTS): string {
  return fileURLToPath(new URL("dist/index.js", MANIFESTS[name]));
}

/** A local server of the configuration. */
export function localServer(file: string, args: readonly string[] = [], more: JsonObject = {}): JsonObject {
  return { command: process.execPath, args: [file, ...args], ...more };
}

/** A server that lists the tools of a file. */
export const LIST_SERVER: string = fileURLToPath(new URL("mcp-list-server.ts", import.meta.url));

/** A product with MCP servers, and a model that makes the calls it is told to. */
export interface McpScene extends AsyncDisposable {
  readonly product: Product;
  readonly model: StrictServer;
  /** Has the model make the calls, one after the other, and resolves with the text of the results of the last one. */
  readonly use: (...calls: readonly Order[]) => Promise<string>;
}

export async function startMcpScene(
  servers: JsonObject,
  { home, settings = {}, user = "scene" }: { readonly home?: string; readonly settings?: JsonObject; readonly user?: string } = {},
): Promise<McpScene> {
  const model = await startObedientModel();
  const product = await startProduct({
    ...(home === undefined ? {} : { home }),
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-4-6" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-ant-test-0123456789" } } },
      mcp: { servers },
      ...settings,
    },
  });
  const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0, timeout: 120_000 });
  return {
    product,
    model,
    use: async (...calls) => {
      await client.chat.completions.create({
        model: "factotum",
        user,
        messages: [{ role: "user", content: order(...calls) || "hello" }],
      });
      return newestTexts(model).join("\n");
    },
    [Symbol.asyncDispose]: async () => {
      await product[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** The tools that servers have listed, as the state directory has them. */
export async function rememberedTools(home: string): Promise<readonly { readonly name: string }[]> {
  const folder = join(home, "state", "mcp");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  const lists = await Promise.all(
    files.map(
      async (name) => JSON.parse(await readFile(join(folder, name), "utf8")) as { readonly tools: readonly { readonly name: string }[] },
    ),
  );
  return lists.flatMap(({ tools }) => tools);
}
