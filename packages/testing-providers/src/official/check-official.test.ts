import { expect, test } from "vitest";
import { editBody } from "../../test/edit-body.ts";
import { CHAT_SAMPLE, GOOGLE_SAMPLE, MISTRAL_SAMPLE, RESPONSES_SAMPLE } from "../../test/samples.ts";
import { sampleRequest, toJson } from "../anthropic/sample-request.ts";
import { checkMistralSchema, checkOfficialTypes } from "../index.ts";

const ANTHROPIC_SAMPLE = toJson(sampleRequest());

test("the compiler accepts the samples and names every body that is wrong", async () => {
  const complaints = await checkOfficialTypes([
    { format: "anthropic-messages", body: ANTHROPIC_SAMPLE },
    { format: "openai-responses", body: RESPONSES_SAMPLE },
    { format: "openai-chat", body: CHAT_SAMPLE },
    { format: "google-generative-ai", body: GOOGLE_SAMPLE },
    { format: "anthropic-messages", body: editBody(ANTHROPIC_SAMPLE, [["set", "max_tokens", "many"]]) },
    { format: "openai-responses", body: editBody(RESPONSES_SAMPLE, [["set", "messages", []]]) },
    { format: "openai-chat", body: editBody(CHAT_SAMPLE, [["remove", "messages.3.tool_call_id"]]) },
    { format: "google-generative-ai", body: editBody(GOOGLE_SAMPLE, [["set", "contents.0.parts.1.words", "x"]]) },
  ]);
  expect([...new Set(complaints.map(({ index }) => index))], JSON.stringify(complaints.slice(0, 4))).toEqual([4, 5, 6, 7]);
  expect(complaints.every(({ message }) => message.startsWith("TS"))).toBe(true);
});

test("Mistral's own schemas accept the sample and report what is not theirs", async () => {
  expect(await checkMistralSchema(MISTRAL_SAMPLE)).toBeUndefined();
  expect(await checkMistralSchema(editBody(MISTRAL_SAMPLE, [["set", "stream_options", {}]]))).toContain('"stream_options"');
  expect(await checkMistralSchema(editBody(MISTRAL_SAMPLE, [["set", "messages.3.role", "human"]]))).toContain("role");
  expect(await checkMistralSchema(editBody(MISTRAL_SAMPLE, [["set", "messages.5.name", "Ann"]]))).toContain('"messages"');
});
