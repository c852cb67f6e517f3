import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { MsgContext } from "@factotum/channel-contract";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

const GROUP = { channel: "test", accountId: "default", conversation: { kind: "group", id: "g1" } } as const;
const OTHER_GROUP = { ...GROUP, conversation: { kind: "group", id: "g2" } } as const;

test("in a group the tool cron points a job at no private session, and does not tell whether there is one", async () => {
  await using server = await startAnthropicServer();
  const platform = new TestPlatform();
  await using running = await startTestGateway({
    platform,
    cronTool: true,
    decides: () => "allow-once",
    accountConfig: { allowFrom: ["owner-1"], groups: { "*": { requireMention: false } }, groupPolicy: "open" },
    patch: (config) => {
      const base = withModel(server.baseUrl)(config);
      return { ...base, agents: base.agents.map((agent) => ({ ...agent, sandbox: { ...agent.sandbox, mode: "off" } })) };
    },
  });
  const results: string[] = [];
  server.respond(({ body }) => {
    const newest = ((body?.["messages"] ?? []) as readonly { readonly content: unknown }[]).at(-1);
    const text = JSON.stringify(newest?.content);
    const result = /"tool_result".*?"text":"(.*?)"/.exec(text)?.[1] ?? /"tool_result".*?"content":"(.*?)"/.exec(text)?.[1];
    if (result !== undefined) results.push(result);
    const session = /session=(\S+?)[\s"\\]/.exec(text)?.[1];
    if (result !== undefined || session === undefined) return textReply("Done.");
    const name = `for ${session} from ${results.length}`;
    return toolReply({ name: "cron", input: { action: "add", name, at: "20m", task: "Tell them.", session } });
  });
  const scheduledBy = async (origin: MsgContext["origin"] | undefined, ...sessions: readonly string[]): Promise<readonly string[]> => {
    results.length = 0;
    for (const session of sessions) {
      await platform.say(platform.message(`Do it with session=${session} please.`, origin === undefined ? {} : { origin }));
      await running.gateway.engine.idle();
    }
    return results.map((result) => (result.startsWith("Scheduled") ? "scheduled" : result));
  };
  await platform.say(platform.message("Hello."));
  await platform.say(platform.message("Hello.", { origin: OTHER_GROUP, sender: { id: "ada", isBot: false } }));
  await running.gateway.engine.idle();

  const refused = await scheduledBy(GROUP, "main", "agent:main:main", "agent:main:nothing");
  expect(refused).toEqual([expect.stringContaining("may not work in this session"), refused[0], refused[0]]);
  expect(await scheduledBy(GROUP, "agent:main:test:group:g1", "agent:main:test:group:g2")).toEqual(["scheduled", "scheduled"]);
  expect(await scheduledBy(undefined, "main", "agent:main:test:group:g1", "agent:main:nothing", "agent:coder:main")).toEqual(
    Array.from({ length: 4 }, () => "scheduled"),
  );
});
