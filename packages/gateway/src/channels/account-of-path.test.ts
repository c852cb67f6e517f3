import { expect, test } from "vitest";
import { startTestGateway, TestPlatform } from "../../test/gateway-harness.ts";

const paths = ["/.well-known/test.json", "/test/v1", "/v1/models", "/other/v1", "/"];
const withPaths = () =>
  new TestPlatform("platform", { inbound: { delivery: "redelivers", transport: "webhook", webhookAuth: "secret", paths } });

test("a channel answers the fixed paths that it declares, without the gateway's token, and no others", async () => {
  const platform = withPaths();
  await using running = await startTestGateway({ platform });
  const statusOf = async (path: string): Promise<number> => (await fetch(`${running.gateway.url}${path}`)).status;
  platform.webhook = platform.message("hello");
  for (const path of ["/.well-known/test.json", "/test/v1"]) expect(await statusOf(path), path).toBe(200);
  platform.webhook = undefined;
  // Of others, of the gateway itself, and not declared.
  expect(await statusOf("/v1/models")).toBe(401);
  const page = await statusOf("/nothing");
  for (const path of ["/other/v1", "/.well-known/other.json", "/test/v2", "/test/v1/more"]) expect(await statusOf(path), path).toBe(page);
});

test("of several accounts only `default` has the paths", async () => {
  const [one, two] = [withPaths(), withPaths()];
  const named = { ...two.account(), accountId: "work" };
  const accounts = [named, one.account()];
  await using running = await startTestGateway({ accounts });
  one.webhook = one.message("hello");
  expect((await fetch(`${running.gateway.url}/test/v1`, { method: "POST" })).status).toBe(200);
});
