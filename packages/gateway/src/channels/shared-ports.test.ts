import type * as agent from "@factotum/agent-contract";
import type * as channel from "@factotum/channel-contract";
import { expectTypeOf, test } from "vitest";

/** The two contracts are independent, so both declare the host's services: one clock, one source of randomness, one logger serve both. */
test("the ports that both contracts declare are the same", () => {
  expectTypeOf<channel.Clock>().toEqualTypeOf<agent.Clock>();
  expectTypeOf<channel.Random>().toEqualTypeOf<agent.Random>();
  expectTypeOf<channel.Logger>().toEqualTypeOf<agent.Logger>();
});
