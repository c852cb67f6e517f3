import { describe, expect, test } from "vitest";
import { mergeEdits } from "./merge-patch.ts";

const BEFORE = {
  gateway: { port: 18790, auth: { mode: "token" } },
  tools: { deny: ["exec"] },
  models: { providers: { xai: { apiKey: { env: "XAI" } } } },
};

describe("the edits of a merge patch", () => {
  test.each<[string, Parameters<typeof mergeEdits>[1], ReturnType<typeof mergeEdits>]>([
    ["are as deep as possible", { gateway: { port: 1 } }, [{ path: ["gateway", "port"], value: 1 }]],
    ["remove with null", { gateway: { port: null } }, [{ path: ["gateway", "port"], value: undefined }]],
    ["remove nothing that is not there", { gateway: { bind: null }, memory: null }, []],
    ["replace lists", { tools: { deny: ["ls"] } }, [{ path: ["tools", "deny"], value: ["ls"] }]],
    ["replace a value by an object", { gateway: { port: { a: 1 } } }, [{ path: ["gateway", "port"], value: { a: 1 } }]],
    [
      "keep no null in what is new",
      { session: { reset: { atHour: 4, mode: null } } },
      [{ path: ["session"], value: { reset: { atHour: 4 } } }],
    ],
    [
      "replace a reference to a secret by another form of it",
      { models: { providers: { xai: { apiKey: { file: "key" } } } } },
      [{ path: ["models", "providers", "xai", "apiKey"], value: { file: "key" } }],
    ],
    ["are none for an empty patch", {}, []],
  ])("%s", (_, patch, edits) => {
    expect(mergeEdits(BEFORE, patch)).toEqual(edits);
  });
});
