import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkoutChannels } from "../extensions/checkout-channels.ts";
import { channelWords } from "./channel-words.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
/** Of the page itself: there is nothing to set up. */
const IMPLICIT = "webchat";

test("every channel of the repository says in one line what it is and what one needs", async () => {
  const ids = [...(await checkoutChannels(ROOT)).keys()].filter((id) => id !== IMPLICIT);
  expect(ids.length).toBeGreaterThan(5);
  for (const id of ids) {
    expect([id, channelWords(id)]).toEqual([id, expect.stringMatching(/^[A-Z].{20,140}\.$/)]);
  }
  expect(channelWords("pigeon")).toBeUndefined();
  expect(channelWords("constructor")).toBeUndefined();
});
