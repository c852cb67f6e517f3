import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { localServer, serverProgram, startMcpScene } from "./mcp-scene.ts";
import { order } from "./obedient-model.ts";

const CALL = { name: "mcp__everything_trigger-sampling-request", arguments: { prompt: "Write a haiku", maxTokens: 50 } };

test(
  "a server of the registry has the model write for it when its user allows that, at the agent's expense",
  { timeout: 240_000 },
  async () => {
    const more = { trusted: true, sampling: true, toolFilter: ["trigger-sampling-request"] };
    await using scene = await startMcpScene({ everything: localServer(serverProgram("everything"), [], more) });
    const { product, model } = scene;
    using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
    const say = async (text: string): Promise<string> => {
      using own = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
      return (await own.request("agent", { message: text, idempotencyKey: randomUUID() })).text;
    };
    const shown = async (): Promise<string> =>
      JSON.stringify(await client.request("chat.history", { sessionKey: "agent:main:main", limit: 50 }));
    const sampled = (): readonly object[] =>
      model.requests.flatMap(({ body }) => (JSON.stringify(body?.["system"] ?? "").includes("helpful test server") ? [body ?? {}] : []));
    const newest = (): string => JSON.stringify(((model.requests.at(-1)?.body?.["messages"] ?? []) as readonly unknown[]).at(-1));

    const first = say(`Please ${order(CALL)}`);
    await expect.poll(shown, { timeout: 60_000 }).toContain("The MCP server everything wants the model to write for it, at most 50 tokens");
    expect(sampled()).toEqual([]);
    expect(await say("1")).toBe("Answered: Allow");
    expect(await first).toBe("Done.");
    expect(sampled()).toMatchObject([{ max_tokens: 50, messages: [{ role: "user" }] }]);
    expect(JSON.stringify(sampled())).toContain("Write a haiku");
    expect(sampled()[0]).not.toHaveProperty("tools");
    expect(newest()).toContain("Done.");
    expect(newest()).toContain("anthropic/claude-sonnet-4-6");

    const questions = async (): Promise<number> => (await shown()).split("wants the model to write").length;
    const asked = await questions();
    const second = say(`Please ${order(CALL)}`);
    await expect.poll(questions, { timeout: 60_000 }).toBeGreaterThan(asked);
    await say("Decline");
    expect(await second).toBe("Done.");
    expect(newest()).toContain("User rejected sampling request");

    // A client of the API is not asked.
    expect(await scene.use(CALL)).toContain("User rejected sampling request");
    expect(sampled()).toHaveLength(1);
  },
);
