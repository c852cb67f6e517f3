import { request as httpRequest } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, type RuleViolation, sayText, type StrictServer, type WireRule } from "../src/index.ts";
import { type Edit, editBody } from "./edit-body.ts";

/** A fault of a request outside of its body. */
export interface TransportFault {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** One format's rules and the faults that are planted to prove them. */
export interface RuleCases {
  readonly rules: readonly Pick<WireRule<never>, "id" | "description" | "vendorText">[];
  /** With `right` as its only key. */
  readonly start: () => Promise<StrictServer>;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A valid body that exercises most rules. */
  readonly sample: JsonObject;
  readonly check: (body: JsonObject) => readonly RuleViolation[];
  /** Exactly one fault each: the rule that must report it, the vendor's message, the change, and the path if it differs. */
  readonly faults: readonly (readonly [rule: string, text: string, edits: readonly Edit[], path?: string])[];
  readonly transport: readonly (readonly [rule: string, status: number, fault: TransportFault])[];
  /** Unusual but valid requests: a strict server that refuses these would mislead clients. */
  readonly allowed: readonly (readonly [what: string, edits: readonly Edit[], path?: string])[];
  /** The status of a broken rule of the body. */
  readonly statusOf: (rule: string) => number;
  /** Parses an error body; throws if it does not have the vendor's shape. */
  readonly messageOf: (body: JsonObject) => string;
}

/** Runs every planted fault against a running server. */
export function ruleSuite(cases: RuleCases): void {
  let server: StrictServer;
  beforeAll(async () => {
    server = await cases.start();
    server.respond(() => sayText("Fine."));
  });
  afterAll(() => server.close());

  const post = async (fault: TransportFault): Promise<{ status: number; body: JsonObject | string }> => {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const request = httpRequest(server.baseUrl + (fault.path ?? cases.path), { method: fault.method ?? "POST" }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    request.on("error", reject);
    const headers = { "content-type": "application/json", ...cases.headers, ...fault.headers };
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) request.setHeader(name, value);
    request.end(fault.body ?? JSON.stringify(cases.sample));
    const { status, text } = await promise;
    return { status, body: text.startsWith("{") && !text.includes("\n\n") ? (JSON.parse(text) as JsonObject) : text };
  };

  const last = (): readonly RuleViolation[] => server.requests.at(-1)?.violations ?? [];

  test("the sample breaks no rule", async () => {
    const answer = await post({});
    expect(last()).toEqual([]);
    expect(answer.status).toBe(200);
  });

  test.each(cases.faults.map(([rule, text, edits, path]) => ({ rule, text, edits, path })))(
    "$rule refuses: $text",
    async ({ rule, text, edits, path }) => {
      const body = JSON.stringify(editBody(cases.sample, edits));
      const answer = await post({ body, ...(path !== undefined && { path }) });
      expect(last()).toMatchObject([{ rule, message: expect.stringContaining(text) as string }]);
      expect(answer.status).toBe(cases.statusOf(rule));
      expect(cases.messageOf(answer.body as JsonObject)).toBe(last()[0]?.message);
      await expect(server.requests.at(-1)?.ended).resolves.toBe("refused");
    },
  );

  test.each(cases.transport.map(([rule, status, fault]) => ({ rule, status, fault })))(
    "$rule refuses with $status",
    async ({ rule, status, fault }) => {
      const answer = await post(fault);
      expect(last().map((violation) => violation.rule)).toEqual([rule]);
      expect(answer.status).toBe(status);
      expect(cases.messageOf(answer.body as JsonObject)).toBe(last()[0]?.message);
    },
  );

  test.each(cases.allowed.map(([what, edits, path]) => ({ what, edits, path })))("$what is accepted", async ({ edits, path }) => {
    const answer = await post({ body: JSON.stringify(editBody(cases.sample, edits)), ...(path !== undefined && { path }) });
    expect(last()).toEqual([]);
    expect(answer.status).toBe(200);
  });

  describe("the table", () => {
    test("has a planted fault for every rule, and at least 25 of them", () => {
      const planted = new Set([...cases.faults, ...cases.transport].map(([rule]) => rule));
      expect([...planted].toSorted()).toEqual(cases.rules.map(({ id }) => id).toSorted());
      expect(cases.faults.length + cases.transport.length).toBeGreaterThanOrEqual(25);
    });

    test("names each rule once and describes it", () => {
      expect(new Set(cases.rules.map(({ id }) => id)).size).toBe(cases.rules.length);
      for (const rule of cases.rules) expect(rule.description.length * rule.vendorText.length, rule.id).toBeGreaterThan(0);
    });
  });

  test("for any change of a body, the check names rules and never throws", () => {
    const anything = fc.oneof(fc.jsonValue(), fc.constantFrom("", " ", "function", -1, 1e9, {}, []));
    const known = new Set(cases.rules.map(({ id }) => id));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), anything, (place, value) => {
        const body = replaceAt(cases.sample, place, value as JsonValue);
        for (const { rule, message } of cases.check(body as JsonObject)) {
          expect(known).toContain(rule);
          expect(message).not.toBe("");
        }
      }),
      { numRuns: 300 },
    );
  });
}

/** The JSON with the value at the n-th place (depth first, the whole not counted) replaced. */
function replaceAt(json: JsonValue, place: number, value: JsonValue): JsonValue {
  let index = 0;
  const walk = (part: JsonValue): JsonValue => {
    if (index++ === place) return value;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(json);
}
