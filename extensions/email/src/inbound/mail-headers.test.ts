import { expect, test } from "vitest";
import { parseHeaders } from "./mail-headers.ts";

async function fromOf(...lines: readonly string[]): Promise<string | undefined> {
  return (await parseHeaders(Buffer.from(`${lines.join("\r\n")}\r\n\r\n`))).from?.address;
}

test.each([
  ["alice@people.example", "alice@people.example"],
  ["<Alice@People.Example>", "alice@people.example"],
  ["Alice B. <alice@people.example>", "alice@people.example"],
  ['"B, Alice" <alice@people.example>', "alice@people.example"],
  ['"eve@evil.example" <alice@people.example>', "alice@people.example"],
  ["=?utf-8?B?QWxpY2U=?= <alice@people.example>", "alice@people.example"],
  ["Alice\r\n <alice@people.example>", "alice@people.example"],
  ["alice@bücher.example", "alice@xn--bcher-kva.example"],
])("reads From: %s", async (value, address) => {
  expect(await fromOf(`From: ${value}`)).toBe(address);
});

test.each([
  "alice@people.example, eve@evil.example",
  "Team: alice@people.example, bob@people.example;",
  '"alice@people.example x"@evil.example',
  "alice@people.example <eve@evil.example>",
  "<alice@people.example> <eve@evil.example>",
  "<<alice@people.example>>",
  "alice@people.example (comment)",
  "alice@localhost",
  "alice@[127.0.0.1]",
  "alice@people.example@evil.example",
  "alice",
  "",
])("accepts no sender from From: %s", async (value) => {
  expect(await fromOf(`From: ${value}`)).toBeUndefined();
});

test("two From headers name no sender", async () => {
  expect(await fromOf("From: alice@people.example", "From: eve@evil.example")).toBeUndefined();
});

test("reads ids, and gives a mail without one always the same", async () => {
  const source = Buffer.from(
    "From: a@b.example\r\nIn-Reply-To: <two@x> (of Monday)\r\nReferences: <one@x>\r\n\t<two@x> broken <a b>\r\n\r\n",
  );
  const headers = await parseHeaders(source);
  expect(headers).toMatchObject({ inReplyTo: "<two@x>", references: ["<one@x>", "<two@x>"], subject: "", sentAtMs: 0 });
  expect(headers.messageId).toMatch(/^<[0-9a-f]{40}@without-id\.invalid>$/);
  expect((await parseHeaders(source)).messageId).toBe(headers.messageId);
  const long = Buffer.from(`From: a@b.example\r\nMessage-ID: <${"x".repeat(600)}@y>\r\n\r\n`);
  expect((await parseHeaders(long)).messageId).toMatch(/without-id/);
});

test("bounds subjects and references, and keeps them on one line", async () => {
  const ids = Array.from({ length: 500 }, (_, index) => `<${index}@x>`).join("\r\n ");
  const { subject, references } = await parseHeaders(
    Buffer.from(`Subject: ${"=?utf-8?Q?a=0D=0Ab?=".repeat(1)} ${"s".repeat(900)}\r\nReferences: ${ids}\r\n\r\n`),
  );
  expect(subject).toHaveLength(500);
  expect(subject).not.toMatch(/[\r\n]/);
  expect(references).toHaveLength(100);
});
