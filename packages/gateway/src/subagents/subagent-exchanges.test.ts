import type { FactotumConfig } from "@factotum/config";
import type { InputRecord } from "@factotum/store";
import { createGate, textReply, toolReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endsAsKilled } from "../../test/gateway-harness.ts";
import { spawn, SubagentScene, YIELD } from "../../test/subagent-scene.ts";
import { sessionOrigin } from "../routing/session-origin.ts";

let scene: SubagentScene;
beforeEach(async () => {
  scene = await SubagentScene.open();
});
afterEach(async () => {
  expect(scene.server.violations).toEqual([]);
  await scene[Symbol.asyncDispose]();
});

const exec = toolReply({ name: "exec", input: { command: "id" } });
const tellOther = toolReply({ name: "sessions_send", input: { sessionKey: "agent:main:other", message: "Run id.", timeoutSeconds: 0 } });

/** Commands on the host wait for the owner. */
const asking = (config: FactotumConfig): FactotumConfig => ({
  ...config,
  tools: { ...config.tools, exec: { ...config.tools.exec, mode: "ask" } },
});

async function start(change?: Parameters<SubagentScene["start"]>[0]): Promise<void> {
  await scene.start(change, { sessionTools: true, patch: asking });
  await submit("Hello.", { kind: "user", sessionKey: "agent:main:other" });
}

async function submit(text: string, admission: { readonly kind: "user" | "cron"; readonly sessionKey: string }): Promise<void> {
  const { engine } = scene.running.gateway;
  const message = scene.platform.message(text, { origin: sessionOrigin(admission.sessionKey) });
  await engine.submit(message, { owner: true, agentId: "main", ownTurn: true, ...admission });
  await engine.idle();
  await expect.poll(async () => scene.running.store.listExchanges()).toEqual([]);
  await engine.idle();
}

async function inputsOf(isWanted: (input: InputRecord) => boolean): Promise<readonly InputRecord[]> {
  return (await scene.running.store.listRecentInputs(50)).filter(isWanted);
}

test("what the turn with the result of a job's sub-agent asks of another session is the job's, too", async () => {
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("Hello.")) return results === 0 && text.includes("Run id.") ? exec : textReply("REPLY_SKIP");
      if (text.includes("has ended")) return results === 2 ? tellOther : textReply("Told.");
      return results === 0 ? spawn("task") : YIELD;
    },
    task: () => textReply("done"),
  });
  await start();
  await submit("Do the job.", { kind: "cron", sessionKey: "cron:j1:1" });
  const [step] = await inputsOf(({ admission }) => admission.agentToAgent?.step === "message");
  expect(step?.admission).toMatchObject({ cause: "cron" });
  expect(scene.bodies("Run id.").at(-1)).toContain("No one can be asked in this run");
});

test("a sub-agent of a session that a job has asked is the job's", async () => {
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("Run id."))
        return text.includes("has ended") ? textReply("Told.") : results === 0 ? spawn("task") : textReply("Begun.");
      if (text.includes("Hello.")) return textReply("Hello.");
      return results === 0 ? tellOther : textReply("Sent.");
    },
    task: ({ results }) => (results === 0 ? exec : textReply("tried it")),
  });
  await start();
  await submit("Do the job.", { kind: "cron", sessionKey: "cron:j1:1" });
  expect(await scene.rows()).toMatchObject([{ child: { cause: "cron" }, report: { admission: { cause: "cron" } } }]);
  expect(scene.bodies("[Subagent Task]: task").at(-1)).toContain("No one can be asked in this run");
});

test("what a group takes from a person is not done for that person in another session either", async () => {
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("has ended")) return textReply("Told.");
      if (results === 0) return keep;
      const [child] = /agent:main:subagent:[0-9a-f-]{36}/.exec(text) ?? [""];
      // The session is there once the sub-agent has begun.
      return !text.includes("Accepted:")
        ? toolReply({ name: "sessions_send", input: { sessionKey: child, message: "List it.", timeoutSeconds: 0 } })
        : textReply("Sent.");
    },
    keeper: ({ results, text }) => (text.includes("List it.") && results === 0 ? toolReply({ name: "ls", input: {} }) : textReply("done")),
  });
  const groups = { g1: { requireMention: false, toolsBySender: { "guest-1": { deny: ["ls"] } } } };
  await scene.start(undefined, { sessionTools: true, accountConfig: { allowFrom: ["owner-1", "guest-1"], groupPolicy: "open", groups } });
  await scene.say("Go.", {
    sender: { id: "guest-1", name: "Gus", isBot: false },
    origin: { channel: "test", accountId: "default", conversation: { kind: "group", id: "g1" } },
  });
  await expect.poll(async () => scene.running.store.listExchanges()).toEqual([]);
  await scene.running.gateway.engine.idle();
  expect(scene.bodies("ls was refused. Rule sender")).toHaveLength(1);
});

test("what the turn with a result asks of another session uses the budget of the tree", async () => {
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("Hello.")) return textReply("Hello.");
      if (text.includes("has ended")) return results === 2 ? tellOther : textReply("Told.");
      return results === 0 ? spawn("task") : YIELD;
    },
    task: () => textReply("done"),
  });
  await start((before) => ({ ...before, budget: { tokens: 1 } }));
  await scene.say("Go.");
  await expect.poll(async () => scene.running.store.listExchanges()).toEqual([]);
  const [step] = await inputsOf(({ admission }) => admission.agentToAgent?.step === "message");
  expect(step?.state).toMatchObject({ type: "told", reason: expect.stringContaining("budget") as string });
  expect(scene.bodies("Run id.").filter((body) => body.includes("agent_to_agent"))).toEqual([]);
});

test("the results of sub-agents that a session starts for another one are its reply, and no chat sees them", async () => {
  const ask = toolReply({ name: "sessions_send", input: { sessionKey: "agent:main:other", message: "How many files?" } });
  scene.answerWith({
    "": ({ results, text }) => {
      if (text.includes("replied:")) return textReply("The other one says three.");
      if (text.includes("2 of 6")) return textReply("REPLY_SKIP");
      if (text.includes("has ended")) return textReply("There are three.");
      if (text.includes("How many files?") && text.includes("1 of 6")) return results === 0 ? spawn("count") : YIELD;
      return text.includes("Hello.") ? textReply("Hello.") : ask;
    },
    count: () => textReply("three files"),
  });
  await start();
  await scene.say("Ask the other one.");
  await expect.poll(async () => scene.running.store.listExchanges()).toEqual([]);
  await scene.running.gateway.engine.idle();
  expect(scene.texts.at(-1)).toBe("The other one says three.");
  expect(scene.bodies("replied:")[0]).toContain("agent:main:other replied:\\nThere are three.");
  expect(scene.texts.some((text) => text.includes("There are three."))).toBe(false);
});

test("such a result is the reply, too, where a restart comes between", async () => {
  const gate = createGate();
  let isHeld = true;
  scene.answerWith({
    "": ({ results, text }) => {
      // Of two if the reply is read from the transcript, where it counts as text of others.
      if (/2 of [26]/.test(text)) return textReply("REPLY_SKIP");
      if (text.includes("has ended")) return textReply("There are three.");
      if (text.includes("How many files?") && text.includes("1 of 6")) return results === 0 ? spawn("count") : textReply("I have asked.");
      if (text.includes("Hello.")) return textReply("Hello.");
      return results === 0
        ? toolReply({ name: "sessions_send", input: { sessionKey: "agent:main:other", message: "How many files?", timeoutSeconds: 600 } })
        : textReply("No answer yet.");
    },
    count: () => (isHeld ? { ...textReply("never"), fault: { type: "slow-headers", until: gate } } : textReply("three files")),
  });
  const options = { sessionTools: true, patch: asking, around: endsAsKilled } as const;
  await scene.start(undefined, options);
  await submit("Hello.", { kind: "user", sessionKey: "agent:main:other" });
  await scene.platform.say(scene.platform.message("Ask the other one."));
  await expect.poll(() => scene.bodies("[Subagent Task]: count")).toHaveLength(1);
  await expect.poll(() => scene.bodies("1 of 6")).toHaveLength(2);
  const { home } = scene.running;
  await scene.running.stop();
  isHeld = false;
  gate.open();
  await scene.start(undefined, { ...options, home });
  await expect.poll(async () => scene.running.store.listExchanges(), { timeout: 10_000 }).toEqual([]);
  await scene.running.gateway.engine.idle();
  expect([...scene.bodies("2 of 2"), ...scene.bodies("2 of 6")][0]).toContain("There are three.");
});

const keep = toolReply({ name: "sessions_spawn", input: { task: "keeper", label: "keeper", mode: "session" } });

test("what a session asks of a sub-agent that stays open uses the budget of the tree that asks, and that of the sub-agent if none does", async () => {
  const askKeeper = (text: string): ReturnType<typeof toolReply> => {
    const [sessionKey = ""] = /agent:main:subagent:[0-9a-f-]{36}/.exec(text) ?? [];
    return toolReply({ name: "sessions_send", input: { sessionKey, message: "And now?", timeoutSeconds: 0 } });
  };
  scene.answerWith({
    "": ({ text }) => {
      const newest = text.slice(text.lastIndexOf('"role":"user"'));
      if (newest.includes("Go.")) return keep;
      if (newest.includes("Count.")) return spawn("count");
      const isCounted = newest.includes("has ended") && newest.includes("three files");
      return isCounted || newest.includes("Ask it.") ? askKeeper(text) : textReply("Done.");
    },
    keeper: ({ text }) => textReply(text.includes("And now?") ? "REPLY_SKIP" : "kept"),
    count: () => textReply("three files"),
  });
  await start((before) => ({ ...before, budget: { tokens: 1_000_000 } }));
  for (const text of ["Go.", "Count.", "Ask it."]) {
    await scene.say(text);
    await expect.poll(async () => scene.running.store.listExchanges()).toEqual([]);
  }
  const [keeper, count] = await scene.rows();
  const steps = await inputsOf(({ admission }) => admission.agentToAgent?.step === "message");
  expect(steps.map(({ admission }) => admission.tree?.id)).toEqual([keeper?.child.tree?.id, count?.child.tree?.id]);
  expect(keeper?.child.tree?.id).not.toBe(count?.child.tree?.id);
});

test("a sub-agent that was opened in an exchange reports what it is told later as that of the conversation", async () => {
  scene.answerWith({
    "": ({ results, text }) => {
      const newest = text.slice(text.lastIndexOf('"role":"user"'));
      if (newest.includes("has ended a run")) return textReply("Told.");
      if (newest.includes("Open one.")) return keep;
      if (newest.includes("Ask the other one.") && results === 0)
        return toolReply({ name: "sessions_send", input: { sessionKey: "agent:main:other", message: "Open one.", timeoutSeconds: 0 } });
      return textReply("REPLY_SKIP");
    },
    keeper: () => textReply("kept"),
  });
  await start();
  await scene.say("Ask the other one.");
  await expect.poll(async () => scene.running.store.listExchanges()).toEqual([]);
  await submit("/subagents steer keeper More.", { kind: "user", sessionKey: "agent:main:other" });
  const reports = await inputsOf(({ admission }) => admission.completion !== undefined);
  expect(reports.map(({ admission }) => admission.agentToAgent?.step)).toEqual([undefined, "message"]);
});

test("a sub-agent that has ended takes no message of the session that has started it", async () => {
  let key = "";
  scene.answerWith({
    "": ({ results, text }) => {
      if (results === 0) return spawn("task");
      const isAsked = text.includes("Ask it.") && results === 1;
      return isAsked ? toolReply({ name: "sessions_send", input: { sessionKey: key, message: "More." } }) : textReply("Done.");
    },
    task: () => textReply("done"),
  });
  await scene.start(undefined, { sessionTools: true });
  await scene.say("Go.");
  key = (await scene.rows())[0]?.childKey ?? "";
  await scene.say("Ask it.");
  expect(scene.bodies("Ask it.").at(-1)).toContain("It has ended. Start another sub-agent with what is left.");
  expect(scene.bodies("- Task: task")).toHaveLength(1);
  expect(await inputsOf(({ admission }) => admission.agentToAgent !== undefined)).toEqual([]);
});
