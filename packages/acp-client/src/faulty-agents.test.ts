import { describe, expect, test, vi } from "vitest";
import { openScene } from "../test/scene.ts";

describe("a faulty agent", { timeout: 90_000 }, () => {
  test("that dies in the middle fails with its last words and its partial text", async () => {
    await using scene = await openScene({ env: { TOKEN: "hunter2" } });
    const { error, text } = await scene.ask("die");
    expect(text).toBe("Half an ");
    expect(error).toMatchObject({ code: "unreachable", message: expect.stringContaining("out of ideas"), retry: { type: "never" } });
    expect(scene.runner.groups.size).toBe(0);
    expect(scene.agents.list()).toEqual([]);
  });

  test.each([
    ["flood", /floods|faster|million characters/],
    ["long-line", /line of more than 16 million|floods/],
  ])("that writes without end is ended: %s", async (FAULT, reason) => {
    await using scene = await openScene({ env: { FAULT } });
    const { error } = await scene.ask("go");
    expect(error).toMatchObject({ code: "unreachable", message: expect.stringMatching(reason) });
    await vi.waitFor(() => expect(scene.runner.groups.size).toBe(0), { timeout: 20_000 });
  });

  test("that never answers is ended at its limit", async () => {
    await using scene = await openScene({ env: { FAULT: "silent" } });
    const asked = scene.ask("go");
    await vi.waitFor(() => expect(scene.clock.delays).toContain(60_000), { timeout: 20_000 });
    scene.clock.fire(60_000);
    await vi.waitFor(() => expect(scene.clock.delays).toContain(2_000), { timeout: 20_000 });
    scene.clock.fire(2_000);
    expect((await asked).error).toMatchObject({ code: "timeout", message: expect.stringContaining("did not answer initialize") });
    expect(scene.runner.groups.size).toBe(0);
  });

  test("that sends lines of other kinds, unknown ids and requests of other sessions is refused those, and continues", async () => {
    await using scene = await openScene({ env: { FAULT: "wrong" } });
    const { text, error, messages } = await scene.ask("go");
    expect(error).toBeUndefined();
    expect(text).toBe("Still fine.");
    expect(messages).toHaveLength(1);
  });

  test("of another version, or that is not there, is named", async () => {
    await using scene = await openScene({ env: { FAULT: "version" } });
    expect((await scene.ask("go")).error?.message).toMatch(/speaks version 7 of the protocol/);
    await using missing = await openScene({ command: "no-such-agent-program" });
    expect((await missing.ask("go")).error).toMatchObject({ code: "unreachable" });
    expect(missing.agents.problemOf("scripted")).toBe("there is no program no-such-agent-program on the PATH");
    expect(scene.agents.problemOf("scripted")).toBeUndefined();
    expect(scene.agents.problemOf("other")).toMatch(/no other/);
  });

  test("that is working does not make way for another one, and all end with the gateway", async () => {
    await using scene = await openScene({ limits: { agents: 1 } });
    const hanging = scene.ask("hang");
    await vi.waitFor(() => expect(scene.agents.list()).toMatchObject([{ state: "working" }]), { timeout: 20_000 });
    await scene.agents.closeAll();
    expect((await hanging).error?.code).toBe("unreachable");
    expect(scene.runner.groups.size).toBe(0);
  });
});
