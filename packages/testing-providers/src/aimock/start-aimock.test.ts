import { expect, test } from "vitest";
import { askOfficial } from "../../test/ask-official.ts";
import { createScriptConversation, sayText, startAimock, WIRE_FORMATS } from "../index.ts";

/** Its limits for Mistral are covered by the last test. */
const CALLING = WIRE_FORMATS.filter((format) => format !== "mistral");

test.each(CALLING)("%s: plays the script conversation for the official SDK, and refuses what the vendor refuses", async (format) => {
  await using server = await startAimock(format);
  server.script(createScriptConversation.neutralReplies);
  const answers = [];
  for (const _reply of createScriptConversation.neutralReplies) answers.push(await askOfficial(format, server.baseUrl));
  expect(answers.flatMap(({ calls }) => calls)).toEqual([
    { name: "read", arguments: { path: createScriptConversation.skillPath } },
    { name: "ls", arguments: { path: "." } },
    { name: "write", arguments: { path: "list_files.py", content: createScriptConversation.scriptSource } },
  ]);
  expect(answers.at(-1)?.text).toBe(createScriptConversation.answer);
  expect(server.violations).toEqual([]);
  expect(server.requests).toHaveLength(4);
  const refused = await fetch(server.baseUrl + (server.requests[0]?.path ?? ""), {
    method: "POST",
    headers: {
      authorization: "Bearer key",
      "x-api-key": "key",
      "x-goog-api-key": "key",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
    },
    body: JSON.stringify({ nonsense: true }),
  });
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(server.violations[0]?.rule).toBe("unknown-field");
});

test.each(WIRE_FORMATS)("%s: answers unscripted requests from a responder, including errors", async (format) => {
  await using server = await startAimock(format);
  server.respond(({ index }) => sayText(`request ${index}`));
  expect((await askOfficial(format, server.baseUrl)).text).toBe("request 0");
  server.script([{ type: "error", errorType: "server", message: "Not now." }]);
  await expect(askOfficial(format, server.baseUrl)).rejects.toThrow(/Not now/);
});

test("reports what it cannot play", async () => {
  await using server = await startAimock("openai-chat");
  expect(() => server.script([{ ...sayText("x"), chunkBytes: 1 }])).toThrow("use startStrictServer for the rest");
  await using mistral = await startAimock("mistral");
  expect(() => mistral.script(createScriptConversation.neutralReplies)).toThrow("use startStrictServer for them");
});
