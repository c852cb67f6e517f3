import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { localServer, serverProgram, startMcpScene, type McpScene } from "./mcp-scene.ts";
import { order } from "./obedient-model.ts";

const CALL = { name: "mcp__everything_trigger-elicitation-request", arguments: {} };

async function say({ product }: McpScene, text: string): Promise<string> {
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  return (await client.request("agent", { message: text, idempotencyKey: randomUUID() })).text;
}

test(
  "a server of the registry has its user asked in the conversation, and a client that cannot be asked gives a no",
  { timeout: 240_000 },
  async () => {
    const server = localServer(serverProgram("everything"), [], { trusted: true, toolFilter: ["trigger-elicitation-request"] });
    await using scene = await startMcpScene({ everything: server });
    const { product, model } = scene;
    using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
    const shown = async (): Promise<string> =>
      JSON.stringify(await client.request("chat.history", { sessionKey: "agent:main:main", limit: 50 }));
    const newest = (): string => JSON.stringify(((model.requests.at(-1)?.body?.["messages"] ?? []) as readonly unknown[]).at(-1));

    const first = say(scene, `Please ${order(CALL)}`);
    await expect.poll(shown, { timeout: 60_000 }).toContain("The MCP server everything asks you, in its own words:");
    expect(await say(scene, "1")).toBe("Answered: Answer");
    await expect.poll(shown, { timeout: 30_000 }).toContain("Your full, legal name");
    await say(scene, "Ann Example");
    await expect.poll(shown, { timeout: 30_000 }).toContain("Agree to the terms and conditions");
    await say(scene, "cancel");
    expect(await first).toBe("Done.");
    expect(newest()).toMatch(/User cancelled the elicitation dialog/i);

    const questions = async (): Promise<number> => (await shown()).split("in its own words").length;
    const asked = await questions();
    const second = say(scene, `Please ${order(CALL)}`);
    await expect.poll(questions, { timeout: 60_000 }).toBeGreaterThan(asked);
    await say(scene, "Decline");
    expect(await second).toBe("Done.");
    expect(newest()).toMatch(/User declined/i);

    // A client of the API is not asked.
    expect(await scene.use(CALL)).toMatch(/User cancelled the elicitation dialog/i);
  },
);
