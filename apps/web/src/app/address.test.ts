import { expect, test } from "vitest";
import { loadToken, parseFragment, parsePastedToken, renderFragment, storeToken, takeToken } from "./address.ts";

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
  expect(replaced).toEqual(["/ui/?x=1#session=agent:main:main"]);
});

test("leaves an address without a token unchanged", () => {
  const { page, localStorage, replaced } = pageAt("#session=agent:main:main");
  expect(takeToken(page)).toBeUndefined();
  expect(loadToken(localStorage)).toBeUndefined();
  expect(replaced).toEqual([]);
  storeToken(localStorage, "typed");
  expect(loadToken(localStorage)).toBe("typed");
});

test("keeps the view in the address, also after the token is removed", () => {
  expect(parseFragment(renderFragment("agent:main:main", "context"))).toMatchObject({ sessionKey: "agent:main:main", view: "context" });
  expect(parseFragment("#session=a&view=nonsense")).not.toHaveProperty("view");
  const { page, replaced } = pageAt("#token=s3cret&session=agent:main:main&view=context");
  expect(takeToken(page)).toBe("s3cret");
  expect(replaced).toEqual(["/ui/?x=1#session=agent:main:main&view=context"]);
});

test("a session key is read from the address as it was written", () => {
  for (const key of ["agent:main:main", "agent:a:x:direct:50%25#&+ é"])
    expect(parseFragment(renderFragment(key))).toEqual({ token: undefined, sessionKey: key });
});

test.each([
  [" s3cret\n", "s3cret"],
  ["http://127.0.0.1:18789/#token=s3cret", "s3cret"],
  ["http://127.0.0.1:18789/ui/#session=agent:main:main&token=s3cret", "s3cret"],
  ["a#b", "a#b"],
  [" ", ""],
])("reads the token in the pasted text %j", (pasted, token) => {
  expect(parsePastedToken(pasted)).toBe(token);
});
