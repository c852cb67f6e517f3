import type { ResolvedAgent } from "@factotum/config";
import { describe, expect, test } from "vitest";
import { policyLayers, type PolicyOccasion } from "./policy-layers.ts";
import { toolVerdicts } from "./tool-policy.ts";

type Policy = Parameters<typeof policyLayers>[0]["tools"];
type Tools = Parameters<typeof policyLayers>[1]["tools"];

const OPEN: Policy = { allow: ["*"], deny: [] };
const NO_EXEC: Policy = { deny: ["exec"] };
const TOOLS = {
  profile: ["full"],
  deny: [],
  byProvider: {},
  exec: { mode: "ask", applyPatch: true },
  sandbox: { tools: { deny: [] } },
} as unknown as Tools;
const ANNA = { channel: "feishu", id: "anna" };
const BERT = { channel: "feishu", id: "bert" };

interface Layers {
  readonly tools?: Partial<Tools>;
  readonly agent?: Policy;
  readonly group?: Policy;
  readonly bySender?: Readonly<Record<string, Policy>>;
  readonly subagents?: Policy;
  readonly run?: Partial<PolicyOccasion>;
}

/** The first layer that takes a tool away; `undefined` if it is available. */
function removal(
  name: string,
  { tools = {}, agent = { deny: [] }, group, bySender, subagents = { deny: [] }, run = {} }: Layers,
): string | undefined {
  const settings = { requireMention: true, tools: group, toolsBySender: bySender };
  const layers = policyLayers(
    { id: "main", tools: agent, subagents: { tools: subagents } as ResolvedAgent["subagents"] },
    { tools: { ...TOOLS, ...tools } },
    { provider: "anthropic", group: settings, senders: [ANNA], sandboxed: true, subagent: true, ...run },
  );
  const removed = toolVerdicts(layers, name).find(({ admits }) => !admits);
  return removed === undefined ? undefined : `${removed.layer}: ${removed.key}`;
}

/** One policy in each of the layers. */
const LAYERS: readonly (readonly [name: string, key: string, place: (policy: Policy) => Layers])[] = [
  ["global", "tools", (policy) => ({ tools: policy as Partial<Tools> })],
  ["agent", "tools of the agent main", (policy) => ({ agent: policy })],
  ["provider", "tools.byProvider.anthropic", (policy) => ({ tools: { byProvider: { anthropic: policy } } })],
  ["group", "tools of the group", (policy) => ({ group: policy })],
  ["sender", "toolsBySender.anna of the group", (policy) => ({ bySender: { anna: policy } })],
  ["sandbox", "tools.sandbox.tools", (policy) => ({ tools: { sandbox: { tools: policy } } })],
  ["subagent", "subagents.tools of the agent main", (policy) => ({ subagents: policy })],
];

describe.each(LAYERS)("the layer %s", (layer, key, place) => {
  test("takes a tool away by deny, by allow, and leaves the others", () => {
    expect(removal("exec", place(NO_EXEC))).toBe(`${layer}: ${key}`);
    expect(removal("read", place(NO_EXEC))).toBeUndefined();
    expect(removal("exec", place({ allow: ["read"], deny: [] }))).toBe(`${layer}: ${key}`);
    expect(removal("read", place({ allow: ["read"], deny: [] }))).toBeUndefined();
    expect(removal("exec", place({ allow: ["exec"], deny: ["group:runtime"] }))).toBe(`${layer}: ${key}`);
  });

  test("gives nothing back that another layer has taken", () => {
    for (const [other, otherKey, otherPlace] of LAYERS) {
      if (other === layer) continue;
      const [narrow, wide] = [otherPlace(NO_EXEC), place(OPEN)];
      const both: Layers = {
        ...narrow,
        ...wide,
        tools: {
          ...narrow.tools,
          ...wide.tools,
          ...(other === "global" && layer !== "global" ? NO_EXEC : {}),
        } as Partial<Tools>,
      };
      // Both of them may be keys of the same record.
      expect(removal("exec", both), `${layer} over ${other}`).toBe(`${other}: ${otherKey}`);
    }
  });
});

test("tools.exec.mode deny takes the tools that run commands, whatever else allows them", () => {
  const tools: Partial<Tools> = { exec: { ...TOOLS.exec, mode: "deny" }, allow: ["*"] };
  expect(removal("exec", { tools, agent: OPEN, group: OPEN, bySender: { "*": OPEN } })).toBe("exec: tools.exec");
});

test("the layer of the sandbox is for sandboxed runs alone", () => {
  const tools: Partial<Tools> = { sandbox: { tools: NO_EXEC } };
  expect(removal("exec", { tools, run: { sandboxed: false } })).toBeUndefined();
});

test("the layer of sub-agents is for their sessions alone", () => {
  expect(removal("exec", { subagents: NO_EXEC, run: { subagent: false } })).toBeUndefined();
});

test("a provider's layer is for its models alone, also for one named like an inherited property", () => {
  const tools: Partial<Tools> = { byProvider: { openai: NO_EXEC } };
  expect(removal("exec", { tools })).toBeUndefined();
  expect(removal("exec", { tools, run: { provider: "constructor" } })).toBeUndefined();
});

describe("of toolsBySender", () => {
  test("the most exact key counts: with the channel, id:, the id, and * for everybody else", () => {
    const bySender = {
      "channel:feishu:anna": { deny: ["read"] },
      "id:anna": { deny: ["write"] },
      anna: { deny: ["edit"] },
      "*": { deny: ["ls"] },
    };
    const removed = (policies: Readonly<Record<string, Policy>>, sender = ANNA): readonly string[] =>
      ["read", "write", "edit", "ls"].filter((name) => removal(name, { bySender: policies, run: { senders: [sender] } }) !== undefined);
    const { "channel:feishu:anna": _exact, ...withoutChannel } = bySender;
    const { "id:anna": _prefixed, ...plain } = withoutChannel;
    const { anna: _plain, ...others } = plain;
    expect([bySender, withoutChannel, plain, others].map((policies) => removed(policies))).toEqual([["read"], ["write"], ["edit"], ["ls"]]);
    expect(removed(bySender, BERT)).toEqual(["ls"]);
    expect(removed(bySender, { channel: "telegram", id: "anna" })).toEqual(["write"]);
    expect(removed({ anna: { deny: ["edit"] } }, BERT)).toEqual([]);
  });

  test("ids are compared exactly, and one named like an inherited property matches nobody", () => {
    expect(removal("exec", { bySender: { Anna: NO_EXEC } })).toBeUndefined();
    expect(removal("exec", { bySender: {}, run: { senders: [{ channel: "feishu", id: "toString" }] } })).toBeUndefined();
  });

  test("everybody whose message is in the run narrows it", () => {
    const bySender = { anna: { deny: ["exec"] }, bert: { deny: ["read"] } };
    expect(["exec", "read", "write"].map((name) => removal(name, { bySender, run: { senders: [ANNA, BERT] } }))).toEqual([
      "sender: toolsBySender.anna of the group",
      "sender: toolsBySender.bert of the group",
      undefined,
    ]);
  });

  test("nobody's is for what the whole session has", () => {
    expect(removal("exec", { bySender: { "*": NO_EXEC }, run: { senders: [] } })).toBeUndefined();
  });
});
