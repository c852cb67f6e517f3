import { describe, expect, test } from "vitest";
import { findPromptCause, renderBasis } from "./prompt-cause.ts";
import type { CauseQuery, PromptBasis } from "./prompt-cause.ts";

const basis: PromptBasis = {
  channel: "feishu",
  config: "c",
  model: "a/m",
  thinking: "off",
  reasoning: "off",
  elevated: "off",
  extra: "",
  clientTools: "",
  editorTools: "",
  isPrivate: true,
  compactions: 0,
  sources: {},
  skills: [],
  deferredTools: [],
  settledBeforeMs: 0,
};
const query = (patch: Partial<CauseQuery> & { readonly before?: PromptBasis } = {}): CauseQuery => ({
  stored: { basis: renderBasis(patch.before ?? basis), renderedAtMs: 0 },
  basis,
  activeAtMs: 0,
  nowMs: 1000,
  cacheLifetimeMs: 5 * 60_000,
  ...patch,
});

describe("why a prompt is re-rendered", () => {
  test("not at all, while nothing happens and the cache is warm", () => {
    expect(findPromptCause(query())).toBeUndefined();
    expect(findPromptCause(query({ nowMs: 5 * 60_000 }))).toBeUndefined();
    expect(findPromptCause(query({ nowMs: 365 * 24 * 60 * 60_000, cacheLifetimeMs: Number.POSITIVE_INFINITY }))).toBeUndefined();
    expect(findPromptCause(query({ activeAtMs: 30_000, nowMs: 0 }))).toBeUndefined();
    expect(findPromptCause(query({ nowMs: 60 * 60_000, cacheLifetimeMs: 60 * 60_000 }))).toBeUndefined();
  });

  test.each([
    ["new-session", { stored: undefined }],
    ["config-change", { before: { ...basis, config: "d" } }],
    ["config-change", { stored: { basis: "from an older build", renderedAtMs: 0 } }],
    ["model-change", { before: { ...basis, model: "b/m" } }],
    ["model-change", { before: { ...basis, thinking: "high" } }],
    ["reasoning-change", { before: { ...basis, reasoning: "stream" } }],
    ["elevated-change", { before: { ...basis, elevated: "ask" } }],
    ["extra-change", { basis: { ...basis, extra: "x" } }],
    ["client-tools-change", { basis: { ...basis, clientTools: "x" } }],
    ["client-tools-change", { before: { ...basis, clientTools: "x" }, basis: { ...basis, clientTools: "y" } }],
    ["client-tools-change", { before: { ...basis, editorTools: "x" }, basis: { ...basis, editorTools: "y" } }],
    ["privacy-end", { basis: { ...basis, isPrivate: false } }],
    ["compaction", { basis: { ...basis, compactions: 1 } }],
    ["forgotten", { stored: { basis: JSON.stringify({ ...basis, config: "d", forgotten: true }), renderedAtMs: 0 } }],
    ["cold-cache", { nowMs: 5 * 60_000 + 1 }],
    ["cold-cache", { nowMs: 60 * 60_000 + 1, cacheLifetimeMs: 60 * 60_000 }],
    ["cold-cache", { cacheLifetimeMs: 0 }],
    // The clock was set back.
    ["cold-cache", { activeAtMs: 3_600_000, nowMs: 0 }],
    ["cold-cache", { before: { ...basis, settledBeforeMs: 3_600_000 }, nowMs: 0 }],
  ] as const)("%s", (cause, patch) => {
    expect(findPromptCause(query(patch))).toBe(cause);
  });

  test("a prompt of a version that did not record where thoughts are shown is kept while they are not shown", () => {
    const { reasoning: _new, ...older } = basis;
    const stored = { basis: JSON.stringify(older), renderedAtMs: 0 };
    expect(findPromptCause(query({ stored }))).toBeUndefined();
    expect(findPromptCause(query({ stored, basis: { ...basis, reasoning: "on" } }))).toBe("reasoning-change");
  });

  test("a request without system messages keeps those of the session", () => {
    expect(findPromptCause(query({ before: { ...basis, extra: "x" } }))).toBeUndefined();
    expect(findPromptCause(query({ before: { ...basis, editorTools: "x" } }))).toBeUndefined();
  });
});
