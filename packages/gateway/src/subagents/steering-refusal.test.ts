import type { InputAdmission, SessionRecord } from "@factotum/store";
import { expect, test } from "vitest";
import { steeringRefusal } from "./steering-refusal.ts";
import type { SteeringWords } from "./steering-refusal.ts";

interface Case {
  readonly says?: Partial<SteeringWords>;
  readonly child?: Partial<InputAdmission>;
  /** Of the sub-agent's conversation. */
  readonly model?: string;
  readonly refused?: string;
}

const CASES: readonly Case[] = [
  {},
  { says: { owner: false }, refused: "Rule owner" },
  { says: { owner: false, tainted: true }, child: { owner: false } },
  { says: { confinement: { hosts: [] } }, refused: "Rule sandbox" },
  { says: { confinement: { hosts: [] } }, child: { confinement: { hosts: [] } } },
  { says: { tainted: true } },
  { model: "acp/coder" },
  { says: { tainted: true }, model: "acp/coder", refused: "Rule taint" },
  { says: { tainted: true }, child: { job: { id: "j", name: "j", model: "acp/coder" } }, refused: "Rule taint" },
  { says: { tainted: true }, child: { job: { id: "j", name: "j", model: "anthropic/m" } }, model: "acp/coder" },
];

test.each(CASES)("%j", async ({ says = {}, child = {}, model, refused }) => {
  const record = { overrides: model === undefined ? {} : { model } } as SessionRecord;
  const spawn = { childKey: "agent:main:subagent:c1", child: { owner: true, kind: "subagent" as const, ...child } };
  const words = { text: "More.", tainted: false, owner: true, ...says };
  const refusal = await steeringRefusal(spawn, words, { store: { readSession: async () => record } });
  expect(refusal?.split(":")[0]).toBe(refused);
});
