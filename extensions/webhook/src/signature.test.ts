import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { signatureFault, signRequest } from "./signature.ts";

const SECRET = `whsec_${Buffer.from("a secret of 32 bytes, more or less").toString("base64")}`;
const NOW_MS = 1_800_000_000_000;
const body = Buffer.from('{"type":"message","text":"grüß dich"}');

function faultOf(changes: {
  readonly body?: Uint8Array;
  readonly headers?: Record<string, string>;
  readonly atMs?: number;
}): string | undefined {
  const headers = new Headers({ ...signRequest(body, { id: "m1", nowMs: NOW_MS, secret: SECRET }), ...changes.headers });
  return signatureFault(changes.body ?? body, headers, { secret: SECRET, nowMs: changes.atMs ?? NOW_MS });
}

test("the reference library accepts our signature, and we accept its", () => {
  const id = "m1";
  const nowMs = Date.now();
  const theirs = new Webhook(SECRET);
  expect(theirs.verify(body.toString(), signRequest(body, { id, nowMs, secret: SECRET }))).toEqual({ type: "message", text: "grüß dich" });
  const signature = theirs.sign(id, new Date(nowMs), body.toString());
  const headers = new Headers({ "webhook-id": id, "webhook-timestamp": String(Math.floor(nowMs / 1_000)), "webhook-signature": signature });
  expect(signatureFault(body, headers, { secret: SECRET, nowMs })).toBe(undefined);
});

test("one right signature among several is enough, while a secret is replaced", () => {
  const right = signRequest(body, { id: "m1", nowMs: NOW_MS, secret: SECRET })["webhook-signature"];
  expect(faultOf({ headers: { "webhook-signature": `v1,b2xk v1a,bmV3 ${right}` } })).toBe(undefined);
  expect(faultOf({ headers: { "webhook-signature": "v1,b2xk v1a,bmV3" } })).toBe("the signature is wrong");
  expect(faultOf({ headers: { "webhook-signature": "" } })).toBe("the signature is wrong");
});

test("body, id and time are signed", () => {
  expect(faultOf({})).toBe(undefined);
  expect(faultOf({ body: Buffer.from(`${body.toString()} `) })).toBe("the signature is wrong");
  expect(faultOf({ headers: { "webhook-id": "m2" } })).toBe("the signature is wrong");
  expect(faultOf({ headers: { "webhook-timestamp": String(NOW_MS / 1_000 + 1) } })).toBe("the signature is wrong");
});

test.each([
  ["five minutes late", 300_000, undefined],
  ["later", 301_000, "the signature is not fresh"],
  ["five minutes early", -300_000, undefined],
  ["earlier", -301_000, "the signature is not fresh"],
])("a signature that is %s", (_name, shiftMs, fault) => {
  expect(faultOf({ atMs: NOW_MS + shiftMs })).toBe(fault);
});
