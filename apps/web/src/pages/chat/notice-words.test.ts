import { afterEach, expect, test } from "vitest";
import { setGatewayTexts } from "../../i18n/gateway-text.ts";
import { noticeWords } from "./notice-words.ts";

afterEach(() => setGatewayTexts((text) => text));

test("each part of a notice is in the language of the page, and the words of others stay as they are", () => {
  setGatewayTexts((text) => text.toUpperCase());
  expect(noticeWords({ text: "all of it" })).toBe("ALL OF IT");
  expect(
    noticeWords({
      text: "all of it",
      blocks: [
        { type: "text", text: "one" },
        { type: "quote", text: "There are **6** entries:" },
        { type: "list", items: ["two", "three"] },
        { type: "rows", rows: [{ name: "/help", text: "list commands" }] },
      ],
    }),
  ).toBe("ONE\nThere are 6 entries:\nTWO\nTHREE\n/HELP: LIST COMMANDS");
});
