import { describe, expect, test } from "vitest";
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

  test("a listener on the network accepts any host name, but no pages of other sites", () => {
    expect(crossSiteProblem({ host: "home.example:18790", origin: "http://home.example:18790" }, { loopbackOnly: false })).toBeUndefined();
    expect(crossSiteProblem({ host: "home.example:18790", origin: "http://evil.example" }, { loopbackOnly: false })).toBeDefined();
  });
});

describe("a listed origin", () => {
  const allowedOrigins = ["https://chat.example.com"];
  test.each([
    ["127.0.0.1:18790", "https://chat.example.com", true],
    ["127.0.0.1:18790", "https://chat.example.com:8443", false],
    ["127.0.0.1:18790", "http://chat.example.com", false],
    // A page's own name, rebound to this machine.
    ["chat.example.com", "https://chat.example.com", false],
  ])("on the host %j: %j is served: %s", (host, origin, served) => {
    expect(crossSiteProblem({ host, origin }, { loopbackOnly: true, allowedOrigins }) === undefined).toBe(served);
  });
});

describe.each(["https://home.example", "https://home.example/assistant"])("the public address %s", (publicUrl) => {
  test.each([
    // A proxy that passes the host name on, and one that does not.
    ["home.example", "https://home.example", true],
    ["127.0.0.1:18790", "https://home.example", true],
    ["home.example", undefined, true],
    ["home.example", "http://home.example:8080", false],
    ["127.0.0.1:18790", "https://home.example.evil.example", false],
    ["evil.example", "https://home.example", false],
    ["home.example.", undefined, false],
  ])("with the host %j: %j is served: %s", (host, origin, served) => {
    expect(crossSiteProblem({ host, origin }, { loopbackOnly: true, publicUrl }) === undefined).toBe(served);
  });
});
