import type { AgentTool, JsonObject, ToolCaller } from "@factotum/agent-contract";
import type { SpawnRecord } from "@factotum/store";
import { createCoreTools } from "@factotum/tools";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestGateway, withMethods } from "../../test/gateway-harness.ts";
import { askerOf, ASKERS, idOf, NAMES, SESSIONS, startWithSessions } from "../../test/session-matrix.ts";
import type { Name } from "../../test/session-matrix.ts";
import { SessionSubagents } from "../subagents/session-subagents.ts";

/** The tools that take the name of a session, each with the rest of a call. */
const CALLS: readonly (readonly [tool: string, rest: JsonObject])[] = [
  ["sessions_history", {}],
  ["sessions_history", { cursor: "e1", includeTools: true }],
  ["sessions_send", { message: "Hello.", timeoutSeconds: 0 }],
  ["sessions_send", { message: "Hello.", timeoutSeconds: 1 }],
];

/** The spawned sessions as sub-agents that have ended. */
const SPAWNS = NAMES.flatMap((name): readonly SpawnRecord[] => {
  const { key, ...session } = SESSIONS[name];
  if (!("spawnedBy" in session)) return [];
  const id = `run-of-${name.toLowerCase()}`;
  const ended = { state: "done", task: "Count.", createdAtMs: 1, endedAtMs: 2, result: "Two.", announcedAtMs: 3 };
  const stored = { child: {}, report: { message: {}, admission: {} } };
  return [{ ...ended, ...stored, id, label: `label of ${id}`, parentKey: session.spawnedBy, childKey: key } as unknown as SpawnRecord];
});

let running: TestGateway;
let subagents: SessionSubagents;
beforeAll(async () => {
  running = await startWithSessions();
  const store = withMethods(() => ({ listSpawns: async () => SPAWNS }))(running.store);
  subagents = new SessionSubagents().connect({ ...running.gateway.engine.parts, store, home: running.home });
  await subagents.recall();
});
afterAll(() => running[Symbol.asyncDispose]());

/** Ways to name a session, each next to the same way to name none. */
function names(name: Name): readonly (readonly [hidden: JsonObject, absent: JsonObject])[] {
  const { key } = SESSIONS[name];
  const missing = `${key.slice(0, -1)}?`;
  return [
    [{ sessionKey: key }, { sessionKey: missing }],
    [{ sessionKey: ` ${key.toUpperCase()} ` }, { sessionKey: ` ${missing.toUpperCase()} ` }],
    [{ sessionKey: idOf(name) }, { sessionKey: "zzaa-nothing" }],
    [{ sessionKey: idOf(name).slice(0, 4) }, { sessionKey: "zzaa" }],
  ];
}

/** All that a caller learns of a call: what an approval would show, the result, and how many pages of sessions were read for it. */
async function learnt(
  tools: readonly AgentTool[],
  { run, tainted }: ToolCaller,
  call: { readonly name: string; readonly args: JsonObject; readonly named: JsonObject; readonly scans: () => number },
): Promise<string> {
  const tool = tools.find(({ name }) => name === call.name);
  const whole = { id: "1", name: call.name, arguments: { ...call.args, ...call.named } };
  const before = call.scans();
  const shown = await tool?.inspect?.(whole, run);
  const result = await tool?.execute(whole, { run, tainted, signal: new AbortController().signal, onDelta: () => undefined });
  let text = JSON.stringify({ shown, result, scans: call.scans() - before });
  for (const word of Object.values(call.named)) {
    if (typeof word !== "string") continue;
    const quoted = JSON.stringify(word).slice(1, -1);
    text = text.replaceAll(JSON.stringify(quoted).slice(1, -1), "NAME").replaceAll(quoted, "NAME");
  }
  return text;
}

test.each(ASKERS)("%s: no tool tells a hidden session from one that does not exist", async (_who, asker, visible) => {
  let scans = 0;
  const { sessions, caller } = askerOf(running, asker, { onScan: () => (scans += 1) });
  const tools = createCoreTools({ sessions, subagents, files: { forRun: async () => ({}) } } as unknown as Parameters<
    typeof createCoreTools
  >[0]);
  const of = async (name: string, args: JsonObject, named: JsonObject): Promise<string> =>
    learnt(tools, caller, { name, args, named, scans: () => scans });
  const hidden = NAMES.filter((name) => !visible.includes(name));
  for (const name of hidden) {
    for (const [there, absent] of names(name)) {
      for (const [tool, rest] of CALLS) {
        const answer = await of(tool, rest, there);
        expect(answer).toBe(await of(tool, rest, absent));
        expect(answer).toContain("There is no session");
      }
    }
    const isPartOfVisible = visible.some((other) => other.startsWith(name));
    for (const search of [SESSIONS[name].key, ...(isPartOfVisible ? [] : [`Name of ${name}`])])
      expect(await of("sessions_list", {}, { search })).toBe(await of("sessions_list", {}, { search: "nowhere" }));
  }
  for (const { id, childKey, parentKey } of SPAWNS) {
    for (const [action, rest] of [
      ["log", {}],
      ["kill", {}],
      ["steer", { text: "Hi." }],
    ] as const) {
      const absent = await of("subagents", { action, ...rest }, { run: "nothing" });
      for (const run of [id, childKey, `label of ${id}`]) {
        const answer = await of("subagents", { action, ...rest }, { run });
        if (parentKey === SESSIONS[asker.from].key) expect(answer).not.toBe(absent);
        else expect(answer).toBe(absent);
      }
    }
  }
  const isHidden = (agentId: string): boolean => hidden.length > 0 && visible.every((name) => SESSIONS[name].agentId !== agentId);
  for (const agentId of ["main", "coder"].filter(isHidden)) {
    for (const [tool, rest] of CALLS) {
      expect(await of(tool, rest, { agentId })).toBe(await of(tool, rest, { agentId: "nowhere" }));
      expect(await of(tool, rest, { label: "work", agentId })).toBe(await of(tool, rest, { label: "none", agentId: "nowhere" }));
    }
    expect(await of("sessions_list", {}, { agentId })).toBe(await of("sessions_list", {}, { agentId: "nowhere" }));
    expect(await of("sessions_spawn", { task: "Count." }, { agentId })).toBe(
      await of("sessions_spawn", { task: "Count." }, { agentId: "nowhere" }),
    );
  }
});

test.each(ASKERS)("%s: a job works only where a message could be sent, and in private everywhere", async (_who, asker, visible) => {
  const { reach, caller } = askerOf(running, asker);
  const isPrivate = SESSIONS[asker.from].isPrivate && asker.isGroupTurn !== true && (asker.sandboxed !== true || asker.shows === "all");
  const reached = asker.guest === true ? [] : isPrivate ? NAMES : visible;
  const allowed = await Promise.all(NAMES.map(async (name) => reach.maySchedule(` ${SESSIONS[name].key} `, caller)));
  expect(NAMES.filter((_, index) => allowed[index])).toEqual(reached);
  // A key without a session is answered like that of a hidden one.
  const hidden = NAMES.filter((name) => !reached.includes(name));
  for (const name of hidden) expect(await reach.maySchedule(`${SESSIONS[name].key}?`, caller)).toBe(false);
});
