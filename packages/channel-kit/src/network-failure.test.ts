import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { errorCodeOf, networkFailureOf } from "./index.ts";

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
};

test("a port that nobody listens on: nothing was sent", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const error = await failureOf(fetch(`http://127.0.0.1:${port}/`));
  expect(networkFailureOf(error)).toBe("not-sent");
  expect(errorCodeOf(error)).toBe("ECONNREFUSED");
});

test("a connection that breaks after the request: it may have arrived", async () => {
  const server = createServer((socket) => socket.once("data", () => socket.destroy())).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const error = await failureOf(fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  expect(networkFailureOf(error)).toBe("unknown");
  await new Promise((resolve) => server.close(resolve));
});

test("an argument that no request can have: a failure of this process", async () => {
  expect(networkFailureOf(await failureOf(fetch("http://127.0.0.1:1/", { headers: { "x-y": "\n\0" } })))).toBe("local");
});

test.each([
  ["EAI_AGAIN", "not-sent"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "not-sent"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "not-sent"],
  ["ECONNRESET", "unknown"],
  ["EPIPE", "unknown"],
])("%s is %s", (code, expected) => {
  expect(networkFailureOf(Object.assign(new Error("socket"), { code }))).toBe(expected);
});

test("addresses that all failed count as their first failure", () => {
  const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  expect(networkFailureOf(new AggregateError([refused, new Error("other")]))).toBe("not-sent");
  expect(networkFailureOf("text")).toBe("unknown");
});
