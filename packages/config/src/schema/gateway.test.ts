import { expect, test } from "vitest";
import { sampleChannels, temporaryHome } from "../../test/sample.ts";
import { loadConfig } from "../load-config.ts";

async function load(gateway: object): ReturnType<typeof loadConfig> {
  await using home = await temporaryHome();
  await home.write("factotum.json5", { gateway });
  return await loadConfig({ env: home.env, channels: sampleChannels().channels });
}

test.each([
  ["https://assistant.example.com", "https://assistant.example.com"],
  ["https://Assistant.Example.com:443/", "https://assistant.example.com"],
  ["http://192.168.1.20:8080", "http://192.168.1.20:8080"],
  ["https://example.com/assistant", "https://example.com/assistant"],
  ["https://Example.com/tools/Bot/", "https://example.com/tools/Bot"],
])("gateway.publicUrl %s is the address %s", async (publicUrl, origin) => {
  expect(await load({ publicUrl })).toMatchObject({
    type: "loaded",
    problems: [],
    inactive: [],
    config: { gateway: { publicUrl: origin } },
  });
});

test.each([
  ["assistant.example.com", "https://assistant.example.com"],
  ["ftp://assistant.example.com", "is expected"],
  ["https://assistant.example.com/?a=b", "without ? and #: https://assistant.example.com"],
  ["https://assistant.example.com/bot/#token=x", "without ? and #: https://assistant.example.com/bot"],
  ["https://assistant.example.com//evil.example", "between single slashes"],
  ["https://assistant.example.com/a%2e%2e", "a path is letters"],
  ["https://me:secret@assistant.example.com", "without a user"],
  ["", "is expected"],
])("gateway.publicUrl %j is refused", async (publicUrl, message) => {
  expect(await load({ publicUrl })).toMatchObject({
    type: "refused",
    problems: [{ path: "gateway.publicUrl", message: expect.stringContaining(message) as string }],
  });
});

test("gateway.trustedProxies takes addresses and ranges", async () => {
  const trustedProxies = ["127.0.0.1", "10.0.0.0/8", "::1", "fd00::/8"];
  expect(await load({ trustedProxies })).toMatchObject({
    type: "loaded",
    problems: [],
    inactive: [],
    config: { gateway: { trustedProxies } },
  });
});

test.each([
  ["proxy.example.com", "IP address"],
  ["10.0.0.0/33", "IP address"],
  ["10.0.0/8", "IP address"],
  ["fd00::/129", "IP address"],
  ["10.0.0.0/", "IP address"],
  ["0.0.0.0/0", "every client"],
  ["::/0", "every client"],
  ["::ffff:10.0.0.1", "IPv4"],
])("gateway.trustedProxies refuses %j", async (range, message) => {
  expect(await load({ trustedProxies: ["127.0.0.1", range] })).toMatchObject({
    type: "refused",
    problems: [{ path: "gateway.trustedProxies[1]", message: expect.stringContaining(message) as string }],
  });
});

test("auth none is refused behind a public address too", async () => {
  const auth = { mode: "none" };
  expect(await load({ publicUrl: "https://assistant.example.com", auth })).toMatchObject({
    type: "refused",
    problems: [{ path: "gateway.auth.mode" }],
  });
  expect((await load({ auth })).type).toBe("loaded");
});
