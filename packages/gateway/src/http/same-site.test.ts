import { describe, expect, test } from "vitest";
import { createAuthenticator, bearerToken } from "./credentials.ts";
import { crossSiteProblem } from "./same-site.ts";

describe("requests of other sites", () => {
  test.each([
    ["127.0.0.1:18790", undefined, true],
    ["localhost:18790", "http://localhost:18790", true],
    ["[::1]:18790", undefined, true],
    ["127.0.0.1:18790", "http://evil.example", false],
    ["127.0.0.1:18790", "http://127.0.0.1:9999", false],
    ["127.0.0.1:18790", "null", false],
    ["evil.example", undefined, false],
    ["evil.example:18790", "http://evil.example:18790", false],
    ["127.0.0.1.evil.example", undefined, false],
    ["localhost.", undefined, false],
    ["user@localhost", undefined, false],
    ["", undefined, false],
    [undefined, undefined, false],
  ])("Host %j with Origin %j on a loopback listener is served: %s", (host, origin, served) => {
    expect(crossSiteProblem({ host, origin }, { loopbackOnly: true }) === undefined).toBe(served);
  });

  test("a listener on the network answers to any name, but not to pages of other sites", () => {
    expect(crossSiteProblem({ host: "home.example:18790", origin: "http://home.example:18790" }, { loopbackOnly: false })).toBeUndefined();
    expect(crossSiteProblem({ host: "home.example:18790", origin: "http://evil.example" }, { loopbackOnly: false })).toBeDefined();
  });
});

describe("an origin that is listed", () => {
  const allowedOrigins = ["https://chat.example.com"];
  test.each([
    ["127.0.0.1:18790", "https://chat.example.com", true],
    ["127.0.0.1:18790", "https://chat.example.com:8443", false],
    ["127.0.0.1:18790", "http://chat.example.com", false],
    // The name that a page has rebound to this machine.
    ["chat.example.com", "https://chat.example.com", false],
  ])("on the host %j: %j is served: %s", (host, origin, served) => {
    expect(crossSiteProblem({ host, origin }, { loopbackOnly: true, allowedOrigins }) === undefined).toBe(served);
  });
});

describe("credentials", () => {
  test("only the whole token makes the owner", () => {
    const authenticator = createAuthenticator("secret");
    for (const token of [undefined, "", "secre", "secret ", "SECRET", "secretx"])
      expect(authenticator.principal(token)).toEqual({ type: "anonymous" });
    expect(authenticator.principal("secret")).toEqual({ type: "token" });
  });

  test.each([
    ["Bearer abc", "abc"],
    ["bearer abc ", "abc"],
    ["Basic abc", undefined],
    ["Bearer", undefined],
    ["Bearer a b", undefined],
    [undefined, undefined],
  ])("the header %j holds %j", (header, token) => {
    expect(bearerToken(header)).toBe(token);
  });
});
