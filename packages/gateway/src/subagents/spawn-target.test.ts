import { expect, test } from "vitest";
import { taskText } from "./spawn-target.ts";

test("an external agent, which may work in another folder, is told the whole paths of its files; a sub-agent has them in its prompt", () => {
  const request = { task: "Read it.", attachments: [{ name: "a.txt", data: Buffer.from("a") }] };
  const place = { id: "s1", workspace: "/w" };
  expect(taskText({ ...request, runtime: "acp" }, place)).toBe("Read it.\n\nFiles for it:\n- /w/.subagents/s1/a.txt");
  expect(taskText(request, place)).toBe("Read it.");
});
