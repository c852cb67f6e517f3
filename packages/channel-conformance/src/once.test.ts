import { describe, test } from "vitest";
import { WRONG_ONCE_ADAPTERS, createOnceChannel } from "../test/once-channel.ts";
import type { OnceDefect } from "../test/once-channel.ts";
import { ReferencePlatform } from "../test/reference-platform.ts";
import { CONFORMANCE_REQUIREMENTS, channelConformance, proveRequirement } from "./index.ts";
import type { ConformanceOptions } from "./index.ts";

const optionsOf = (defect?: OnceDefect): ConformanceOptions<ReferencePlatform> => ({
  channel: "reference",
  platform: () => Promise.resolve(new ReferencePlatform("connection")),
  create: ({ platform, host, credential }) => createOnceChannel({ platform, host, credential, defect }),
});

describe("a correct adapter passes", () => {
  channelConformance("of a platform that delivers once", optionsOf());
});

describe("a faulty adapter fails exactly the requirements that it violates", () => {
  test.concurrent.for(Object.entries(WRONG_ONCE_ADAPTERS))("%s", { timeout: 600_000 }, async ([defect, fails], { expect }) => {
    const options = optionsOf(defect as OnceDefect) as unknown as ConformanceOptions;
    const failed: string[] = [];
    for (const { id } of CONFORMANCE_REQUIREMENTS) {
      const timeoutMs = fails.includes(id) ? 1_500 : 60_000;
      if ((await proveRequirement(id, options, { timeoutMs })).type === "failed") failed.push(id);
    }
    expect(failed).toEqual(fails);
  });
});
