import type { Logger } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { InputRecord } from "@factotum/store";
import { beforeEach, expect, test } from "vitest";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { TurnContext } from "../observe/turn-context.ts";
import { BackgroundWork } from "./background-work.ts";

let errors: unknown[];
let background: BackgroundWork;
let context: TurnContext;
beforeEach(() => {
  errors = [];
  context = new TurnContext();
  background = new BackgroundWork({
    logger: { error: (_: string, facts: unknown) => errors.push(facts) } as unknown as Logger,
    turnContext: context,
  });
});

test("is idle once all added work has ended, successfully or not", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  expect(background.isIdle).toBe(true);
  background.add("notice", promise);
  background.add("copies", Promise.reject(new Error("no room")));
  expect(background.isIdle).toBe(false);
  resolve();
  await background.idle();
  await Promise.resolve();
  expect(background.isIdle).toBe(true);
  expect(errors).toEqual([{ what: "copies", error: new Error("no room") }]);
});

test.each([new LaneShutdown("the gateway ends"), new StoreError("closed", "it is closed")])(
  "%s is not logged as a failure: the next start does the work",
  async (reason) => {
    background.add("notice", Promise.reject(reason));
    await background.idle();
    expect(errors).toEqual([]);
  },
);

test("failed work for an input is logged with its id", async () => {
  let seen: unknown;
  const logger = context.logger({ info: (_: string, facts: unknown) => (seen = facts) } as unknown as Logger);
  background.addFor({ id: "i1" } as InputRecord, "command", async () => logger.info("said"));
  await background.idle();
  expect(seen).toMatchObject({ inputIds: ["i1"] });
});
