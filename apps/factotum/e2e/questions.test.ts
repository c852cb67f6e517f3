import { randomUUID } from "node:crypto";
import { callTools, sayText } from "@factotum/testing-providers";
import { startProduct } from "@factotum/testing-product";
import type { Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { newestResults, order, startObedientModel } from "./obedient-model.ts";
import { startTelegramScene } from "./telegram-scene.ts";

const TIMEOUT = { timeout: 300_000 };
const COLOUR = { question: "Which colour?", options: ["Red", "Blue"] };
const SIZE = { question: "Which size?", options: ["Small", "Large"] };

/** The newest message that the model was given, as JSON. */
const newest = (requests: readonly { readonly body?: Readonly<Record<string, unknown>> | undefined }[]): string =>
  JSON.stringify(((requests.at(-1)?.body?.["messages"] ?? []) as readonly unknown[]).at(-1));

test("a press answers a question, a kill keeps the next one open, and a number answers that", TIMEOUT, async () => {
  await using scene = await startTelegramScene("polling");
  scene.model.respond(({ body }) =>
    newest([{ body }]).includes("tool_result")
      ? sayText("Ordered.")
      : callTools({ name: "ask_user", arguments: { questions: [COLOUR, SIZE] } }),
  );
  await scene.say("Order a shirt");
  const [asked] = await scene.shown((sent) => sent.length === 1);
  expect(asked?.buttons.flat().map(({ text }) => text)).toEqual(["Red", "Blue"]);
  if (asked !== undefined) await scene.press(asked, "Blue");
  await scene.shown((sent) => sent.some(({ text }) => text.includes("Which size?")));
  await scene.killAndStart();
  await scene.say("2");
  const sent = await scene.shown((all) => all.some(({ text }) => text === "Ordered."));
  expect(sent.filter(({ text }) => text.includes("Which size?"))).toHaveLength(1);
  expect(newest(scene.model.requests)).toContain("The user answered:\\nWhich colour? Blue\\nWhich size? Large");
  // The button of an answered question starts no turn.
  const requests = scene.model.requests.length;
  if (asked !== undefined) await scene.press(asked, "Red");
  await scene.shown((all) => all.some(({ text }) => text.includes("does not wait for an answer any more")));
  expect(scene.model.requests).toHaveLength(requests);
});

async function say(product: Product, text: string): Promise<string> {
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  return (await client.request("agent", { message: text, idempotencyKey: randomUUID() })).text;
}

test("a client that reads the conversation is asked in it, and an API client is not asked", TIMEOUT, async () => {
  await using model = await startObedientModel();
  await using product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test-0123456789" } } },
    },
  });
  const call = order({ name: "ask_user", arguments: { questions: [COLOUR] } });
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  const answer = say(product, `Please ${call}`);
  const asked = async (): Promise<string> =>
    JSON.stringify(await client.request("chat.history", { sessionKey: "agent:main:main", limit: 20 }));
  await expect.poll(asked, { timeout: 60_000 }).toContain("1. Red\\n2. Blue");
  expect(await say(product, "2")).toBe("Answered: Blue");
  expect(await answer).toBe("Done.");
  expect(newestResults(model)).toEqual(["ok"]);
  expect(newest(model.requests)).toContain("Blue");
  const response = await fetch(`${product.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${product.token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "factotum", messages: [{ role: "user", content: `Please ${call}` }] }),
  });
  expect(response.status).toBe(200);
  expect(newestResults(model)).toEqual([expect.stringContaining("No one can be asked in this run")]);
});
