import { statePaths } from "@factotum/config";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";
import { createChannelService } from "./channel-service.ts";

test.each([
  ["webchat", "default"],
  ["__proto__", "default"],
  ["constructor", "default"],
  ["telegram", "__proto__"],
])("%s:%s is no configured account, so it is not removed", async (channel, accountId) => {
  await using home = await CliHome.create();
  const context = {
    env: home.env,
    paths: statePaths(home.env),
    version: "0",
    self: { file: "", args: [] },
    platform: "linux",
    knownExtensions: {},
    print: () => undefined,
    note: () => undefined,
    signal: new AbortController().signal,
  } as const;
  const reload = async () => ({ type: "applied", changed: [], needsRestart: [], problems: [] }) as const;
  const service = createChannelService({ context, control: { reload }, onSecret: () => undefined });
  await expect(service.remove({ channel, accountId })).rejects.toMatchObject({ name: "RpcError", code: "not-found" });
});
