import type { NoteEntrySource } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import type { ContractContext } from "./contract-context.ts";

const source = (digest: string, fields: Partial<NoteEntrySource> = {}): NoteEntrySource => ({
  digest,
  origin: "agent",
  kind: "user",
  sessionKey: "agent:main:main",
  sessionId: "s1",
  turnId: "t1",
  atMs: 1_000,
  ...fields,
});

/** Who wrote the entries of notes is kept by agent and file, survives a restart, and is bounded. */
export function describeNoteEntries(context: () => ContractContext): void {
  describe("entries of notes", () => {
    const file = { agentId: "main", file: "MEMORY.md" };

    test("keep their first source, by agent and file, over a restart", async () => {
      const { store, fixture } = context();
      await store.addNoteEntries(file, [source("a"), source("b", { origin: "untrusted", atMs: 2_000 })], ["a", "b"]);
      await store.addNoteEntries(file, [source("b", { turnId: "t2", atMs: 3_000 })], ["a", "b"]);
      await store.addNoteEntries({ ...file, file: "USER.md" }, [source("c")], ["c"]);
      await store.close();
      const reopened = await fixture.open();
      expect(await reopened.readNoteEntries(file)).toEqual([source("a"), source("b", { origin: "untrusted", atMs: 2_000 })]);
      expect(await reopened.readNoteEntries({ ...file, agentId: "work" })).toEqual([]);
      await reopened.close();
    });

    test("are bounded in number: those that are no longer in the file go first, then the oldest", async () => {
      const { store } = context();
      const many = Array.from({ length: 2_000 }, (_, index) => source(`d${index}`, { atMs: index }));
      await store.addNoteEntries(
        file,
        many,
        many.map(({ digest }) => digest),
      );
      await store.addNoteEntries(file, [source("new", { atMs: 5_000 })], ["d0", "new"]);
      const digests = (await store.readNoteEntries(file)).map(({ digest }) => digest);
      expect(digests).toHaveLength(2_000);
      expect(digests).toEqual(expect.arrayContaining(["d0", "new"]));
      expect(digests).not.toContain("d1");
    });
  });
}
