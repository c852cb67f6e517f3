import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TestHost } from "@factotum/channel-conformance";
import { FakeMail } from "@factotum/testing-channels";
import { describe, expect, test } from "vitest";
import { createEmailChannel } from "../index.ts";
import type { EmailConfig, MailServer } from "../index.ts";

const soon = (): { readonly signal: AbortSignal } => ({ signal: AbortSignal.timeout(60_000) });
const read = (name: string): string => readFileSync(join(import.meta.dirname, "../../test/tls", name), "utf8");
const ca = read("ca.pem");
const tls = { key: read("server-key.pem"), cert: read("server.pem") };

type Setting = Pick<MailServer, "host" | "tls" | "ca">;

const RIGHT: Setting = { host: "localhost", tls: true, ca };

/** What a probe of both servers says. */
async function probe(
  isEncrypted: boolean,
  { imap = RIGHT, smtp = RIGHT }: { readonly imap?: Setting; readonly smtp?: Setting },
): Promise<string> {
  await using mail = await FakeMail.start(isEncrypted ? { tls } : {});
  const { user, password, imapPort, smtpPort } = mail;
  const config: EmailConfig = {
    address: user,
    imap: { ...imap, port: imapPort, user, password },
    smtp: { ...smtp, port: smtpPort },
    folder: "INBOX",
  };
  const channel = createEmailChannel(config, new TestHost());
  try {
    const result = await channel.probe?.(soon());
    return `account ${result?.account.id}`;
  } catch (error) {
    return error instanceof Error ? error.message : "unknown";
  } finally {
    await channel.stop(soon());
  }
}

const { ca: _own, ...UNKNOWN } = RIGHT;
const CLEAR: Setting = { host: "localhost", tls: false };

test("both servers are reached over TLS by the authority of the setting", async () => {
  expect(await probe(true, {})).toBe("account assistant@example.org");
});

describe.each(["imap", "smtp"] as const)("%s", (protocol) => {
  test("a certificate of an unknown authority is refused, and the message says what to set", async () => {
    expect(await probe(true, { [protocol]: UNKNOWN })).toMatch(
      new RegExp(
        `^the certificate of the ${protocol.toUpperCase()} server localhost is not accepted \\(\\w+\\): set ${protocol}.host .* ${protocol}.ca`,
      ),
    );
  });

  test("a certificate for another name is refused", async () => {
    expect(await probe(true, { [protocol]: { ...RIGHT, host: "127.0.0.1" } })).toContain("is not accepted (ERR_TLS_CERT_ALTNAME_INVALID)");
  });

  test("a server without TLS gets no password", async () => {
    const other = protocol === "imap" ? "smtp" : "imap";
    expect(await probe(false, { [protocol]: RIGHT, [other]: CLEAR })).toContain("does not speak TLS from the start: check");
    expect(await probe(false, { [protocol]: { ...RIGHT, tls: "starttls" }, [other]: CLEAR })).toContain(
      `offers no STARTTLS: check ${protocol}.tls`,
    );
  });
});
