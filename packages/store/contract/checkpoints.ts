import { describe, expect, test } from "vitest";
import type { NewCheckpoint } from "../src/index.ts";
import type { ContractContext } from "./contract-context.ts";

const MIB = 1024 * 1024;
const LIMITS = { maxSessionBytes: 10 * MIB, maxTotalBytes: 15 * MIB };

/** What files held before turns: rows by session and turn, bounded, and gone with their conversation. */
export function describeCheckpoints(context: () => ContractContext): void {
  describe("checkpoints", () => {
    const checkpoint = (turnId: string, path: string, extra: Partial<NewCheckpoint> = {}): NewCheckpoint => ({
      sessionKey: "agent:main:main",
      sessionId: "session-1",
      turnId,
      owner: true,
      path,
      before: { type: "kept", digest: `digest-of-${path}`, sizeBytes: 3 * MIB, mode: 0o644 },
      written: ["new"],
      isMixed: false,
      createdAtMs: 1_000,
      ...extra,
    });
    const paths = async (sessionKey = "agent:main:main"): Promise<readonly string[]> =>
      (await context().store.listCheckpoints(sessionKey, { limit: 10 })).map(({ turnId, path }) => `${turnId} ${path}`);

    test("are listed by session, newest turn first, and survive a restart", async () => {
      const { store, fixture } = context();
      await store.saveCheckpoints([checkpoint("t1", "/a"), checkpoint("t1", "/b", { before: { type: "absent" } })], LIMITS);
      await store.saveCheckpoints([checkpoint("t2", "/a")], LIMITS);
      await store.saveCheckpoints([checkpoint("t3", "/c", { sessionKey: "agent:main:other" })], LIMITS);
      expect(await paths()).toEqual(["t2 /a", "t1 /a", "t1 /b"]);
      expect((await store.listCheckpoints("agent:main:main", { limit: 1 })).map(({ turnId }) => turnId)).toEqual(["t2"]);
      expect(await store.readCheckpoints("t1")).toMatchObject([
        checkpoint("t1", "/a"),
        checkpoint("t1", "/b", { before: { type: "absent" } }),
      ]);
      await store.close();
      const reopened = await fixture.open();
      expect(await reopened.readCheckpoints("t2")).toMatchObject([{ ...checkpoint("t2", "/a"), isRefused: false }]);
      await reopened.close();
    });

    test("replace those of the same turn and path", async () => {
      const { store } = context();
      await store.saveCheckpoints([checkpoint("t1", "/a")], LIMITS);
      await store.saveCheckpoints([checkpoint("t1", "/a", { written: ["new", "newer"], isMixed: true })], LIMITS);
      expect(await store.readCheckpoints("t1")).toMatchObject([{ written: ["new", "newer"], isMixed: true }]);
    });

    test("are removed or refused together; a digest without rows is named once", async () => {
      const { store } = context();
      await store.saveCheckpoints([checkpoint("t1", "/a"), checkpoint("t1", "/b")], LIMITS);
      await store.saveCheckpoints([checkpoint("t2", "/a")], LIMITS);
      const [a1, b1] = await store.readCheckpoints("t1");
      const [a2] = await store.readCheckpoints("t2");
      expect(await store.settleCheckpoints({ removed: [a1?.id ?? ""], refused: [b1?.id ?? ""] })).toEqual([]);
      expect(await store.readCheckpoints("t1")).toMatchObject([{ path: "/b", isRefused: true }]);
      expect(await store.settleCheckpoints({ removed: [a2?.id ?? ""], refused: [] })).toEqual(["digest-of-/a"]);
      expect(await store.findCheckpointDigests(["digest-of-/a", "digest-of-/b"])).toEqual(new Set(["digest-of-/b"]));
    });

    test("are pruned by whole turns, oldest first: those of the session, then all", async () => {
      const { store } = context();
      for (const turn of ["t1", "t2"])
        await store.saveCheckpoints([checkpoint(turn, `/${turn}`), checkpoint(turn, "/small", { before: { type: "absent" } })], LIMITS);
      expect(await store.saveCheckpoints([checkpoint("t3", "/t3")], LIMITS)).toEqual({ isOverLimit: false, orphans: [] });
      expect(await store.saveCheckpoints([checkpoint("t4", "/t4")], LIMITS)).toEqual({ isOverLimit: false, orphans: ["digest-of-/t1"] });
      expect(await paths()).toEqual(["t4 /t4", "t3 /t3", "t2 /t2", "t2 /small"]);
      const other = { sessionKey: "agent:main:other" };
      await store.saveCheckpoints([checkpoint("o1", "/o1", other)], LIMITS);
      expect(await store.saveCheckpoints([checkpoint("o2", "/o2", other)], LIMITS)).toEqual({
        isOverLimit: false,
        orphans: ["digest-of-/t2"],
      });
      expect(await paths()).toEqual(["t4 /t4", "t3 /t3"]);
    });

    test("of one turn that exceeds the limit stay, and the caller is told", async () => {
      const { store } = context();
      const rows = ["/a", "/b", "/c", "/d"].map((path) => checkpoint("t1", path));
      expect(await store.saveCheckpoints(rows, LIMITS)).toEqual({ isOverLimit: true, orphans: [] });
      expect(await paths()).toHaveLength(4);
    });

    test("go with their conversation", async () => {
      const { store } = context();
      const session = await store.createSession(
        { key: "agent:main:main", sessionId: "session-1", agentId: "main", isPrivate: true, displayName: "Main" },
        { nowMs: 1 },
      );
      await store.saveCheckpoints([checkpoint("t1", "/a"), checkpoint("t2", "/b", { sessionId: "session-2" })], LIMITS);
      await store.deleteSession(session.key, { nowMs: 2 });
      expect(await paths()).toEqual(["t2 /b"]);
    });
  });
}
