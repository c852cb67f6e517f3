import type { FactotumConfig } from "@factotum/config";
import { describe, expect, test } from "vitest";
import { maySenderElevate } from "./elevation.ts";

type Elevated = FactotumConfig["tools"]["elevated"];

/** Asks for a sender of the channel `chat`. */
function may(
  elevated: Partial<Elevated>,
  sender: { readonly owner?: boolean; readonly channel?: string; readonly id?: string } = {},
): boolean {
  const tools = { elevated: { enabled: true, allowFrom: {}, ...elevated } } as FactotumConfig["tools"];
  return maySenderElevate({ owner: true, channel: "chat", id: "1", ...sender }, { tools });
}

describe("a sender may have commands on the host", () => {
  test.each<[string, Partial<Elevated>, Parameters<typeof may>[1], boolean]>([
    ["an owner, without entries", {}, {}, true],
    ["an owner, where it is turned off", { enabled: false }, {}, false],
    ["a listed owner, where it is turned off", { enabled: false, allowFrom: { chat: ["1"] } }, {}, false],
    ["a listed owner", { allowFrom: { chat: ["2", "1"] } }, {}, true],
    ["every owner of a channel", { allowFrom: { chat: ["*"] } }, {}, true],
    ["an owner who is not listed", { allowFrom: { chat: ["2"] } }, {}, false],
    ["an owner of a channel that is not listed", { allowFrom: { other: ["1", "*"] } }, {}, false],
    ["an owner of a channel with an empty list", { allowFrom: { chat: [] } }, {}, false],
    ["a channel with the name of an inherited property", { allowFrom: { chat: ["1"] } }, { channel: "toString" }, false],
    ["an id that only begins alike", { allowFrom: { chat: ["11"] } }, {}, false],
    ["somebody else, without entries", {}, { owner: false }, false],
    ["somebody else who is listed", { allowFrom: { chat: ["1"] } }, { owner: false }, false],
    ["somebody else, where everybody is listed", { allowFrom: { chat: ["*"] } }, { owner: false }, false],
  ])("%s: %j %j: %s", (_name, elevated, sender, expected) => {
    expect(may(elevated, sender)).toBe(expected);
  });
});
