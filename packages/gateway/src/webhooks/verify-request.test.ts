import { WEBHOOK_SCHEMES } from "@factotum/config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { signRequest } from "./sign-request.ts";
import { REPLAY_WINDOW_MS, verifyRequest } from "./verify-request.ts";

const NOW_MS = Date.UTC(2026, 2, 2, 12);
const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Examples of the platforms' own documentation. */
describe("a signature as its platform documents it", () => {
  test("GitHub", () => {
    const headers = {
      "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
      "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
      "x-github-event": "push",
    };
    const check = (body: string): string =>
      verifyRequest({ headers, body: bytes(body) }, { scheme: "github", secret: "It's a Secret to Everybody", nowMs: NOW_MS }).type;
    expect([check("Hello, World!"), check("Hello, World?")]).toEqual(["verified", "refused"]);
  });

  test("Slack", () => {
    const body =
      "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    const headers = {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    };
    const options = { scheme: "slack", secret: "8f742231b10e8888abcd99yyyzzz85a5" } as const;
    expect(verifyRequest({ headers, body: bytes(body) }, { ...options, nowMs: 1_531_420_618_000 }).type).toBe("verified");
    expect(verifyRequest({ headers, body: bytes(body) }, { ...options, nowMs: NOW_MS }).type).toBe("refused");
  });

  test("Standard Webhooks", () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const options = { scheme: "standard-webhooks", secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", nowMs: 1_614_265_330_000 } as const;
    expect(verifyRequest({ headers, body: bytes('{"test": 2432232314}') }, options)).toEqual({
      type: "verified",
      deliveryId: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    });
  });

  test("Stripe, with one of several signatures right", () => {
    const body = bytes('{"id":"evt_1"}');
    const options = { scheme: "stripe", secret: "whsec_test", nowMs: NOW_MS } as const;
    const { "stripe-signature": signature = "" } = signRequest(body, { ...options, id: "" });
    const headers = { "stripe-signature": signature.replace(",", `,v1=${"0".repeat(64)},v0=6ffbb59b,`) };
    expect(verifyRequest({ headers, body }, options)).toEqual({ type: "verified", deliveryId: "evt_1" });
    expect(verifyRequest({ headers: { "stripe-signature": signature.replace("v1=", "v0=") }, body }, options).type).toBe("refused");
  });
});

describe.each(WEBHOOK_SCHEMES)("%s", (scheme) => {
  const secret = "a-secret-of-enough-length";
  const signed = (body: Uint8Array, at = NOW_MS): { headers: Readonly<Record<string, string>>; body: Uint8Array } => ({
    headers: signRequest(body, { scheme, secret, id: "delivery-1", nowMs: at }),
    body,
  });

  test("takes what was signed with its secret, and nothing else", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), fc.string({ minLength: 1 }), (body, at, other) => {
        const request = signed(body);
        expect(verifyRequest(request, { scheme, secret, nowMs: NOW_MS }).type).toBe("verified");
        expect(verifyRequest(request, { scheme, secret: `${secret}${other}`, nowMs: NOW_MS }).type).toBe("refused");
        if (scheme === "bearer" || scheme === "gitlab") return;
        const changed = body.map((byte, index) => (index === at % body.length ? byte ^ 1 : byte));
        expect(verifyRequest({ ...request, body: changed }, { scheme, secret, nowMs: NOW_MS }).type).toBe("refused");
      }),
    );
  });

  test("refuses a request without its headers, and one with a time outside of the window", () => {
    const body = bytes("{}");
    expect(verifyRequest({ headers: {}, body }, { scheme, secret, nowMs: NOW_MS }).type).toBe("refused");
    const hasTime = scheme === "stripe" || scheme === "slack" || scheme === "standard-webhooks";
    const late = (distanceMs: number): string => verifyRequest(signed(body, NOW_MS - distanceMs), { scheme, secret, nowMs: NOW_MS }).type;
    expect([late(REPLAY_WINDOW_MS), late(-REPLAY_WINDOW_MS)]).toEqual(["verified", "verified"]);
    const beyond = hasTime ? "refused" : "verified";
    expect([late(REPLAY_WINDOW_MS + 1000), late(-REPLAY_WINDOW_MS - 1000)]).toEqual([beyond, beyond]);
  });
});

test("a repeated delivery has the same id, also if what is not signed differs", () => {
  const body = bytes('{"action":"opened"}');
  const ids = ["one", "two"].map((id) => {
    const headers = { ...signRequest(body, { scheme: "github", secret: "s", id, nowMs: NOW_MS }), "x-github-event": "issues" };
    return verifyRequest({ headers, body }, { scheme: "github", secret: "s", nowMs: NOW_MS });
  });
  expect(ids[0]).toEqual(ids[1]);
  const slack = verifyRequest(
    {
      headers: signRequest(bytes('{"event_id":"Ev1"}'), { scheme: "slack", secret: "s", id: "", nowMs: NOW_MS }),
      body: bytes('{"event_id":"Ev1"}'),
    },
    { scheme: "slack", secret: "s", nowMs: NOW_MS },
  );
  expect(slack).toEqual({ type: "verified", deliveryId: "Ev1" });
  const bearer = { headers: { authorization: "Bearer s", "idempotency-key": "" }, body };
  expect(verifyRequest(bearer, { scheme: "bearer", secret: "s", nowMs: NOW_MS })).toEqual({ type: "verified" });
});
