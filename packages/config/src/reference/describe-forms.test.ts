import { expect, test } from "vitest";
import { sampleChannels } from "../../test/sample.ts";
import { describedAccount, describedForms, loadChannelSchemas } from "../index.ts";

interface Node {
  readonly [key: string]: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
}

test("marks secrets and keys that need a restart, no key as one without effect, and names each", () => {
  const { properties = {} } = describedForms([]) as Node;
  const gateway = properties["gateway"]?.properties ?? {};
  expect(gateway["port"]).toMatchObject({ title: "Port", default: 18790, "x-restart": true, description: expect.any(String) as string });
  expect(gateway["auth"]?.properties?.["token"]).toMatchObject({ title: "Token", "x-secret": true });
  expect(gateway["auth"]?.properties?.["mode"]).not.toHaveProperty("x-secret");
  const defaults = properties["agents"]?.properties?.["defaults"]?.properties ?? {};
  expect(defaults["userTimezone"]).toMatchObject({ title: "User timezone" });
  expect(defaults["userTimezone"]).not.toHaveProperty("x-inactive");
  expect(defaults["compaction"]?.properties?.["notifyUser"]).not.toHaveProperty("x-inactive");
});

test("of an account only secrets are hidden, not every text that may be a reference to one", async () => {
  const { properties = {} } = describedForms(await loadChannelSchemas(sampleChannels().channels)) as Node;
  const account = properties["channels"]?.properties?.["chatter"]?.anyOf?.[0]?.properties ?? {};
  expect(account["appSecret"]).toMatchObject({ "x-secret": true });
  expect(account["baseUrl"]).toMatchObject({ title: "Base URL" });
  expect(account["baseUrl"]).not.toHaveProperty("x-secret");
});

test("a secret of an account may also be a reference, and no other setting", () => {
  const text = { type: "string", description: "Said." };
  const schema = { type: "object", properties: { token: text, name: text, inner: { type: "object", properties: { appSecret: text } } } };
  const { properties = {} } = describedAccount({ id: "pigeon", schema }) as Node;
  const secret = { "x-secret": true, description: "Said.", anyOf: expect.arrayContaining([{ type: "string" }]) as unknown };
  expect(properties["token"]).toMatchObject({ title: "Token", ...secret });
  expect(properties["inner"]?.properties?.["appSecret"]).toMatchObject({ title: "App secret", ...secret });
  expect(properties["name"]).toMatchObject({ title: "Name", type: "string" });
  expect(JSON.stringify(properties["name"])).not.toContain("x-secret");
});
