import { callTools, sayText, startStrictServer } from "@factotum/testing-providers";
import type { CapturedRequest, JsonObject, MessageReply, StrictServer } from "@factotum/testing-providers";
import { checkedOfficially } from "./check-official.ts";

/** One tool call that a text requests. */
export interface Order {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Text that requests tool calls: the model obeys it anywhere. */
export function order(...calls: readonly Order[]): string {
  return calls.map((call) => `DO ${Buffer.from(JSON.stringify(call)).toString("base64")} OD`).join(" ");
}

/** Answers without judgement: makes every call that the newest message requests, whether it is a person's or a tool result, and says "Done." to everything else. */
export function obey({ body }: CapturedRequest): MessageReply {
  const newest = (body?.["messages"] as readonly { readonly content: unknown }[] | undefined)?.at(-1);
  const orders = [...JSON.stringify(newest?.content ?? "").matchAll(/DO ([\w+/=]+) OD/g)].map(([, encoded = ""]) => {
    return JSON.parse(Buffer.from(encoded, "base64").toString()) as Order;
  });
  return orders.length === 0 ? sayText("Done.") : callTools(...orders);
}

/** A model that obeys every text. */
export async function startObedientModel(): Promise<StrictServer> {
  const model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(obey);
  return model;
}

/** The results of the newest turn's calls: `ok`, or the text of the refusal. */
export function newestResults(model: StrictServer): readonly string[] {
  const messages = (model.requests.at(-1)?.body?.["messages"] ?? []) as readonly { readonly content: unknown }[];
  const blocks = messages.at(-1)?.content;
  return (Array.isArray(blocks) ? (blocks as readonly Record<string, unknown>[]) : []).flatMap((block) =>
    block["type"] === "tool_result" ? [block["is_error"] === true ? JSON.stringify(block["content"]) : "ok"] : [],
  );
}
