import { afterEach, expect, test } from "vitest";
import { setGatewayTexts } from "../i18n/gateway-text.ts";
import { loadCatalogue } from "../i18n/load-catalogue.ts";
import { showProblems } from "./show-problems.ts";

afterEach(() => setGatewayTexts((text) => text));

test("each problem is an error of its own, in the language of the page", async () => {
  setGatewayTexts((await loadCatalogue("zh-CN")).translate);
  const shown: object[] = [];
  showProblems({ show: (toast) => shown.push(toast) }, ['There is no agent "nora".', "Something new."]);
  expect(shown).toEqual([
    { kind: "error", text: "没有智能体“nora”。" },
    { kind: "error", text: "Something new." },
  ]);
});
