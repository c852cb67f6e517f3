import { describe, expect, test } from "vitest";
import type { ClientAddress } from "./client-address.ts";
import type { Authentication, Authenticator } from "./credentials.ts";
import { bearerToken, createAuthenticator } from "./credentials.ts";

const OWNER: Authentication = { type: "known", principal: { type: "token" } };
const ANONYMOUS: Authentication = { type: "known", principal: { type: "anonymous" } };

const from = (address: string, facts: Partial<ClientAddress> = {}): ClientAddress => ({
  address,
  isLocal: false,
  isShared: false,
  ...facts,
});

let nowMs = 0;
const clock = { monotonic: (): number => nowMs };

/** Sends `count` wrong tokens, one after the other. */
function giveWrong(authenticator: Authenticator, client: ClientAddress, count: number): void {
  for (let given = 0; given < count; given += 1) {
    const answer = authenticator.authenticate("wrong", client);
    if (answer.type === "known") continue;
    nowMs += answer.delayMs;
    expect(authenticator.authenticate("wrong", client)).toEqual(ANONYMOUS);
  }
}

const delayOf = (authenticator: Authenticator, client: ClientAddress): number => {
  const answer = authenticator.authenticate("wrong", client);
  return answer.type === "delayed" ? answer.delayMs : 0;
};

describe("credentials", () => {
  test("only the complete token makes the owner", () => {
    const authenticator = createAuthenticator("secret", clock);
    for (const [index, token] of [undefined, "", "secre", "secret ", "SECRET", "secretx"].entries())
      expect(authenticator.authenticate(token, from(`192.0.2.${index}`))).toEqual(ANONYMOUS);
    expect(authenticator.authenticate("secret", from("192.0.2.1"))).toEqual(OWNER);
  });

  test("without a token only a client on this machine is the owner", () => {
    const authenticator = createAuthenticator(undefined, clock);
    expect(authenticator.authenticate(undefined, from("127.0.0.1", { isLocal: true, isShared: true }))).toEqual(OWNER);
    // It came through a proxy on this machine.
    expect(authenticator.authenticate(undefined, from("127.0.0.1", { isShared: true }))).toEqual(ANONYMOUS);
    expect(authenticator.authenticate("anything", from("192.0.2.1"))).toEqual(ANONYMOUS);
  });

  test.each([
    ["Bearer abc", "abc"],
    ["bearer abc ", "abc"],
    ["Basic abc", undefined],
    ["Bearer", undefined],
    ["Bearer a b", undefined],
    [undefined, undefined],
  ])("the header %j holds %j", (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});

describe("wrong tokens", () => {
  test("delay their address after five, twice as long with each more, at most a minute", () => {
    const authenticator = createAuthenticator("secret", clock);
    const client = from("192.0.2.1");
    giveWrong(authenticator, client, 4);
    expect(authenticator.authenticate("wrong", client)).toEqual(ANONYMOUS);
    const delays: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      delays.push(delayOf(authenticator, client));
      giveWrong(authenticator, client, 1);
    }
    expect(delays).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test("delay a right token of the same address until the time is over, and no longer", () => {
    const authenticator = createAuthenticator("secret", clock);
    const client = from("192.0.2.1");
    giveWrong(authenticator, client, 5);
    expect(authenticator.authenticate("secret", client)).toEqual({ type: "delayed", delayMs: 5000 });
    nowMs += 4999;
    expect(authenticator.authenticate("secret", client)).toEqual({ type: "delayed", delayMs: 1 });
    nowMs += 1;
    expect(authenticator.authenticate("secret", client)).toEqual(OWNER);
    // After a right token the count starts again.
    giveWrong(authenticator, client, 4);
    expect(delayOf(authenticator, client)).toBe(0);
  });

  test("never delay another address, nor a request without a token", () => {
    const authenticator = createAuthenticator("secret", clock);
    giveWrong(authenticator, from("192.0.2.1"), 20);
    expect(authenticator.authenticate("secret", from("192.0.2.2"))).toEqual(OWNER);
    expect(authenticator.authenticate(undefined, from("192.0.2.1"))).toEqual(ANONYMOUS);
  });

  test("never delay a right token if several clients share the address", () => {
    const authenticator = createAuthenticator("secret", clock);
    const client = from("127.0.0.1", { isShared: true });
    giveWrong(authenticator, client, 5);
    expect(authenticator.authenticate("wrong", client)).toMatchObject({ type: "delayed" });
    expect(authenticator.authenticate("secret", client)).toEqual(OWNER);
  });

  test("are forgotten after a quarter of an hour, and beyond a thousand addresses the oldest first", () => {
    const authenticator = createAuthenticator("secret", clock);
    giveWrong(authenticator, from("192.0.2.1"), 5);
    nowMs += 15 * 60_000;
    giveWrong(authenticator, from("192.0.2.1"), 1);
    expect(delayOf(authenticator, from("192.0.2.1"))).toBe(0);
    giveWrong(authenticator, from("192.0.2.1"), 4);
    for (let index = 0; index < 1000; index += 1) authenticator.authenticate("wrong", from(`2001:db8::${index}`));
    expect(authenticator.authenticate("secret", from("192.0.2.1"))).toEqual(OWNER);
  });
});
