import { createCipheriv, createHash, randomBytes } from "node:crypto";
import type { FakeFeishuApp } from "./app.ts";

/** Faults that a test may add to a webhook. */
export interface WebhookOptions {
  /** Encrypted by default. */
  readonly encrypt?: boolean;
  /** Signed by default; `wrong` signs with another key. */
  readonly signature?: "right" | "wrong" | "missing";
  /** Time of the push, milliseconds since the epoch; the app's clock by default. */
  readonly timestampMs?: number;
  /** Changes the body after it was signed. */
  readonly tamper?: (body: string) => string;
}

/** A push of the platform: `payload` encrypted and signed as the platform does it. Send it with `fetch`, or pass it to an adapter. */
export function webhookRequest(app: FakeFeishuApp, url: string, payload: unknown, options: WebhookOptions = {}): Request {
  const { encrypt = true, signature = "right", tamper = (body: string) => body } = options;
  const plain = JSON.stringify(payload);
  const body = encrypt ? JSON.stringify({ encrypt: encryptPayload(app.encryptKey, plain) }) : plain;
  const timestamp = String(Math.floor((options.timestampMs ?? app.now()) / 1_000));
  const nonce = randomBytes(8).toString("hex");
  const key = signature === "wrong" ? `${app.encryptKey}-of-somebody-else` : app.encryptKey;
  const headers = new Headers({ "content-type": "application/json; charset=utf-8" });
  if (signature !== "missing") {
    headers.set("x-lark-request-timestamp", timestamp);
    headers.set("x-lark-request-nonce", nonce);
    headers.set(
      "x-lark-signature",
      createHash("sha256")
        .update(timestamp + nonce + key + body)
        .digest("hex"),
    );
  }
  return new Request(url, { method: "POST", headers, body: tamper(body) });
}

/** The request with which the platform verifies an address that was entered in the console. It is not signed. */
export function challengeRequest(
  app: FakeFeishuApp,
  url: string,
  options: { readonly challenge: string; readonly token?: string; readonly encrypt?: boolean },
): Request {
  const payload = { challenge: options.challenge, token: options.token ?? app.verificationToken, type: "url_verification" };
  return webhookRequest(app, url, payload, { signature: "missing", ...(options.encrypt !== undefined && { encrypt: options.encrypt }) });
}

/** AES-256-CBC, the key hashed, the random IV prepended, base64. */
export function encryptPayload(encryptKey: string, plain: string): string {
  const start = randomBytes(16);
  const cipher = createCipheriv("aes-256-cbc", createHash("sha256").update(encryptKey).digest(), start);
  return Buffer.concat([start, cipher.update(plain, "utf8"), cipher.final()]).toString("base64");
}
