import type { EventType } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import { WRONG_ONCE_ADAPTERS } from "../test/once-channel.ts";
import { ReferenceChannel } from "../test/reference-channel.ts";
import type { Defect } from "../test/reference-channel.ts";
import { ReferencePlatform } from "../test/reference-platform.ts";
import { WRONG_ADAPTERS } from "../test/wrong-adapters.ts";
import { OUTBOUND_KINDS } from "./cases/outbound/kinds.ts";
import { CONFORMANCE_REQUIREMENTS, channelConformance, proveRequirement } from "./index.ts";
import type { ConformanceOptions } from "./index.ts";

/** `plain`: a connection of an adapter that declares text and files alone. `polling`: of one that declares that it polls. */
type Transport = "webhook" | "connection" | "polling" | "plain";

const optionsOf = (transport: Transport, defect?: Defect): ConformanceOptions<ReferencePlatform> => ({
  channel: "reference",
  platform: () => Promise.resolve(new ReferencePlatform(transport === "webhook" ? "webhook" : "connection")),
  create: ({ platform, host, credential }) =>
    new ReferenceChannel({ platform, host, credential, defect, isPlain: transport === "plain", isPolling: transport === "polling" }),
});

describe("a correct adapter passes", () => {
  channelConformance("by webhook", optionsOf("webhook"));
  channelConformance("by connection", optionsOf("connection"));
  channelConformance("by polling", optionsOf("polling"));
  channelConformance("with text and files alone", optionsOf("plain"));
});

describe("a faulty adapter fails exactly the requirements that it violates", () => {
  test.concurrent.for(Object.entries(WRONG_ADAPTERS))(
    "%s",
    { timeout: 600_000 },
    async ([defect, { transport, fails }], { expect: expectHere }) => {
      const options = optionsOf(transport, defect as Defect) as unknown as ConformanceOptions;
      const failed: string[] = [];
      for (const { id } of CONFORMANCE_REQUIREMENTS) {
        // A hanging adapter must end soon; cases that should pass get enough time for a busy machine.
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
    expect(ids.length).toBeGreaterThanOrEqual(130);
  });

  test("has an adapter that fails it, for every id", () => {
    const failed = new Set([...Object.values(WRONG_ADAPTERS).flatMap(({ fails }) => fails), ...Object.values(WRONG_ONCE_ADAPTERS).flat()]);
    expect(CONFORMANCE_REQUIREMENTS.map(({ id }) => id).filter((id) => !failed.has(id))).toEqual([]);
  });

  test("context is fetched also where a platform has no replies", async () => {
    class NoReplies extends ReferencePlatform {
      override readonly features: ReferencePlatform["features"] = { ...new ReferencePlatform("webhook").features, absent: ["replies"] };
    }
    const proved = async (defect?: Defect): Promise<readonly string[]> => {
      const options = { ...optionsOf("webhook", defect), platform: () => Promise.resolve(new NoReplies("webhook")) };
      const prove = async (id: string): Promise<string> =>
        (await proveRequirement(id, options as unknown as ConformanceOptions, { timeoutMs: 10_000 })).type;
      return Promise.all(["outbound:reply", "context:fetched", "context:refused"].map(prove));
    };
    expect(await proved()).toEqual(["not-needed", "passed", "passed"]);
    expect(await proved("fetches-no-context")).toEqual(["not-needed", "failed", "failed"]);
  });

  test("has a case for every kind of outbound", () => {
    const needed = new Set(CONFORMANCE_REQUIREMENTS.flatMap(({ needs }) => needs));
    expect(Object.values(OUTBOUND_KINDS).flatMap(({ need }) => (need === undefined || needed.has(need) ? [] : [need]))).toEqual([]);
  });

  test("has a case for every type of event that a channel can declare", () => {
    const needed = new Set(CONFORMANCE_REQUIREMENTS.flatMap(({ needs }) => needs));
    const types: Readonly<Record<Exclude<EventType, "message">, true>> = {
      edit: true,
      delete: true,
      reaction: true,
      action: true,
      member: true,
      moved: true,
      vote: true,
      receipt: true,
    };
    for (const type of Object.keys(types)) expect(needed).toContain(`event-${type}`);
  });

  test("a declared menu is tested, unless the platform says that it has none", async () => {
    const proved = async (features: Partial<ReferencePlatform["features"]>): Promise<readonly string[]> => {
      class NoMenu extends ReferencePlatform {
        override readonly features: ReferencePlatform["features"] = { ...new ReferencePlatform("webhook").features, ...features };
        override readonly menu = undefined as never;
        override readonly menuSet = undefined as never;
      }
      const options = { ...optionsOf("webhook"), platform: () => Promise.resolve(new NoMenu("webhook")) };
      const prove = async (id: string): Promise<string> =>
        (await proveRequirement(id, options as unknown as ConformanceOptions, { timeoutMs: 10_000 })).type;
      return Promise.all(["command:menu", "command:menu-change"].map(prove));
    };
    expect(await proved({})).toEqual(["failed", "failed"]);
    expect(await proved({ absent: ["menu"] })).toEqual(["not-needed", "not-needed"]);
  });

  test("excluding every requirement of a declared capability is a failure, which names it", async () => {
    const options = { ...optionsOf("webhook"), excluded: { "outbound:typing": "not shown here" } } as unknown as ConformanceOptions;
    const outcome = await proveRequirement("capabilities:proved", options, { timeoutMs: 10_000 });
    expect(outcome).toMatchObject({ type: "failed", error: { message: "declared, and not tested on this platform: typing" } });
  });

  test("an unknown id is a failure, not a pass", async () => {
    const options = optionsOf("webhook") as unknown as ConformanceOptions;
    expect(await proveRequirement("inbound:nothing", options, { timeoutMs: 100 })).toMatchObject({ type: "failed" });
  });
});
