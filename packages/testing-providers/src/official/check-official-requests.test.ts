import { expect, test } from "vitest";
import { editBody } from "../../test/edit-body.ts";
import { CHAT_SAMPLE, MISTRAL_SAMPLE } from "../../test/samples.ts";
import { checkOfficialRequests } from "../index.ts";

test("reports each problem by its index in the list for every checker, and equal bodies once", async () => {
  const wrongChat = editBody(CHAT_SAMPLE, [["remove", "messages.3.tool_call_id"]]);
  const wrongMistral = editBody(MISTRAL_SAMPLE, [["set", "messages.3.role", "human"]]);
  const complaints = await checkOfficialRequests([
    { format: "mistral", body: MISTRAL_SAMPLE },
    { format: "openai-chat", body: CHAT_SAMPLE },
    { format: "openai-chat", body: wrongChat },
    { format: "mistral", body: wrongMistral },
    { format: "openai-chat", body: wrongChat },
  ]);
  expect([...new Set(complaints.map(({ index }) => index))]).toEqual([2, 3]);
  expect(await checkOfficialRequests([{ format: "mistral", body: MISTRAL_SAMPLE }])).toEqual([]);
});
