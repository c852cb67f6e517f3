import { expect, test } from "vitest";
import { MediaCache } from "./media-cache.ts";

function create(has: (id: string) => boolean = () => true) {
  const asked: string[] = [];
  const live = new Set<string>();
  const cache = new MediaCache({
    load: async (sessionKey, id) => {
      asked.push(`${sessionKey}/${id}`);
      return has(id) ? new Blob([id]) : undefined;
    },
    createUrl: () => {
      const url = `blob:${asked.length}`;
      live.add(url);
      return url;
    },
    revokeUrl: (url) => void live.delete(url),
  });
  return { cache, asked, live };
}

test("requests a file once, retries one that failed, and evicts the oldest", async () => {
  let isThere = false;
  const { cache, asked, live } = create((id) => id !== "late" || isThere);
  expect(await Promise.all([cache.url("s", "a"), cache.url("s", "a")])).toEqual(["blob:1", "blob:1"]);
  expect(await cache.url("s", "late")).toBeUndefined();
  isThere = true;
  expect(await cache.url("s", "late")).toBe("blob:3");
  expect(asked).toEqual(["s/a", "s/late", "s/late"]);
  for (let index = 0; index < 100; index += 1) await cache.url("s", `many-${index}`);
  expect(live.size).toBe(60);
});

test("keeps previews of pending images as long as their message", () => {
  const { cache, live } = create();
  for (const ref of ["one", "two"]) {
    live.add(ref);
    cache.addPreview(ref, ref);
  }
  cache.keepPreviews(new Set(["two"]));
  expect([cache.previewOf("one"), cache.previewOf("two"), [...live]]).toEqual([undefined, "two", ["two"]]);
});
