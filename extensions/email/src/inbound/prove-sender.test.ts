import { describe, expect, test } from "vitest";
import { Scene } from "../../test/scene.ts";
import { parseAuthenticationResults } from "./authentication-results.ts";
import { parseHeaders } from "./mail-headers.ts";
import { proveSender } from "./prove-sender.ts";

const OURS = { authservId: "MX.Example.Org" };

async function outcome(
  from: string,
  results: readonly string[],
  verification: Parameters<typeof proveSender>[1] | null = OURS,
): Promise<string> {
  const lines = [...results.map((value) => `Authentication-Results: ${value}`), `From: ${from}`, "Message-ID: <a@b.c>", "", ""];
  const proof = proveSender(await parseHeaders(Buffer.from(lines.join("\r\n"))), verification ?? undefined);
  return proof.type === "proved" ? proof.address : `refused: ${proof.reason}`;
}

const ALICE = "alice@people.example";

test.each([
  ["dmarc", "mx.example.org; dmarc=pass (p=none dis=none) header.from=people.example"],
  [
    "dmarc among others, folded",
    "mx.example.org;\r\n\tspf=fail smtp.mailfrom=bounce@other.example;\r\n dkim=fail;\r\n dmarc=pass header.from=People.Example",
  ],
  ["a version and a reason", 'mx.example.org 1; dmarc=pass reason="it is; fine" header.from=people.example'],
  ["aligned dkim", "mx.example.org; dkim=pass header.d=people.example header.i=@people.example"],
  ["dkim by its identity", "mx.example.org; dkim=pass header.i=@people.example"],
  ["aligned spf without a policy", "mx.example.org; dmarc=none header.from=people.example; spf=pass smtp.mailfrom=bounce@people.example"],
])("believes %s", async (_, value) => {
  expect(await outcome(`Alice <${ALICE}>`, [value])).toBe(ALICE);
});

test.each([
  ["nothing", []],
  ["only another server", ["mx.other.example; dmarc=pass header.from=people.example"]],
  [
    "a forged header below",
    ["mx.example.org; dmarc=fail header.from=people.example", "mx.example.org; dmarc=pass header.from=people.example"],
  ],
  [
    "a failed policy with a signature of a mailing service",
    ["mx.example.org; dmarc=fail header.from=people.example; dkim=pass header.d=people.example"],
  ],
  ["a pass for another domain", ["mx.example.org; dmarc=pass header.from=evil.example"]],
  ["a pass that names no domain", ["mx.example.org; dmarc=pass"]],
  ["a signature of another domain", ["mx.example.org; dkim=pass header.d=evil.example"]],
  ["a signature of a domain below", ["mx.example.org; dkim=pass header.d=customer.people.example"]],
  ["a signature of a top-level domain", ["mx.example.org; dkim=pass header.d=example"]],
  ["a domain that only ends alike", ["mx.example.org; dkim=pass header.d=ople.example"]],
  ["a result in a comment", ["mx.example.org; spf=none (dmarc=pass header.from=people.example)"]],
  ["a result in quotes", ['mx.example.org; spf=none reason="; dmarc=pass header.from=people.example"']],
  ["a name in a comment", ["(mx.example.org) evil.example; dmarc=pass header.from=people.example"]],
  ["an spf whose local part looks like the address", ['mx.example.org; spf=pass smtp.mailfrom="x@people.example"@evil.example']],
  ["a signature whose local part looks like the address", ['mx.example.org; dkim=pass header.i="alice@people.example"@evil.example']],
  ["a result with something that is not understood", ['mx.example.org; spf=pass smtp.mailfrom="x@people.example"evil.example']],
  [
    "a failed policy with a part that is not understood",
    ['mx.example.org; dmarc=fail ""x header.from=people.example; dkim=pass header.d=people.example'],
  ],
  [
    "a header below one that is too long",
    [
      `mx.example.org; dmarc=fail header.from=people.example${"; dkim=fail header.d=evil.example".repeat(400)}`,
      "mx.example.org; dmarc=pass header.from=people.example",
    ],
  ],
  ["a comment between the address and its domain", ["mx.example.org; spf=pass smtp.mailfrom=x@people.example(c)@evil.example"]],
  ["a header whose comment has no end", ["mx.example.org; dkim=pass header.d=people.example (; dmarc=fail header.from=people.example"]],
  [
    "a header whose quote has no end",
    ['mx.example.org; dkim=pass header.d=people.example reason="; dmarc=fail header.from=people.example'],
  ],
  ["the greeting of the sender", ["mx.example.org; spf=pass smtp.helo=people.example"]],
])("does not believe %s", async (_, results) => {
  expect(await outcome(`Alice <${ALICE}>`, results)).toMatch(/^refused: /);
});

test("a letter beyond ASCII does not become another person's address", async () => {
  const value = "mx.example.org; dmarc=pass header.from=people.example";
  expect(await outcome("<MIKE@people.example>", [value])).toBe("mike@people.example");
  expect(await outcome("<mi\u212ae@people.example>", [value])).not.toBe("mike@people.example");
});

test("a signature of a domain above is one of the same owner", async () => {
  expect(await outcome("bob@mail.people.example", ["mx.example.org; dkim=pass header.d=people.example"])).toBe("bob@mail.people.example");
});

test("says which server wrote the header that is there", async () => {
  expect(await outcome(ALICE, ["mx.other.example; dmarc=pass header.from=people.example"])).toBe(
    "refused: it has no Authentication-Results of mx.example.org, only of mx.other.example",
  );
});

test("without the setting nothing is believed, and in a closed system everything", async () => {
  const pass = ["mx.example.org; dmarc=pass header.from=people.example"];
  expect(await outcome(ALICE, pass, null)).toBe("refused: senderVerification is not set");
  expect(await outcome(ALICE, [], { trustFrom: true })).toBe(ALICE);
});

test.each(["", ";", "=; =", "a".repeat(20_000), "((((", '"', "mx; dmarc", "mx 1 2 3; dmarc=pass"])("survives %#", (value) => {
  expect(parseAuthenticationResults(value)?.results ?? []).toEqual([]);
});

describe("the channel", () => {
  test("refuses what is not proved, logs it once with its reason, and counts it in the health", async () => {
    await using scene = await Scene.start();
    await scene.ignore({ trace: [] });
    await scene.ignore({ from: "alice@people.example, eve@people.example" });
    const lines = scene.host.logLines.filter((line) => line.includes("mail refused"));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('"level":"info"');
    expect(lines[0]).toContain("it has no Authentication-Results of mx.example.org");
    expect(scene.channel.health()).toMatchObject({
      state: "connected",
      detail: "2 refused since the start, the last one because its From is not one plain address",
    });
  });

  test("accepts nobody without the setting, and says what to do", async () => {
    await using scene = await Scene.start({ senderVerification: undefined });
    scene.mail.deliver(scene.source());
    await scene.mail.until(() => scene.mail.commands.includes("UID FETCH") && scene.mail.commands.at(-1) === "IDLE");
    expect(scene.host.received).toEqual([]);
    const { state, detail } = scene.channel.health();
    expect(state).toBe("degraded");
    expect(detail).toContain("no mail is accepted: set senderVerification");
  });

  test("marks senders of a closed system as unverified, so that they are offered no pairing code", async () => {
    await using scene = await Scene.start({ senderVerification: { trustFrom: true } });
    expect((await scene.receive({ trace: [] })).sender).toEqual({ id: ALICE, isBot: false, isUnverified: true });
  });
});
