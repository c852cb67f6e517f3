import type { Media, MessageId } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { ALICE } from "../../test/email-platform.ts";
import { ADDRESS, Scene } from "../../test/scene.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });
const file = (fileName: string): Media => ({ kind: "file", mimeType: "text/csv", fileName, bytes: Buffer.from("a,b\n") });

test("an answer stays in its thread, goes to the sender alone, and says that a program wrote it", async () => {
  await using scene = await Scene.start({ name: "Assistant" });
  const question = await scene.receive({
    messageId: "<q@people.example>",
    references: ["<root@people.example>", "<two@people.example>"],
    subject: "AW: Plans für morgen",
    to: `${ADDRESS}, bob@people.example`,
    headers: ["Cc: carol@people.example", "Reply-To: eve@people.example"],
  });
  const { threadId = "" } = question.origin.conversation;
  await scene.send(
    { type: "text", text: "It is **done**:\n\n- <b>\n- two" },
    { to: { threadId }, replyContext: question.replyContext?.data ?? "" },
  );
  const [sent, ...more] = scene.mail.sent;
  expect(more).toEqual([]);
  expect(sent).toMatchObject({
    to: ALICE,
    subject: "Re: Plans für morgen",
    inReplyTo: "<q@people.example>",
    references: ["<root@people.example>", "<two@people.example>", "<q@people.example>"],
    text: "It is done:\n\n- <b>\n- two",
  });
  expect(sent?.html).toContain("<strong>done</strong>");
  expect(sent?.html).toContain("&lt;b&gt;");
  expect(sent?.header("from")).toBe("Assistant <assistant@example.org>");
  expect(sent?.header("to")).toBe(ALICE);
  expect(sent?.header("cc")).toBeUndefined();
  expect(sent?.header("auto-submitted")).toBe("auto-replied");
});

test("a mail of its own begins a thread with its first line as the subject, and a file with its name", async () => {
  await using scene = await Scene.start();
  await scene.send({ type: "text", text: `# Good *morning*\n\n${"Words of the day. ".repeat(20)}` });
  await scene.send({
    type: "text",
    text: "A very long first line that goes on and on, far beyond what any program shows in its list of mails.",
  });
  await scene.send({ type: "media", media: file("report.csv") });
  expect(scene.mail.sent.map(({ subject }) => subject)).toEqual([
    "Good morning",
    "A very long first line that goes on and on, far beyond what any program…",
    "report.csv",
  ]);
  expect(scene.mail.sent.every(({ inReplyTo }) => inReplyTo === undefined)).toBe(true);
  expect(scene.mail.sent[0]?.header("auto-submitted")).toBe("auto-generated");
});

test("without the context of a mail a send to its thread still has its subject and place, also after a restart", async () => {
  await using scene = await Scene.start();
  await scene.receive({ messageId: "<root@people.example>", subject: "Plans" });
  await scene.restart();
  await scene.send({ type: "text", text: "By the way." }, { to: { threadId: "<root@people.example>" } });
  expect(scene.mail.sent[0]).toMatchObject({
    subject: "Re: Plans",
    inReplyTo: "<root@people.example>",
    references: ["<root@people.example>"],
  });
});

test("text, caption and several files are one mail", async () => {
  await using scene = await Scene.start();
  const receipt = await scene.send({ type: "album", media: [file("报告.csv"), file("two.csv")], caption: "Here they **are**." });
  expect(receipt).toEqual({ type: "accepted", messageIds: [scene.mail.sent[0]?.messageId] });
  expect(scene.mail.sent[0]).toMatchObject({
    text: "Here they are.",
    files: [{ name: "报告.csv", mimeType: "text/csv" }, { name: "two.csv" }],
  });
});

test("every attempt of a send has the same Message-ID, and every send its own", async () => {
  await using scene = await Scene.start();
  for (const idempotencyKey of ["one", "one", "two"]) await scene.send({ type: "text", text: "Hello" }, { idempotencyKey });
  const ids = scene.mail.sent.map(({ messageId }) => messageId);
  expect(ids[0]).toMatch(/^<[0-9a-f]{32}\.factotum@example\.org>$/);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test("no header can be added by a subject, a thread or a recipient", async () => {
  await using scene = await Scene.start();
  const context = JSON.stringify({ messageId: "<a@b.example>", references: [], subject: "Hi\r\nBcc: eve@people.example" });
  await scene.send({ type: "text", text: "Hello" }, { replyContext: context });
  expect(scene.mail.sent[0]?.source.toString()).not.toMatch(/^Bcc:/im);
  for (const id of ["a@b.example\r\nBcc: eve@people.example", "a@b.example, eve@people.example", "<a@b.example>", "alice"])
    expect(await scene.send({ type: "text", text: "Hello" }, { to: { id } })).toMatchObject({ type: "rejected", code: "not-found" });
  expect(await scene.send({ type: "text", text: "Hello" }, { to: { threadId: "<a>\r\nBcc: x" } })).toMatchObject({ code: "not-found" });
  expect(await scene.send({ type: "text", text: "Hello", replyTo: "a\r\nb" as MessageId })).toMatchObject({ code: "not-found" });
  expect(scene.mail.sent).toHaveLength(1);
});

test.each([
  [550, "5.1.1 no such user", { code: "not-found", retry: { type: "never" } }],
  [554, "5.7.1 refused by policy", { code: "forbidden", retry: { type: "never" } }],
  [550, "spam", { code: "forbidden", retry: { type: "never" } }],
  [552, "5.3.4 too big", { code: "too-long", retry: { type: "never" } }],
  [535, "5.7.8 log in again", { code: "unauthorized", retry: { type: "never" } }],
  [
    450,
    "4.2.0 Greylisted, see http://postgrey.example, try again in 300 seconds",
    { code: "rate-limited", retry: { type: "after", delayMs: 300_000 } },
  ],
  [451, "4.7.1 Greylisting in action, please come back in 00:04:58", { code: "rate-limited", retry: { type: "after", delayMs: 298_000 } }],
  [421, "4.7.0 too many messages", { code: "rate-limited", retry: { type: "backoff" } }],
  [451, "4.3.0 queue file write error", { code: "unreachable", retry: { type: "backoff" } }],
])("the answer %i %s is told truthfully", async (status, text, receipt) => {
  await using scene = await Scene.start();
  scene.mail.failNext({ type: "refused", status, text });
  expect(await scene.send({ type: "text", text: "Hello" })).toMatchObject({ type: "rejected", ...receipt });
});

describe("a lost answer", () => {
  const lookUp = (scene: Scene, idempotencyKey: string) => {
    const target = { channel: "email", accountId: scene.host.accountId, conversation: { kind: "direct", id: ALICE } } as const;
    return scene.channel.reconcile?.(target, { type: "text", text: "Hello" }, { ...soon(), idempotencyKey, sentAtMs: Date.now() });
  };

  test("is looked up in the folder of sent mail, where it says something only if the server stores copies", async () => {
    await using scene = await Scene.start({}, { keepsSent: false });
    scene.mail.failNext({ type: "answer-lost" });
    expect((await scene.send({ type: "text", text: "Hello" }, { idempotencyKey: "lost" })).type).toBe("ambiguous");
    expect(await lookUp(scene, "lost")).toEqual({ type: "unknown" });
    scene.mail.keepsSent = true;
    await scene.send({ type: "text", text: "Another" });
    expect(await lookUp(scene, "lost")).toEqual({ type: "not-shown" });
    await scene.send({ type: "text", text: "Hello" }, { idempotencyKey: "lost" });
    expect(await lookUp(scene, "lost")).toEqual({ type: "shown", messageIds: [scene.mail.sent[0]?.messageId] });
    await scene.mail.shutDown();
    expect(await lookUp(scene, "lost")).toEqual({ type: "unknown" });
  });

  test("is not shown if the mail was never begun, whatever the server stores", async () => {
    await using scene = await Scene.start({}, { keepsSent: false });
    expect(await lookUp(scene, "never")).toEqual({ type: "not-shown" });
    await scene.mail.shutDown();
    expect((await scene.send({ type: "text", text: "Hello" }, { idempotencyKey: "unreachable" })).type).toBe("rejected");
    expect(await lookUp(scene, "unreachable")).toEqual({ type: "not-shown" });
  });

  test("is found among copies that the channel stores itself, and stays unknown without one", async () => {
    await using scene = await Scene.start({ sentFolder: "Sent" }, { keepsSent: false });
    await scene.send({ type: "text", text: "Hello" }, { idempotencyKey: "one" });
    const sent = scene.mail.folder("Sent");
    await scene.mail.until(() => sent.mails.length === 1);
    expect(sent.mails[0]?.source.toString()).toContain(scene.mail.sent[0]?.messageId);
    expect([...(sent.mails[0]?.flags ?? [])]).toEqual(["\\Seen"]);
    expect(await lookUp(scene, "one")).toMatchObject({ type: "shown" });
    scene.mail.failNext({ type: "answer-lost" });
    await scene.send({ type: "text", text: "Hello" }, { idempotencyKey: "two" });
    expect(await lookUp(scene, "two")).toEqual({ type: "unknown" });
  });
});

test("a copy that cannot be stored is logged, and the mail is sent all the same", async () => {
  await using scene = await Scene.start({ sentFolder: "Missing" });
  expect((await scene.send({ type: "text", text: "Hello" })).type).toBe("accepted");
  while (!scene.host.logLines.some((line) => line.includes("no copy of a sent mail")))
    await new Promise((resolve) => setImmediate(resolve));
});

test("a long text is rendered in reasonable time", async () => {
  await using scene = await Scene.start();
  const startedAt = performance.now();
  expect((await scene.send({ type: "text", text: "**字** *x* `y` [l](https://x.example)\n\n".repeat(700) })).type).toBe("accepted");
  expect(performance.now() - startedAt).toBeLessThan(20_000);
});
