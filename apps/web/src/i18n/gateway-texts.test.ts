import { afterEach, expect, test } from "vitest";
import { RpcError } from "../gateway-client/rpc-error.ts";
import { gatewayText, setGatewayTexts } from "./gateway-text.ts";
import errors from "./gateway-texts/errors.zh-CN.json" with { type: "json" };
import things from "./gateway-texts/things.zh-CN.json" with { type: "json" };
import { loadCatalogue } from "./load-catalogue.ts";

const IDENTITY = (text: string): string => text;
afterEach(() => setGatewayTexts(IDENTITY));

const all: readonly (readonly [string, string])[] = [errors, things].flatMap((texts) => Object.entries<string>(texts));

test("no text has two translations where it is looked for", () => {
  expect(Object.keys(errors).filter((english) => Object.hasOwn(things, english))).toEqual([]);
});

test("each translation has the placeholders of its text, with characters between them", () => {
  const placeholders = (text: string): readonly string[] => [...new Set([...text.matchAll(/\{\d+\}/g)].map(([one]) => one))].sort();
  const wrong = all.filter(
    ([english, translation]) =>
      translation.trim() === "" || placeholders(english).join() !== placeholders(translation).join() || /\}\{/.test(english),
  );
  expect(wrong).toEqual([]);
});

test("a template has words of its own: otherwise it would describe what others say", () => {
  expect(all.filter(([english]) => !/\p{L}{2,}/u.test(english.replaceAll(/\{\d+\}/g, " ")))).toEqual([]);
});

test("the reason of a refusal is in the language in which the page is when it is shown", async () => {
  const error = new RpcError("not-found", 'There is no agent "nora".');
  expect(error.message).toBe('There is no agent "nora".');
  setGatewayTexts((await loadCatalogue("zh-CN")).translate);
  expect(error.message).toBe("没有智能体“nora”。");
  expect(String(error)).toBe("RpcError: 没有智能体“nora”。");
  expect(gatewayText("Nothing of the gateway's.")).toBe("Nothing of the gateway's.");
  setGatewayTexts((await loadCatalogue("en")).translate);
  expect(error.message).toBe('There is no agent "nora".');
});
