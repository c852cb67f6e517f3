import { messageId } from "@factotum/channel-contract";
import { describe, expect, test } from "vitest";
import type { CommandRecord } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";
import { sampleMessage } from "./samples.ts";

const command = (id: string): CommandRecord => ({
  id,
  sessionKey: "agent:main:main",
  text: "npm run build",
  startedAtMs: 1_000,
  report: {
    message: sampleMessage(`command:${id}`, { messageId: messageId("") }),
    admission: {
      owner: true,
      kind: "command",
      sessionKey: "agent:main:main",
      tainted: true,
      isListedOwner: true,
      replyTo: messageId("om_1"),
    },
  },
});

/** Background commands are kept until their end is reported. */
export function describeCommands(context: () => ContractContext): void {
  describe("background commands", () => {
    test("are listed, oldest first, until they are removed", async () => {
      const { store } = context();
      expect(await store.listCommands()).toEqual([]);
      for (const id of ["b", "a", "c"]) await store.addCommand(command(id));
      await store.removeCommand("a");
      await store.removeCommand("a");
      expect(await store.listCommands()).toEqual([command("b"), command("c")]);
    });

    test("have unique ids", async () => {
      const { store } = context();
      await store.addCommand(command("a"));
      await expect(store.addCommand({ ...command("a"), text: "ls" })).rejects.toMatchObject({ code: "conflict" });
      expect(await store.listCommands()).toEqual([command("a")]);
    });

    test("survive a restart", async () => {
      const { store, fixture } = context();
      await store.addCommand(command("a"));
      await store.close();
      const reopened = await fixture.open();
      expect(await reopened.listCommands()).toEqual([command("a")]);
      await reopened.close();
    });

    test("the report is accepted once, whatever its text", async () => {
      const { store } = context();
      const { report } = command("a");
      const options = { admission: report.admission, receivedAtMs: 2_000 };
      const first = await store.acceptInput({ ...report.message, text: "it ended" }, options);
      expect(first.type).toBe("accepted");
      const second = await store.acceptInput({ ...report.message, text: "it was ended by a restart" }, options);
      expect(second).toMatchObject({ type: "duplicate", input: { message: { text: "it ended" }, admission: report.admission } });
    });
  });
}
