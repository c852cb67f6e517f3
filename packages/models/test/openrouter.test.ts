import { describe, expect, test } from "vitest";
import { resolveModelInfo } from "../src/index.ts";
import { assistant, conversationRequest, result, text, user } from "./history.ts";
import { send } from "./sent-request.ts";
import { compatibleChat } from "./wires/openai-chat.ts";

const CLAUDE = resolveModelInfo("openrouter", "anthropic/claude-sonnet-5.5");
const CALL = { type: "toolCall" as const, id: "call_1", name: "ls", arguments: { path: "." } };
const MESSAGES = [user(text("look")), assistant([CALL]), result("call_1", [text("a.txt")])];

/** The messages with marks and without them. */
async function sent(count: number, cacheRetention: "none" | "short" | "long" = "short"): Promise<{ marked: Marked[]; bare: string[] }> {
  const request = { ...conversationRequest(MESSAGES.slice(0, count)), cacheRetention };
  const { body } = await send(compatibleChat, request, CLAUDE);
  const messages = body["messages"] as Marked[];
  const bare = messages.map((message) => JSON.stringify(message, (key, value: unknown) => (key === "cache_control" ? undefined : value)));
  return { marked: messages, bare };
}

interface Marked {
  readonly role: string;
  readonly content: readonly { readonly cache_control?: unknown }[];
}

describe("Claude behind OpenRouter", () => {
  const MARK = { type: "ephemeral" };

  test("gets cache marks on both halves of the system prompt, in one message, and at the end", async () => {
    const { marked } = await sent(1);
    expect(marked.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(marked[0]?.content).toEqual([
      { type: "text", text: expect.any(String), cache_control: MARK },
      { type: "text", text: expect.any(String), cache_control: MARK },
    ]);
    expect(marked[1]?.content).toEqual([{ type: "text", text: "look", cache_control: MARK }]);
  });

  test("a tool result carries the mark if it is the last, and a request still begins with the previous one", async () => {
    const [one, three] = [await sent(1), await sent(3)];
    expect(three.marked.at(-1)).toMatchObject({ role: "tool", content: [{ type: "text", text: "a.txt", cache_control: MARK }] });
    expect(three.marked[1]?.content[0]).not.toHaveProperty("cache_control");
    expect(three.bare.slice(0, one.bare.length)).toEqual(one.bare);
  });

  test("long retention requests an hour, none sends no mark", async () => {
    expect(JSON.stringify((await sent(3, "long")).marked).split('"ttl":"1h"')).toHaveLength(4);
    expect(JSON.stringify((await sent(3, "none")).marked)).not.toContain("cache_control");
    expect((await sent(3, "none")).bare).toEqual((await sent(3)).bare);
  });

  test("no other model and no other server gets any", async () => {
    for (const info of [resolveModelInfo("openrouter", "openai/gpt-5.5"), { ...CLAUDE, provider: "together" }]) {
      const { text: body } = await send(compatibleChat, conversationRequest(MESSAGES), info);
      expect(body).not.toContain("cache_control");
    }
  });

  test("requests 32,000 tokens of output at most, for which an account with little credit suffices", async () => {
    const { body } = await send(compatibleChat, conversationRequest(MESSAGES), CLAUDE);
    expect(body["max_completion_tokens"]).toBe(32_000);
  });
});
