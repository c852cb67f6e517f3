import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";

test("a conversation that has lost a part to the disk is told once, in its own chat, and goes on", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Yes."));
  const platform = new TestPlatform();
  const patch = withModel(server.baseUrl);
  const group = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "group-1" } };
  const accountConfig = { groupPolicy: "open" as const, groups: { "*": { requireMention: false } } };
  const first = await startTestGateway({ platform, patch, accountConfig });
  const said = ["my cat is Petra", "the code is 4711", "and so on"];
  for (const [index, text] of said.entries()) {
    await platform.say(platform.message(text, { origin: group }));
    await platform.waitForSends(index + 1);
  }
  await platform.say(platform.message("something private"));
  await platform.waitForSends(4);
  await first.stop();
  const database = new DatabaseSync(path.join(first.home, "state", "factotum.sqlite"));
  const damage = database.prepare(
    "UPDATE transcript SET payload = replace(replace(payload, 'Petra', 'Petro'), '4711', '4712') WHERE payload LIKE ?",
  );
  expect(damage.run("%Petra%").changes).toBe(1);
  expect(damage.run("%4711%").changes).toBe(1);
  database.close();

  await using second = await startTestGateway({ platform, home: first.home, patch, accountConfig });
  await platform.say(platform.message("who am I?", { origin: group }));
  await platform.waitForSends(6);
  await second.gateway.engine.idle();
  const texts = platform.sent
    .slice(4)
    .map(({ target, outbound }) => [target.conversation.id, outbound.type === "text" ? outbound.text : ""]);
  expect(texts).toHaveLength(2);
  expect(texts).toContainEqual(["group-1", "Yes."]);
  expect(texts).toContainEqual(["group-1", expect.stringContaining("damaged on the disk")]);
  const body = JSON.stringify(server.requests.at(-1)?.body);
  expect(body).toContain("and so on");
  expect(body).not.toMatch(/Petr[ao]|471[12]/);

  const notices = await Promise.all(
    ["agent:main:test:group:group-1", "agent:main:main"].map(async (key) => {
      const { entries } = await second.gateway.engine.sessions.history(key, { limit: 50 });
      return entries.filter((entry) => JSON.stringify(entry).includes("damaged on the disk")).length;
    }),
  );
  expect(notices).toEqual([1, 0]);
  await platform.say(platform.message("and now?", { origin: group }));
  await platform.waitForSends(7);
  await second.gateway.engine.idle();
  expect(platform.sent).toHaveLength(7);
});
