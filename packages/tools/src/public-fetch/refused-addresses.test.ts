import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isPublicAddress } from "./public-address.ts";
import { createPublicRequester } from "./public-request.ts";
import { sendRequest } from "./send-request.ts";

const NEVER = { schedule: () => ({ [Symbol.dispose]: () => undefined }) };
const PUBLIC = "93.184.216.34";
const PUBLIC_6 = "2606:4700::1111";
const START = "http://start.example/";

/** An address that must not be reached, and a similar one that must be. */
interface Pair {
  readonly title: string;
  /** Advisories of other products about this class. */
  readonly source?: string;
  readonly refused: Attempt;
  readonly allowed: Attempt;
}

/** A first address, what names resolve to (each answer once, the last one again), and where paths redirect to. */
interface Attempt {
  readonly url: string;
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  readonly redirects?: Readonly<Record<string, string>>;
  readonly status?: number;
}

let attempt: Attempt;
/** Checked addresses that a request was sent to. */
let contacted: string[];
// Stands for every server: nothing leaves this machine, whichever address was chosen.
const server = createServer((request, response) => {
  const location = attempt.redirects?.[`${request.headers.host}${request.url}`];
  if (location === undefined) response.end("hello");
  else response.writeHead(attempt.status ?? 302, { location }).end();
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  contacted = [];
});

/** The verdict on an attempt under a policy. */
async function judge(next: Attempt, isOpen: (address: string) => boolean): Promise<"allowed" | "refused"> {
  attempt = next;
  const answers = new Map(Object.entries({ "start.example": [[PUBLIC]], ...next.names }).map(([name, all]) => [name, [...all]]));
  const request = createPublicRequester({
    clock: NEVER,
    isOpen,
    lookup: async (host) => {
      const all = answers.get(host) ?? [];
      const answer = (all.length > 1 ? all.shift() : all[0]) ?? [];
      return answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
    send: async (url, { address }, content) => {
      contacted.push(address);
      const local = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}${url.search}`);
      return sendRequest(local, { address: "127.0.0.1", family: 4 }, { ...content, headers: { ...content.headers, host: url.host } });
    },
  });
  const answer = await request({ url: next.url, signal: new AbortController().signal, maxBytes: 1_000, timeoutMs: 1_000 });
  return answer.type === "response" && answer.head.status === 200 ? "allowed" : "refused";
}

const at = (url: string): Attempt => ({ url });
const named = (url: string, ...addresses: readonly string[]): Attempt => ({ url, names: { [new URL(url).hostname]: [addresses] } });
const DOT = "CVE-2026-53859, CVE-2026-41372: a host with a trailing dot";

const ODD_ADDRESSES: readonly Pair[] = [
  {
    title: "a trailing dot",
    source: DOT,
    refused: named("http://inner.example./", "192.168.0.1"),
    allowed: named("http://outer.example./", PUBLIC),
  },
  { title: "an address with a trailing dot", source: DOT, refused: at("http://127.0.0.1./"), allowed: at("http://8.8.8.8./") },
  { title: "a decimal address", refused: at("http://2130706433/"), allowed: at("http://134744072/") },
  { title: "an octal address", refused: at("http://0177.0.0.1/"), allowed: at("http://010.010.010.010/") },
  { title: "a hexadecimal address", refused: at("http://0x7f000001/"), allowed: at("http://0x08080808/") },
  { title: "a short address", refused: at("http://127.1/"), allowed: at("http://8.8/") },
  { title: "full-width digits", refused: at("http://１２７.０.０.１/"), allowed: at("http://８.８.８.８/") },
  { title: "the address of any interface", refused: at("http://0.0.0.0/"), allowed: at("http://1.0.0.1/") },
  {
    title: "the metadata service",
    refused: at("http://169.254.169.254/latest/meta-data/"),
    allowed: at("http://169.253.169.254/latest/meta-data/"),
  },
  { title: "the network of a provider", refused: at("http://100.64.0.1/"), allowed: at("http://100.128.0.1/") },
  { title: "the last private network of its range", refused: at("http://172.31.255.255/"), allowed: at("http://172.32.0.0/") },
  { title: "loopback in IPv6", refused: at("http://[::1]/"), allowed: at("http://[2001:4860:4860::8888]/") },
  { title: "a mapped address", refused: at("http://[::ffff:127.0.0.1]/"), allowed: at(`http://[${PUBLIC_6}]/`) },
  { title: "a mapped address in hexadecimal", refused: at("http://[::ffff:a9fe:a9fe]/"), allowed: at("http://[2a00:1450:4001::1]/") },
  { title: "a link-local address", refused: at("http://[fe80::1]/"), allowed: at("http://[2400:cb00::1]/") },
  { title: "a unique local address", refused: at("http://[fd12:3456::1]/"), allowed: at("http://[2620:fe::fe]/") },
  { title: "a translated address (NAT64)", refused: at("http://[64:ff9b::7f00:1]/"), allowed: at("http://[2602:ff9b::1]/") },
  { title: "a tunnelled address (6to4)", refused: at("http://[2002:7f00:1::]/"), allowed: at("http://[2003::1]/") },
  { title: "a user name", refused: at("http://user:secret@8.8.8.8/"), allowed: at("http://8.8.8.8/user:secret@") },
  { title: "a password alone", refused: at("http://:secret@8.8.8.8/"), allowed: at("http://8.8.8.8/:secret@") },
  { title: "a host disguised as a user name", refused: at("http://8.8.8.8@10.0.0.1/"), allowed: at("http://8.8.8.8/@10.0.0.1") },
  { title: "another scheme", refused: at("file:///etc/passwd"), allowed: at("https://8.8.8.8/etc/passwd") },
  { title: "a scheme that carries its content", refused: at("data:text/plain,hello"), allowed: at("http://8.8.8.8/data:text/plain,hello") },
  {
    title: "the name of this machine",
    refused: named("http://localhost/", "127.0.0.1"),
    allowed: named("http://localhost.example/", PUBLIC),
  },
];

const PRIVATE = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00::1", "::ffff:10.0.0.1"] as const;
const REBINDING_SOURCE = "GHSA-wxm8-ghhq-q688: a name that resolves to something else after the check";
const twoSteps = (second: readonly string[]): Attempt => ({
  url: "http://flip.example/",
  names: { "flip.example": [[PUBLIC], second] },
  redirects: { "flip.example/": "/again" },
});
const REBINDING: readonly Pair[] = PRIVATE.flatMap((address): Pair[] => [
  {
    title: `a name with a public address and ${address}`,
    source: REBINDING_SOURCE,
    refused: named("http://both.example/", PUBLIC, address),
    allowed: named("http://both.example/", PUBLIC, PUBLIC_6),
  },
  {
    title: `a name that is ${address} first, and public afterwards`,
    source: REBINDING_SOURCE,
    refused: { url: "http://flip.example/", names: { "flip.example": [[address], [PUBLIC]] } },
    allowed: { url: "http://flip.example/", names: { "flip.example": [[PUBLIC], [address]] } },
  },
  {
    title: `a name that becomes ${address} with a redirect to itself`,
    source: REBINDING_SOURCE,
    refused: twoSteps([address]),
    allowed: twoSteps([PUBLIC_6]),
  },
]);

const REDIRECT_SOURCE = "GHSA-x863-pqjw-hmgf: an address that is checked before the navigation, not after";
const to = (location: string, status = 302): Attempt => ({
  url: START,
  status,
  redirects: { "start.example/": location },
  names: { "inner.example": [["10.0.0.1"]], "inner.example.": [["10.0.0.1"]], "outer.example": [[PUBLIC]], "outer.example.": [[PUBLIC]] },
});
const chain = (last: string): Attempt => ({
  ...to("http://outer.example/one"),
  redirects: { "start.example/": "http://outer.example/one", "outer.example/one": "two", "outer.example/two": last },
});
const redirect = (title: string, refused: string, allowed: string): Pair => ({
  title,
  source: REDIRECT_SOURCE,
  refused: to(refused),
  allowed: to(allowed),
});
const REDIRECTS: readonly Pair[] = [
  ...[301, 302, 303, 307, 308].map((status): Pair => ({
    title: `status ${status} to a private name`,
    source: REDIRECT_SOURCE,
    refused: to("http://inner.example/", status),
    allowed: to("http://outer.example/", status),
  })),
  redirect("to loopback", "http://127.0.0.1/", "http://8.8.8.8/"),
  redirect("to the metadata service", "http://169.254.169.254/", "http://169.253.169.254/"),
  redirect("to a decimal address", "http://2130706433/", "http://134744072/"),
  redirect("to a mapped address", "http://[::ffff:127.0.0.1]/", `http://[${PUBLIC_6}]/`),
  redirect("to a name with a trailing dot", "http://inner.example./", "http://outer.example./"),
  redirect("without a scheme", "//inner.example/", "//outer.example/"),
  redirect("with backslashes", "\\\\inner.example\\", "\\\\outer.example\\"),
  redirect("to a file", "file:///etc/passwd", "/etc/passwd"),
  redirect("to a script", "javascript:alert(1)", "/javascript:alert(1)"),
  redirect("with a user name", "http://user@outer.example/", "http://outer.example/user@"),
  {
    title: "at the end of a chain",
    source: REDIRECT_SOURCE,
    refused: chain("http://inner.example/"),
    allowed: chain("http://outer.example/three"),
  },
  {
    title: "without TLS after TLS",
    refused: { ...to("http://outer.example/"), url: "https://start.example/" },
    allowed: { ...to("https://outer.example/"), url: "https://start.example/" },
  },
  redirect("in circles", "/", "/once"),
];

const CORPORA = { "odd addresses": ODD_ADDRESSES, rebinding: REBINDING, redirects: REDIRECTS };

describe.each(Object.entries(CORPORA))("%s", (_name, pairs) => {
  test("are at least 15 pairs", () => {
    expect(pairs.length).toBeGreaterThanOrEqual(15);
  });

  test.each(pairs.map((pair) => [pair.title, pair] as const))("%s", async (_title, { refused, allowed, source }) => {
    expect(await judge(refused, isPublicAddress), source).toBe("refused");
    // Whatever the server did, nothing was sent to a private address.
    expect(contacted.filter((address) => !isPublicAddress(address))).toEqual([]);
    contacted = [];
    expect(await judge(allowed, isPublicAddress)).toBe("allowed");
    expect(contacted.length).toBeGreaterThan(0);
    expect(contacted.filter((address) => !isPublicAddress(address))).toEqual([]);
  });

  test("detects a policy that refuses or allows everything", async () => {
    const verdicts = async (isOpen: () => boolean, side: "refused" | "allowed"): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const pair of pairs) found.push(await judge(pair[side], isOpen));
      return found;
    };
    expect(await verdicts(() => false, "allowed")).not.toContain("allowed");
    // The rest is refused for its form, whatever the policy.
    expect((await verdicts(() => true, "refused")).filter((verdict) => verdict === "allowed").length).toBeGreaterThanOrEqual(10);
  });
});
