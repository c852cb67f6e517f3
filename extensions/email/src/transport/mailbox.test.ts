import { TestHost } from "@factotum/channel-conformance";
import { expect, test } from "vitest";
import { Scene } from "../../test/scene.ts";
import { createEmailChannel } from "../index.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });
const DAY_MS = 24 * 60 * 60 * 1_000;

test("the first start answers no old mail; later ones go on where the last one stopped, and change nothing in the folder", async () => {
  await using scene = await Scene.create();
  scene.mail.deliver(scene.source({ text: "old" }));
  await scene.channel.start(soon());
  await scene.receive({ text: "new" });
  await scene.channel.stop(soon());
  scene.mail.deliver(scene.source({ text: "meanwhile" }));
  scene.channel = scene.create();
  await scene.channel.start(soon());
  await scene.host.storedMessages(2);
  expect(scene.host.stored.map(({ text }) => text)).toEqual(["new", "meanwhile"]);
  expect(scene.mail.folder("INBOX").mails.flatMap(({ flags }) => [...flags])).toEqual([]);
  expect(new Set(scene.mail.commands)).not.toContain("SELECT");
});

test("an idle connection learns of mail at once, and a server without IDLE is asked every minute", async () => {
  await using idle = await Scene.start();
  const { attachments } = await idle.receive({ files: [{ name: "a.txt", bytes: Buffer.from("text") }] });
  // A file that is fetched meanwhile ends the idling, which begins again.
  await idle.channel.fetchAttachment(attachments[0] ?? { kind: "file", ref: "" }, { ...soon(), maxBytes: 100 });
  await idle.receive();
  await using scene = await Scene.start({}, { hasIdle: false });
  await scene.mail.until(() => scene.mail.commands.at(-1) === "UID SEARCH");
  scene.mail.deliver(scene.source());
  // The answer to the first search reaches the channel before it waits.
  while (scene.clock.pending.length === 0) await new Promise((resolve) => setImmediate(resolve));
  expect(scene.host.received).toEqual([]);
  scene.clock.advance(60_000);
  await scene.host.storedMessages(1);
});

test("a mail that could not be stored is read again, after the connection was opened again, and the health says so", async () => {
  await using scene = await Scene.start();
  scene.host.failNext();
  await scene.receive({ text: "one" });
  await scene.mail.until(() => scene.mail.openConnections === 0);
  expect(scene.channel.health()).toMatchObject({ state: "degraded", detail: "a message could not be stored; it is read again" });
  scene.mail.deliver(scene.source({ text: "two" }));
  scene.clock.advance(2_000);
  await scene.host.storedMessages(2);
  expect(scene.host.stored.map(({ text }) => text)).toEqual(["one", "two"]);
  expect(scene.channel.health()).toMatchObject({ state: "connected" });
});

test("a broken connection is opened again, and loses nothing", async () => {
  await using scene = await Scene.start();
  scene.mail.disconnect();
  await scene.mail.until(() => scene.mail.openConnections === 0);
  scene.mail.deliver(scene.source({ text: "meanwhile" }));
  while (scene.channel.health().state !== "disconnected") await new Promise((resolve) => setImmediate(resolve));
  scene.clock.advance(2_000);
  await scene.host.storedMessages(1);
  expect(scene.mail.opened).toBe(2);
});

test("after new numbers of the folder no mail is lost, none is answered twice, and no old one at all", async () => {
  await using scene = await Scene.create();
  const now = scene.clock.now();
  scene.mail.deliver(scene.source({ text: "ancient", atMs: now - 90 * DAY_MS }), { atMs: now - 90 * DAY_MS });
  await scene.channel.start(soon());
  scene.mail.deliver(scene.source({ text: "known", atMs: now }), { atMs: now });
  await scene.host.storedMessages(1);
  await scene.channel.stop(soon());
  scene.mail.deliver(scene.source({ text: "missed", atMs: now + 1_000 }), { atMs: now + 1_000 });
  // A move to another server: everything arrives on one day.
  scene.mail.deliver(scene.source({ text: "moved", atMs: now - 80 * DAY_MS }), { atMs: now + 2_000 });
  scene.mail.folder("INBOX").renumber();
  scene.channel = scene.create();
  await scene.channel.start(soon());
  await scene.host.storedMessages(2);
  await scene.receive({ text: "after", atMs: now });
  expect(scene.host.stored.map(({ text }) => text)).toEqual(["known", "missed", "after"]);
  expect(JSON.parse((await scene.host.cursor()) ?? "{}")).toMatchObject({ uid: 5 });
});

/** A mail of Alice whose text is inside so many parts. */
function nested(scene: Scene, levels: number): Buffer {
  const outer = Array.from(
    { length: levels },
    (_, index) => `Content-Type: multipart/mixed; boundary="b${index}x"\r\n\r\n--b${index}x\r\n`,
  );
  const [head = ""] = scene.source().toString("latin1").split("Content-Type:");
  return Buffer.from(`${head}${outer.join("")}Content-Type: text/plain\r\n\r\ndeep\r\n`, "latin1");
}

test("a mail whose parts are nested too deeply is refused and counted, and the mail behind is read", async () => {
  await using scene = await Scene.start();
  expect((await scene.receive(nested(scene, 15))).text).toContain("deep");
  await scene.ignore(nested(scene, 30));
  expect(scene.channel.health()).toMatchObject({
    state: "connected",
    detail: "1 refused since the start, the last one because its parts cannot be read: they are nested too deeply",
  });
  await scene.restart();
  await scene.receive({ text: "after" });
  expect(scene.host.received).toHaveLength(3);
});

test("a line without an end ends the connection before it fills the memory, and mail is read again behind it", async () => {
  await using scene = await Scene.start();
  scene.mail.flood(Buffer.alloc(17 * 1024 * 1024, "x"));
  await scene.mail.until(() => scene.mail.openConnections === 0);
  await expect
    .poll(() => scene.channel.health())
    .toMatchObject({
      state: "disconnected",
      detail: "the connection to the IMAP server ended: it sent more than 16 MiB without an end",
    });
  scene.mail.deliver(scene.source({ text: "meanwhile" }));
  scene.clock.advance(2_000);
  await scene.host.storedMessages(1);
});

test("a line of 15 MiB is none without an end", async () => {
  await using scene = await Scene.start();
  scene.mail.flood(Buffer.concat([Buffer.from("* OK "), Buffer.alloc(15 * 1024 * 1024, "x"), Buffer.from("\r\n")]));
  await scene.receive({ text: "behind" });
  expect(scene.mail.opened).toBe(1);
});

test("a mail that disappears before it is read is passed over", async () => {
  await using scene = await Scene.start();
  const folder = scene.mail.folder("INBOX");
  scene.mail.folder("INBOX").remove(folder.append(scene.source()).uid);
  await scene.receive({ text: "behind" });
  expect(scene.host.received).toHaveLength(1);
});

test.each([
  [{ imap: { port: 1 } }, "nothing answers at 127.0.0.1:1: check imap.host and imap.port"],
  [{ imap: { host: "no-such-host.invalid", tls: true } }, "there is no host no-such-host.invalid: check imap.host"],
  [{ folder: "Missing" }, 'the folder "Missing" cannot be opened; there are: INBOX, Sent, Other'],
] as const)("says what is wrong: %j", async (settings, detail) => {
  await using scene = await Scene.create();
  const { imapPort, smtpPort, user, password } = scene.mail;
  const imap = { host: "127.0.0.1", port: imapPort, tls: false, user, password, ...("imap" in settings && settings.imap) };
  const smtp = { host: "127.0.0.1", port: smtpPort, tls: false };
  const config = { address: user, folder: "INBOX", ...settings, imap, smtp } as const;
  const channel = createEmailChannel(config, new TestHost());
  await expect(channel.start(soon())).rejects.toThrow(detail);
  expect(channel.health().detail).toContain(detail);
  await channel.stop(soon());
});

test("a server that takes no logins at the moment is not a wrong password", async () => {
  await using scene = await Scene.create();
  scene.mail.isUnavailable = true;
  await expect(scene.channel.start(soon())).rejects.toMatchObject({ code: "unreachable", retry: { type: "backoff" } });
  scene.mail.isUnavailable = false;
  await scene.channel.start(soon());
});
