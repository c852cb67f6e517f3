import { externalModelInfo, type ModelInfo } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { projectMessages } from "../projection/project-messages.ts";
import { user } from "../../test/scripted-model.ts";
import { PartialMessage } from "./partial-message.ts";

test("an external agent that was stopped before its first word is not given the stopped prompt with the next one", () => {
  const info = externalModelInfo("coder");
  const stopped = new PartialMessage(info).build("aborted", "/stop", 1_000);
  const history = [user("delete it"), ...(stopped === undefined ? [] : [stopped]), user("again")];
  expect(projectMessages(history, info).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  const model: ModelInfo = { ...info, provider: "anthropic" };
  expect(new PartialMessage(model).build("aborted", "/stop", 1_000)).toBeUndefined();
  expect(new PartialMessage(info).build("error", "no login", 1_000)).toBeUndefined();
});
