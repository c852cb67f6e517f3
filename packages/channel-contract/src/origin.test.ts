import { expect, test } from "vitest";
import { OriginSchema } from "./index.ts";

const ORIGIN = { channel: "irc", accountId: "office", conversation: { kind: "group", id: "#team" } };

test.each([[ORIGIN], [{ ...ORIGIN, idScope: "account" }], [{ ...ORIGIN, speaker: "Ada" }]])(
  "%j is an origin, as a channel gives it or as the gateway stores it",
  (origin) => {
    expect(OriginSchema.parse(origin)).toEqual(origin);
  },
);

test.each([[{ ...ORIGIN, idScope: "platform" }], [{ ...ORIGIN, accountId: "" }], [{ ...ORIGIN, extra: true }]])(
  "%j is not an origin",
  (origin) => {
    expect(OriginSchema.safeParse(origin).success).toBe(false);
  },
);
