import { messageId } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import type { InputAdmission, InputRecord } from "@factotum/store";
import { expect, test } from "vitest";
import type { InputJob } from "../queue/turn-job.ts";
import { reauthorizeJob } from "./current-authorization.ts";

const MAIN = "agent:main:main";
const OWN = { sessionKey: "agent:main:test:direct:olga", agentId: "main" };

/** The job of a message that is to be answered in the main session, if its sender is the owner or not any longer. */
function reauthorize(admission: InputAdmission, ownerAllowFrom: readonly string[]): ReturnType<typeof reauthorizeJob> {
  const message = {
    origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } },
    eventId: "e1",
    messageId: messageId("m1"),
    timestampMs: 0,
    event: { type: "message" },
    sender: { id: "olga", isBot: false },
    text: "What did I say?",
    mentionsBot: false,
    attachments: [],
  } as const;
  const input: InputRecord = { id: "i1", message, admission, receivedAtMs: 0, state: { type: "waiting" } };
  const job = { type: "input", agentId: "main", messages: [{ input, overheard: [] }], overflow: [] } as unknown as InputJob;
  const policy = { admits: () => true, routeOf: () => ({ sessionKey: MAIN, agentId: "main" }) };
  return reauthorizeJob(MAIN, job, policy, { commands: { ownerAllowFrom } } as unknown as FactotumConfig);
}

test("what a former owner has said in a focused conversation is not answered in the session that was the owner's to speak in", () => {
  const admission: InputAdmission = { owner: true, kind: "user", sessionKey: MAIN, agentId: "main", focus: OWN, isListedOwner: true };
  expect(reauthorize(admission, ["test:olga"]).rejected).toEqual([]);
  expect(reauthorize(admission, []).rejected).toMatchObject([{ id: "i1" }]);
  expect(reauthorize({ ...admission, owner: false }, []).rejected).toHaveLength(1);
  // A guest has had no more rights before.
  const { isListedOwner: _never, ...guests } = admission;
  expect(reauthorize({ ...guests, owner: false }, []).rejected).toEqual([]);
});
