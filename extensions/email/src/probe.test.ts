import { expect, test } from "vitest";
import { Scene } from "../test/scene.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });

async function notesOf(trace: readonly string[] | undefined, settings: Readonly<Record<string, unknown>> = {}): Promise<readonly string[]> {
  await using scene = await Scene.create(settings);
  if (trace !== undefined) scene.mail.deliver(scene.source({ trace }));
  return (await scene.channel.probe?.(soon()))?.notes ?? [];
}

test("names the server that wrote the header of the newest mail", async () => {
  const results = ["Authentication-Results: mx.google.example; dmarc=pass", "Authentication-Results: forged.example; dmarc=pass"];
  expect(await notesOf(results, { senderVerification: undefined })).toEqual([
    "senderVerification is not set, so every mail is refused. The newest one has Authentication-Results of mx.google.example, forged.example; if mx.google.example is the receiving server, set senderVerification.authservId to it.",
  ]);
  expect(await notesOf(results)).toEqual([
    "The newest mail has Authentication-Results of mx.google.example, forged.example; with authservId mx.example.org such mail is refused.",
  ]);
  expect(await notesOf(results, { senderVerification: { authservId: "MX.google.example" } })).toEqual([]);
});

test("says when there is none, when the folder is empty, and what trustFrom means", async () => {
  expect((await notesOf([]))[0]).toContain("no Authentication-Results of mx.example.org");
  expect((await notesOf([], { senderVerification: undefined }))[0]).toContain("does not check senders");
  expect((await notesOf(undefined, { senderVerification: undefined }))[0]).toContain("INBOX is empty");
  expect((await notesOf([], { senderVerification: { trustFrom: true } }))[0]).toContain("Every From is believed");
});

test("names the account, changes nothing, and leaves", async () => {
  await using scene = await Scene.create();
  scene.mail.deliver(scene.source());
  expect(await scene.channel.probe?.(soon())).toEqual({
    account: { id: "assistant@example.org", name: "assistant@example.org" },
    missingPermissions: [],
    notes: [],
  });
  await scene.mail.until(() => scene.mail.openConnections === 0);
  expect(scene.mail.folder("INBOX").mails[0]?.flags.size).toBe(0);
  expect(await scene.host.cursor()).toBeUndefined();
});

test("a wrong password for sending is found, and told apart from that for reading", async () => {
  await using scene = await Scene.create();
  const { smtpPort } = scene.mail;
  const smtp = { host: "127.0.0.1", port: smtpPort, tls: false, user: "other", password: "wrong" };
  await using other = await Scene.create({ smtp });
  await expect(other.channel.probe?.(soon())).rejects.toMatchObject({
    code: "unauthorized",
    message: expect.stringContaining("smtp.user") as string,
  });
});
