import { MAX_UNAUTHENTICATED_FRAME_BYTES } from "@factotum/protocol";
import { expect, test } from "vitest";
import { connectFrame } from "../gateway-client/connect-frame.ts";
import {
  keepOffered,
  loadOffered,
  loadToken,
  parseFragment,
  parsePastedToken,
  parsePath,
  renderPath,
  storeToken,
  takeToken,
} from "./address.ts";

function pageAt(hash: string) {
  const stored = new Map<string, string>();
  const replaced: string[] = [];
  const localStorage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
  };
  const page = {
    location: { hash, pathname: "/ui/", search: "?x=1" },
    history: { replaceState: (_data: unknown, _unused: string, address: string) => void replaced.push(address) },
    localStorage,
  };
  return { page: page as unknown as Parameters<typeof takeToken>[0], localStorage, replaced };
}

test("removes the token from the address without storing it, and keeps the session", () => {
  const { page, localStorage, replaced } = pageAt("#token=s3cret&session=agent%3Amain%3Amain");
  storeToken(localStorage, "good");
  expect(takeToken(page)).toBe("s3cret");
  expect(loadToken(localStorage)).toBe("good");
  expect(replaced).toEqual(["/ui/?x=1#/chat/agent:main:main"]);
});

test.each(["", "#/chat/agent:main:main", "#/usage?token=x"])("leaves the address %j unchanged", (hash) => {
  const { page, localStorage, replaced } = pageAt(hash);
  expect(takeToken(page)).toBeUndefined();
  expect(loadToken(localStorage)).toBeUndefined();
  expect(replaced).toEqual([]);
});

test.each(["#token=", "#token=&session=", "#session=", "#%74oken="])("turns the address %j into one that names nothing", (hash) => {
  const { page, replaced } = pageAt(hash);
  expect(takeToken(page)).toBeUndefined();
  expect(replaced).toEqual(["/ui/?x=1"]);
});

test("a token that is too long fits into the first frame, and is wrong", () => {
  for (const long of ["x".repeat(100_000), "\u0001".repeat(100_000)]) {
    const { token = "" } = parseFragment(`#token=${long}`);
    expect(parsePastedToken(`x${long}`).slice(1)).toBe(token.slice(1));
    expect(connectFrame(token, { name: "test", version: "1" }).length).toBeLessThan(MAX_UNAUTHENTICATED_FRAME_BYTES);
  }
});

test("turns an address of earlier versions into that of a route", () => {
  expect(parseFragment("#session=a&view=nonsense").place).toEqual({ sessionKey: "a", view: "chat" });
  const old = pageAt("#session=agent:main:main&view=context");
  expect(takeToken(old.page)).toBeUndefined();
  expect(old.replaced).toEqual(["/ui/?x=1#/context/agent:main:main"]);
  const { page, replaced } = pageAt("#token=s3cret&session=agent:main:main&view=context");
  expect(takeToken(page)).toBe("s3cret");
  expect(replaced).toEqual(["/ui/?x=1#/context/agent:main:main"]);
});

test("a session key is read from the address as it was written", () => {
  for (const sessionKey of ["agent:main:main", "agent:a:x:direct:50%25#&+ é/ü?"]) {
    for (const view of ["chat", "context"] as const) expect(parsePath(renderPath(sessionKey, view))).toEqual({ sessionKey, view });
  }
});

test.each(["/", "/chat", "/chat/", "/usage", "/chat/a/b", "/chat/100%", "/chat/agent:main:%zz%", "/context/%ED%A0%80"])(
  "%s names no session",
  (path) => {
    expect(parsePath(path)).toBeUndefined();
  },
);

test.each([
  [" s3cret\n", "s3cret"],
  ["http://127.0.0.1:18789/#token=s3cret", "s3cret"],
  ["http://127.0.0.1:18789/ui/#session=agent:main:main&token=s3cret", "s3cret"],
  ["a#b", "a#b"],
  [" ", ""],
])("reads the token in the pasted text %j", (pasted, token) => {
  expect(parsePastedToken(pasted)).toBe(token);
});

test("a token of an address is kept in its tab until it is judged", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  keepOffered(storage, "t");
  expect(loadOffered(storage)).toBe("t");
  keepOffered(storage, undefined);
  expect(loadOffered(storage)).toBeUndefined();
});
