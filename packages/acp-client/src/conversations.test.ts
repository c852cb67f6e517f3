import { describe, expect, test, vi } from "vitest";
import { openScene } from "../test/scene.ts";

describe("an external agent", { timeout: 60_000 }, () => {
  test("answers prompt after prompt in one process, with its thoughts and tokens", async () => {
    await using scene = await openScene();
    const first = await scene.ask("think");
    expect(first.text).toBe("Thought.");
    expect(first.thoughts).toBe("Hm.");
    expect(first.messages.at(-1)?.usage).toMatchObject({ input: 10, output: 5, total: 15 });
    const second = await scene.ask("again");
    expect(second.text).toMatch(/heard: again$/);
    expect(scene.runner.started).toHaveLength(1);
    expect(scene.remembered).toHaveLength(1);
    expect(scene.agents.list()).toMatchObject([{ agent: "scripted", sessionKey: "agent:main:main", state: "idle" }]);
    await scene.agents.close("agent:main:main");
    expect(scene.runner.groups.size).toBe(0);
    expect(scene.agents.list()).toEqual([]);
  });

  test("gets its own variables, and ends its turn without words", async () => {
    await using scene = await openScene({ env: { TOKEN: "hunter2" } });
    const { text } = await scene.ask("env");
    expect(JSON.parse(text)).toMatchObject({ TOKEN: "hunter2" });
    expect((await scene.ask("nothing")).text).toMatch(/without further words/);
    const [{ request, run } = { request: undefined, run: undefined }] = scene.runner.started;
    expect(request?.cwd).toBe(scene.folder);
    expect(run?.sandbox).toBeUndefined();
  });

  test("reads a file in as many calls as it takes, and writes one", async () => {
    await using scene = await openScene();
    const calls: unknown[] = [];
    const read = await scene.ask("read /a.txt", {
      onCall: ({ name, arguments: args }) => {
        calls.push([name, args]);
        const isFirst = calls.length === 1;
        const text = isFirst ? "one\n[2 of 6 bytes are left. Go on with offset 2.]" : "two";
        const details = { sizeBytes: 6, firstLine: isFirst ? 1 : 2, lastLine: isFirst ? 1 : 2, leftBytes: isFirst ? 3 : 0 };
        return { content: [{ type: "text", text }], details };
      },
    });
    expect(read.text).toBe("one\ntwo");
    expect(calls).toEqual([
      ["read", { path: "/a.txt" }],
      ["read", { path: "/a.txt", offset: 2 }],
    ]);
    const written = await scene.ask("write b.txt", {
      onCall: ({ name, arguments: args }) => {
        expect([name, args]).toEqual(["write", { path: "b.txt", content: "written" }]);
        return {};
      },
    });
    expect(written.text).toBe("Written.");
    const refused = await scene.ask("write b.txt", {
      onCall: () => ({ isError: true, content: [{ type: "text", text: "write was refused. Rule x." }] }),
    });
    expect(refused.text).toBe("Error: Internal error: write was refused. Rule x.");
  });

  test("runs a command in the background of the session, and sees its output and its end", async () => {
    await using scene = await openScene();
    const calls: unknown[] = [];
    const { text } = await scene.ask("run make all", {
      onCall: ({ name, arguments: args }) => {
        calls.push([name, args]);
        if (name === "exec") return { content: [{ type: "text", text: "a\n[runs on]" }], details: { backgroundId: "c1" } };
        const running = calls.length === 2;
        const state = running ? "b\n[running for 1 s]" : "c\n[ended: exit code 2]";
        return { content: [{ type: "text", text: state }], details: { running, exitCode: running ? null : 2 } };
      },
    });
    expect(text).toBe("2: a\nb\nc\n");
    expect(calls).toEqual([
      ["exec", { command: "make all", background: true }],
      ["process", { action: "poll", id: "c1", timeoutMs: 5000 }],
      ["process", { action: "poll", id: "c1", timeoutMs: 5000 }],
    ]);
  });

  test("gets output that comes in parts as it is, and no report of a command that it waits for", async () => {
    await using scene = await openScene();
    let polls = 0;
    const { text } = await scene.ask("run make all", {
      meanwhile: "The background command c1 has ended.",
      eventId: "command:c1",
      onCall: ({ name }) => {
        if (name === "exec")
          return { content: [{ type: "text", text: "one li\n[runs on]" }], details: { backgroundId: "c1", endsMidLine: true } };
        const running = (polls += 1) === 1;
        const part = running ? "ne, and" : " the end\n";
        return {
          content: [{ type: "text", text: `${part}${running ? "\n" : ""}[state]` }],
          details: { running, exitCode: 0, endsMidLine: running },
        };
      },
    });
    expect(text).toBe("0: one line, and the end\n");
  });

  test("asks the owner, who allows once or denies; always is never chosen for it", async () => {
    await using scene = await openScene();
    const allowed = await scene.ask("ask Read a file", {
      onCall: ({ name, arguments: args }) => {
        expect(name).toBe("agent_permission");
        expect(args).toMatchObject({ agent: "scripted", title: "Read a file", action: expect.stringContaining("/etc/shadow") });
        return {};
      },
    });
    expect(allowed.text).toBe("yes");
    expect((await scene.ask("ask Read a file", { onCall: () => ({ isError: true }) })).text).toBe("no");
  });

  test("gets what is said meanwhile as its next prompt, and its answers are one", async () => {
    await using scene = await openScene();
    const { text, messages } = await scene.ask("write a.txt", { meanwhile: "say And this.", onCall: () => ({}) });
    expect(text).toBe("Written.\n\nAnd this.");
    expect(messages).toHaveLength(2);
  });

  test("ends a prompt that is cancelled, and takes the next one", async () => {
    await using scene = await openScene();
    const stop = new AbortController();
    const onEvent = ({ type }: { readonly type: string }): void => (type === "text-delta" ? stop.abort() : undefined);
    const { error, text } = await scene.ask("wait", { signal: stop.signal, onEvent });
    expect(error?.code).toBe("aborted");
    expect(text).toBe("Waiting.");
    expect((await scene.ask("again")).text).toMatch(/heard: again$/);
    expect(scene.runner.started).toHaveLength(1);
  });

  test("does not get a prompt again that ended without a word", async () => {
    await using scene = await openScene();
    const stop = new AbortController();
    const { error } = await scene.ask("delete it", { signal: stop.signal, onEvent: () => stop.abort() });
    expect(error?.code).toBe("aborted");
    expect((await scene.ask("again")).text).toMatch(/heard: again$/);
    await using other = await openScene();
    const lost = await other.ask("build it", { known: "old", isResumed: true });
    expect(lost).toMatchObject({ text: "", error: { code: "truncated" } });
    expect((await other.ask("again", { known: "old" })).text).toMatch(/heard: again$/);
  });

  test("that ignores a cancellation is ended, and the next prompt says that a new conversation began", async () => {
    await using scene = await openScene();
    await scene.ask("say hello");
    const stop = new AbortController();
    const onEvent = ({ type }: { readonly type: string }): void => (type === "text-delta" ? stop.abort() : undefined);
    await scene.ask("hang", { signal: stop.signal, onEvent });
    expect(scene.runner.groups.size).toBe(1);
    scene.clock.fire(5_000);
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0), { timeout: 20_000 });
    const { text } = await scene.ask("say more", { known: scene.remembered[0] ?? "" });
    expect(text).toMatch(/^\(scripted has begun a new conversation/);
    expect(scene.runner.started).toHaveLength(2);
  });

  test("rests: it is ended, and loads its conversation with the next prompt", async () => {
    await using scene = await openScene({ env: { LOADS: "1" } });
    await scene.ask("say hello");
    scene.clock.fire(600_000);
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0), { timeout: 20_000 });
    const [known = ""] = scene.remembered;
    const { text } = await scene.ask("what", { known });
    expect(text).toBe(`${known} heard: what`);
    expect(scene.remembered).toHaveLength(1);
  });

  test("is told of an interruption, if it can load its conversation; otherwise that is the answer", async () => {
    await using scene = await openScene({ env: { LOADS: "1" } });
    const { text } = await scene.ask("build it", { known: "old", isResumed: true });
    expect(text).toMatch(/^old heard: The program that passes messages on to you was restarted[^]*build it$/);
    await using other = await openScene();
    const lost = await other.ask("build it", { known: "old", isResumed: true });
    expect(lost.error).toMatchObject({ code: "truncated", message: expect.stringContaining("was interrupted") });
    expect(other.runner.groups.size).toBe(0);
    // Nothing had reached the agent before the process ended.
    expect((await other.ask("say hello", { isResumed: true })).text).toContain("hello");
  });
});
