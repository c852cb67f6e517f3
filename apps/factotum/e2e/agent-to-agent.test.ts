import { callTools, sayText } from "@factotum/testing-providers";
import type { CapturedRequest, MessageReply } from "@factotum/testing-providers";
import { runCommand } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { OWNER, startTelegramScene } from "./telegram-scene.ts";

const GUEST = 2002;
const CODER = "agent:coder:main";

type Agent = "main" | "coder";
const agentOf = ({ body }: CapturedRequest): Agent => (JSON.stringify(body).includes("You are the coder.") ? "coder" : "main");
const newestOf = ({ body }: CapturedRequest): string => JSON.stringify(((body?.["messages"] ?? []) as readonly unknown[]).at(-1));
const call = (name: string, input: Readonly<Record<string, string | number>>): MessageReply => callTools({ name, arguments: input });

test("two agents talk with each other, also after a kill; what is hidden and guests stay out", async () => {
  await using scene = await startTelegramScene(
    "webhook",
    { allowFrom: [String(OWNER), String(GUEST)], dmPolicy: "allowlist" },
    {
      agents: [{ id: "coder", systemPrompt: "You are the coder." }],
      tools: { agentToAgent: { enabled: true, allow: [{ from: "main", to: "coder" }] } },
    },
  );
  const { model, product } = scene;
  const isKilled = Promise.withResolvers<void>();
  const answers: readonly (readonly [Agent, string, MessageReply])[] = [
    ["main", "ask the coder", call("sessions_send", { agentId: "coder", message: "Is the build green?" })],
    ["main", "tell the coder", call("sessions_send", { sessionKey: CODER, message: "Which test failed?", timeoutSeconds: 600 })],
    ["main", "ask a missing one", call("sessions_send", { sessionKey: "agent:missing:main", message: "x" })],
    ["main", "list them", call("sessions_list", {})],
    ["main", "read mine", call("sessions_history", { sessionKey: "agent:main:main" })],
    ["coder", "1 of 6", sayText("Which branch?")],
    ["main", "replied:", sayText("It asks which branch.")],
    ["main", "2 of 6", sayText("The main branch.")],
    ["coder", "3 of 6", sayText("It is green there.")],
    ["main", "4 of 6", sayText("REPLY_SKIP")],
  ];
  model.respond(async (request) => {
    if (newestOf(request).includes("Which test failed?")) await isKilled.promise;
    const found = answers.find(([agent, words]) => agentOf(request) === agent && newestOf(request).includes(words));
    return found?.[2] ?? sayText("Noted.");
  });
  const asked = (words: string): string => newestOf(model.requests.find((request) => newestOf(request).includes(words)) as CapturedRequest);
  const resultOf = async (text: string, from = OWNER): Promise<string> => {
    const before = model.requests.length;
    await scene.say(text, { chatId: from, fromId: from });
    await expect.poll(() => model.requests.slice(before).some((request) => newestOf(request).includes("tool_result"))).toBe(true);
    return newestOf(model.requests.slice(before).find((request) => newestOf(request).includes("tool_result")) as CapturedRequest);
  };

  await scene.say("ask the coder");
  await scene.shown((sent) => sent.some(({ text }) => text === "It asks which branch."));
  await expect.poll(() => model.requests.some((request) => newestOf(request).includes("4 of 6"))).toBe(true);
  expect(asked("1 of 6")).toContain("Is the build green?");
  expect(asked("1 of 6")).toContain(String.raw`\"requester_session\":\"agent:main:main\",\"requester_channel\":\"telegram\"`);
  expect(asked("3 of 6")).toContain("The main branch.");
  expect(asked("4 of 6")).toContain("It is green there.");

  // What may not be seen is answered like what is not there.
  const missing = (await resultOf("ask a missing one")).replace("agent:missing:main", "KEY").replaceAll(/toolu?_\w+/g, "");
  expect(missing).toContain("There is no session");
  expect(await resultOf("list them")).toContain(CODER);
  const theirs = await resultOf("list them", GUEST);
  expect(theirs).toContain("this session");
  expect(theirs.match(/agent:/g)).toHaveLength(1);
  expect(await resultOf("read mine", GUEST)).toContain("There is no session");

  // A kill while the other agent answers: it is asked again, and its answer comes with a turn of its own.
  await scene.say("tell the coder");
  await expect.poll(() => model.requests.filter((request) => newestOf(request).includes("Which test failed?")).length).toBe(1);
  const before = model.requests.length;
  await scene.killAndStart();
  isKilled.resolve();
  await expect.poll(() => model.requests.slice(before).some((request) => newestOf(request).includes("2 of 6"))).toBe(true);
  await expect.poll(() => model.requests.slice(before).some((request) => newestOf(request).includes("4 of 6"))).toBe(true);
  expect(model.requests.slice(before).filter((request) => newestOf(request).includes("Which test failed?"))).toHaveLength(1);
  await runCommand(["config", "set", "tools.agentToAgent", "{ enabled: false }"], { home: product.home });
  const hidden = (await resultOf("tell the coder")).replace(CODER, "KEY").replaceAll(/toolu?_\w+/g, "");
  expect(hidden).toBe(missing);
});
