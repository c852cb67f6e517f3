import { expect, test } from "vitest";
import { WebhookConfigSchema } from "./config.ts";

const account = { secret: `whsec_${Buffer.alloc(32, 1).toString("base64")}`, outboundUrl: "https://service.example.com/factotum" };

test("takes the secret of openssl and an address", () => {
  expect(WebhookConfigSchema.parse(account)).toEqual(account);
});

test.each([
  ["a secret without its prefix", { secret: "c2VjcmV0" }, "whsec_"],
  ["a secret of 23 bytes", { secret: `whsec_${Buffer.alloc(23).toString("base64")}` }, "24 to 64"],
  ["a password", { secret: "whsec_a password that somebody thought of" }, "openssl rand"],
  ["an address of another scheme", { outboundUrl: "file:///etc/passwd" }, "http or https"],
  ["no address", { outboundUrl: "service" }, "http or https"],
  ["an unknown key", { token: "t" }, "token"],
])("refuses %s", (_name, change, message) => {
  const result = WebhookConfigSchema.safeParse({ ...account, ...change });
  expect(result.error?.message).toContain(message);
});
