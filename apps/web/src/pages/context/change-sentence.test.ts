import type { ContextDiff } from "@factotum/protocol";
import { i18n } from "@lingui/core";
import { expect, test } from "vitest";
import { sampleRequest } from "../../../test/context-samples.ts";
import { loadCatalogue } from "../../i18n/load-catalogue.ts";
import { changeSentence } from "./change-sentence.ts";

const request = sampleRequest(2);
const diff = (changes: Partial<ContextDiff>): ContextDiff => ({
  requestId: "r1",
  turn: 1,
  request: 1,
  prefixHeld: false,
  causes: [],
  changes: [],
  ...changes,
});

test("says what changed, why, and what it cost", () => {
  expect(
    changeSentence(
      diff({
        causes: ["config-change", "images-dropped"],
        firstDifference: { part: "system", section: "runtime" },
        reread: { tokens: 12_345, costUsd: 0.0331 },
      }),
      request,
    ),
  ).toBe(
    "It begins differently from the request before, first in “System prompt”, because the configuration was changed, and old images were left out. " +
      "So 12,345 tokens had to be read again instead of coming from the cache, which cost $0.03 more.",
  );
  expect(changeSentence(diff({ reread: { tokens: 5000 } }), request)).toBe(
    "It begins differently from the request before, and no cause is known. So 5,000 tokens had to be read again instead of coming from the cache.",
  );
});

test("tokens that a provider never caches are no loss, those of an expired cache are", () => {
  const held = { prefixHeld: true };
  expect(changeSentence(diff({ ...held, reread: { tokens: 900, costUsd: 0.01 } }), request)).toBe(
    "It begins exactly like the request before: 2,000 tokens came from the provider’s cache.",
  );
  expect(changeSentence(diff({ ...held, reread: { tokens: 9000, costUsd: 0.02 } }), request)).toBe(
    "It begins exactly like the request before, but the provider had not kept it in its cache. " +
      "So 9,000 tokens had to be read again instead of coming from the cache, which cost $0.02 more.",
  );
  expect(changeSentence(diff({ causes: ["of-a-later-version"] }), request)).toContain("because of-a-later-version.");
});

test("in Chinese no space stands between two sentences", async () => {
  i18n.loadAndActivate({ locale: "zh-CN", messages: (await loadCatalogue("zh-CN")).messages });
  try {
    expect(changeSentence(diff({ prefixHeld: true, reread: { tokens: 9000 } }), request)).toContain("中。因此");
  } finally {
    i18n.loadAndActivate({ locale: "en", messages: {} });
  }
});
