import { expect, test } from "vitest";
import { COMMANDS } from "../commands/command-table.ts";
import { startTestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

test("lists the commands of an agent with what may follow them, and its own commands and skills", async () => {
  await using running = await startTestGateway({
    patch: (config) => ({ ...config, session: { ...config.session, resetTriggers: ["/fresh", "/new", "start over"] } }),
    skills: {
      commands: async () => ({
        commands: [{ name: "tea", description: "makes tea", argumentHint: "<sort>", access: "owner", body: "Make tea." }],
        problems: [],
      }),
    },
  });
  using client = await TestClient.connect(running.gateway.url, running.token);
  const { commands } = await client.call("commands.list", {});
  expect(commands[0]).toMatchObject({ name: "fresh", aliases: ["new"], type: "built-in", words: ["default"] });
  expect(commands.find(({ name }) => name === "mode")).toMatchObject({ access: "owner", words: ["read-only", "ask", "workspace", "full"] });
  expect(commands.find(({ name }) => name === "help")).not.toHaveProperty("hint");
  expect(commands.find(({ name }) => name === "tea")).toMatchObject({ type: "file", access: "owner", hint: "<sort>" });
  expect(await client.call("commands.list", { sessionKey: "agent:main:new" })).toEqual({ commands });
  await expect(client.call("commands.list", { agentId: "stranger" })).rejects.toThrow("not-found");
});

test("each built-in command takes the words that it names, and one without a hint takes none", () => {
  for (const { name, hint, words = [], read } of COMMANDS) {
    for (const word of words)
      expect([name, word, [word, `${word} 1`, `${word} 1 x`].some((text) => read(` ${text}`))]).toEqual([name, word, true]);
    if (hint === undefined) expect([name, read(" x")]).toEqual([name, undefined]);
  }
});
