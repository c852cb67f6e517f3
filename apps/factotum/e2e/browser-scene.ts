import { startProduct, type Product } from "@factotum/testing-product";
import type { ApprovalDecision } from "@factotum/protocol";
import type { JsonObject, StrictServer } from "@factotum/testing-providers";
import OpenAI from "openai";
import { existsSync } from "node:fs";
import { decideApprovals } from "./decide-approvals.ts";
import { order, startObedientModel, type Order } from "./obedient-model.ts";
import { startWebScene, type WebScene } from "./web-scene.ts";

/** Of a test: a browser on a busy machine takes its time. */
export const BROWSER_TIMEOUT = { timeout: 240_000 };

/** A product with a browser, whose model obeys, and whose owner decides as asked. Its pages are on loopback, which the owner has opened. */
export interface BrowserScene extends AsyncDisposable {
  readonly web: WebScene;
  readonly product: Product;
  readonly model: StrictServer;
  /** What the owner answers to everything that waits. */
  decision: ApprovalDecision;
  /** One call of the tool in a conversation; resolves with the text of its result. */
  readonly use: (args: JsonObject, session?: string) => Promise<string>;
  /** Any calls in one turn; resolves with the texts of their results. */
  readonly ask: (calls: readonly Order[], session?: string) => Promise<readonly string[]>;
}

/** A Chromium without windows: it takes half the CPU time. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

/** Starts the product with these settings of `tools.browser`; `found` uses the Chromium that the product finds by itself. */
export async function startBrowserScene(browser: JsonObject = {}, { found = false } = {}): Promise<BrowserScene> {
  const web = await startWebScene();
  const model = await startObedientModel();
  const shell = !found && existsSync(HEADLESS_SHELL) ? { executable: HEADLESS_SHELL } : {};
  const product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
      tools: { exec: { mode: "full" }, browser: { enabled: true, allowPrivate: [new URL(web.url).host], ...shell, ...browser } },
    },
  });
  const scene: BrowserScene = {
    web,
    product,
    model,
    decision: "allow-once",
    use: async (args, session) => (await scene.ask([{ name: "browser", arguments: args }], session))[0] ?? "",
    ask: async (calls, session = "one") => {
      const client = new OpenAI({ baseURL: `${product.url}/v1`, apiKey: product.token, maxRetries: 0 });
      await client.chat.completions.create(
        { model: "factotum", messages: [{ role: "user", content: `Please ${order(...calls)}` }] },
        { headers: { "x-factotum-session": session } },
      );
      return newestTexts(model);
    },
    async [Symbol.asyncDispose]() {
      // Its browser ends with it, before the folder is removed that both write to.
      await product.end("SIGTERM");
      await product[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await web[Symbol.asyncDispose]();
    },
  };
  await decideApprovals(product, () => scene.decision);
  return scene;
}

/** The texts of the newest results; a picture is `[image]`. */
export function newestTexts(model: StrictServer): readonly string[] {
  const messages = (model.requests.at(-1)?.body?.["messages"] ?? []) as readonly { readonly content: unknown }[];
  const blocks = messages.at(-1)?.content;
  return (Array.isArray(blocks) ? (blocks as readonly Record<string, unknown>[]) : []).flatMap((block) =>
    block["type"] === "tool_result" ? [textOf(block["content"])] : [],
  );
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return (content as readonly Record<string, unknown>[])
    .map((block) => (block["type"] === "text" ? String(block["text"]) : `[${String(block["type"])}]`))
    .join("\n");
}

/** The ref of the first line of a snapshot that contains a text. */
export function refOf(snapshot: string, text: string): string {
  const line = snapshot.split("\n").find((one) => one.includes(text) && one.includes("[ref="));
  const ref = /\[ref=(\w+)\]/.exec(line ?? "")?.[1];
  if (ref === undefined) throw new Error(`no ref of ${text} in:\n${snapshot}`);
  return ref;
}
