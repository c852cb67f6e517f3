import type { SubagentState } from "@factotum/agent-contract";
import type { ChatSubagentState } from "@factotum/protocol";
import type { SpawnState } from "@factotum/store";
import { expectTypeOf, test } from "vitest";

// The compiler checks these: packages that do not import each other have a declaration each.
test("the states of a sub-agent are the same for clients, for tools and in the store", () => {
  expectTypeOf<ChatSubagentState>().toEqualTypeOf<SpawnState>();
  expectTypeOf<SubagentState>().toEqualTypeOf<SpawnState>();
});
