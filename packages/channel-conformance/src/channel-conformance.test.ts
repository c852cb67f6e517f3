import { describe, expect, test } from "vitest";
import { ReferenceChannel } from "../test/reference-channel.ts";
import type { Defect } from "../test/reference-channel.ts";
import { ReferencePlatform } from "../test/reference-platform.ts";
import { WRONG_ADAPTERS } from "../test/wrong-adapters.ts";
import { CONFORMANCE_REQUIREMENTS, channelConformance, proveRequirement } from "./index.ts";
import type { ConformanceOptions } from "./index.ts";

type Transport = "webhook" | "connection";

const optionsOf = (transport: Transport, defect?: Defect): ConformanceOptions<ReferencePlatform> => ({
  channel: "reference",
  platform: () => Promise.resolve(new ReferencePlatform(transport)),
  create: ({ platform, host, credential }) => new ReferenceChannel({ platform, host, credential, defect }),
});

describe("an adapter that is right passes", () => {
  channelConformance("by webhook", optionsOf("webhook"));
  channelConformance("by connection", optionsOf("connection"));
});

describe("an adapter that is wrong fails what it is wrong in, and nothing else", () => {
  test.concurrent.for(Object.entries(WRONG_ADAPTERS))(
    "%s",
    { timeout: 600_000 },
    async ([defect, { transport, fails }], { expect: expectHere }) => {
      const options = optionsOf(transport, defect as Defect) as unknown as ConformanceOptions;
      const failed: string[] = [];
      for (const { id } of CONFORMANCE_REQUIREMENTS) {
        // An adapter that hangs shall not cost much; what ought to pass gets the time that a busy machine takes.
        const timeoutMs = fails.includes(id) ? 1_500 : 60_000;
        if ((await proveRequirement(id, options, { timeoutMs })).type === "failed") failed.push(id);
      }
      expectHere(failed).toEqual(fails);
    },
  );
});

describe("the list of requirements", () => {
  test("names each once, as area and rule", () => {
    const ids = CONFORMANCE_REQUIREMENTS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z]+:[a-z-]+$/);
    expect(ids.length).toBeGreaterThanOrEqual(80);
  });

  test("has an adapter that fails it, for every id", () => {
    const failed = new Set(Object.values(WRONG_ADAPTERS).flatMap(({ fails }) => fails));
    expect(CONFORMANCE_REQUIREMENTS.map(({ id }) => id).filter((id) => !failed.has(id))).toEqual([]);
  });

  test("an unknown id is a failure, not a pass", async () => {
    const options = optionsOf("webhook") as unknown as ConformanceOptions;
    expect(await proveRequirement("inbound:nothing", options, { timeoutMs: 100 })).toMatchObject({ type: "failed" });
  });
});
