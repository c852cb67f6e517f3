import type { RpcMethods } from "@factotum/protocol";
import { expect, test } from "vitest";
import { followLogin } from "./channels-login.ts";

type Step = RpcMethods["channels.login"]["result"]["step"];

/** Follows a login with these steps; resolves with what was printed and asked. */
async function follow(steps: readonly Step[], typed?: string) {
  const printed: string[] = [];
  const requests: unknown[] = [];
  const left = [...steps];
  const text = await followLogin(
    async (params) => {
      requests.push(params);
      return { loginId: "l-1", step: left.shift() ?? { type: "done", text: "over" } };
    },
    {
      print: (line) => void printed.push(line),
      note: (line) => void printed.push(line),
      ...(typed === undefined
        ? {}
        : { prompts: async () => ({ text: async () => typed, password: async () => `secret ${typed}` }) as never }),
    },
  );
  return { text, printed: printed.join(""), requests };
}

test("shows each step, waits on, and ends with the last text", async () => {
  const { text, printed, requests } = await follow([
    { type: "qr", content: "code-1", text: "Scan this" },
    { type: "waiting" },
    { type: "link", url: "https://example.com/a", text: "Or open this" },
    { type: "done", text: "Logged in" },
  ]);
  expect(text).toBe("Logged in");
  expect(printed).toContain("Scan this");
  expect(printed).toContain("code-1");
  expect(printed).toContain("https://example.com/a");
  expect(requests).toEqual([{}, { loginId: "l-1" }, { loginId: "l-1" }, { loginId: "l-1" }]);
});

test("asks for what a step asks for, secrets without an echo", async () => {
  const { requests } = await follow(
    [
      { type: "ask", text: "Number", isSecret: false },
      { type: "ask", text: "Code", isSecret: true },
    ],
    "42",
  );
  expect(requests).toEqual([{}, { loginId: "l-1", answer: "42" }, { loginId: "l-1", answer: "secret 42" }]);
});

test("without a terminal a question is an error that names it", async () => {
  await expect(follow([{ type: "ask", text: "Number", isSecret: false }])).rejects.toThrow("Number");
});
