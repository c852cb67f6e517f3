import { join } from "node:path";
import { loadedModules } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createEmailChannel, EmailConfigSchema, emailExtension } from "./index.ts";

const ACCOUNT = {
  address: "a@example.org",
  imap: { host: "imap.example.org", user: "a", password: "p" },
  smtp: { host: "smtp.example.org" },
};

const OAUTH = { tokenUrl: "https://login.example.org/token", clientId: "c", refreshToken: "r" };

test("the extension exports its schema and its constructor", () => {
  expect(emailExtension).toEqual({ id: "email", api: 1, configSchema: EmailConfigSchema, create: createEmailChannel });
});

test("an account needs an address and two servers; the rest has defaults", () => {
  expect(EmailConfigSchema.parse(ACCOUNT)).toMatchObject({ folder: "INBOX", imap: { tls: true }, smtp: { tls: true } });
});

test.each([
  [{ address: "Assistant" }, "an address such as"],
  [{ address: "A <a@example.org>" }, "an address such as"],
  [{ imap: { ...ACCOUNT.imap, host: "imap.example.org:993" } }, "the port is a key of its own"],
  [{ imap: { ...ACCOUNT.imap, tls: false } }, "the password would be sent in clear"],
  [{ smtp: { ...ACCOUNT.smtp, tls: false } }, "the password would be sent in clear"],
  [{ imap: { ...ACCOUNT.imap, password: "a\r\nb" } }, "one line"],
  [{ imap: { host: "imap.example.org", user: "a" } }, "a login is missing: password, accessToken or oauth"],
  [{ imap: { ...ACCOUNT.imap, accessToken: "t" } }, "only one of password, accessToken and oauth"],
  [{ smtp: { host: "smtp.example.org", password: "p", oauth: OAUTH } }, "only one of password, accessToken and oauth"],
  [{ smtp: { host: "smtp.example.org", oauth: { ...OAUTH, tokenUrl: "http://login.example.org/token" } } }, "sent in clear: use https"],
  [{ smtp: { host: "smtp.example.org", oauth: { ...OAUTH, tokenUrl: "login" } } }, "tokenUrl"],
  [{ senderVerification: { trustFrom: false } }, "senderVerification"],
  [{ senderVerification: {} }, "senderVerification"],
])("refuses %j", (change, message) => {
  expect(JSON.stringify(EmailConfigSchema.safeParse({ ...ACCOUNT, ...change }).error?.issues)).toContain(message);
});

test("a login is a password, a token, or what fetches tokens", () => {
  for (const login of [
    { password: "p" },
    { accessToken: "t" },
    { oauth: OAUTH },
    { oauth: { ...OAUTH, tokenUrl: "http://[::1]:1/token" } },
  ])
    EmailConfigSchema.parse({ ...ACCOUNT, imap: { host: "imap.example.org", user: "a", ...login } });
});

test("a server on this machine may be without TLS", () => {
  for (const host of ["127.0.0.1", "::1", "localhost"]) EmailConfigSchema.parse({ ...ACCOUNT, smtp: { host, tls: false } });
});

test("importing the package and making a channel loads no library of mail", () => {
  const loaded = loadedModules(
    join(import.meta.dirname, "index.ts"),
    `extension.createEmailChannel({ address: "a@b.example", folder: "INBOX", imap: {}, smtp: {} }, { accountId: "a", clock: {}, state: {}, logger: {}, random: {} });`,
  );
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter((url) => /imapflow|mailparser|nodemailer|html-to-text/.test(url))).toEqual([]);
});
