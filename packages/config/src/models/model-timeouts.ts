import { BlockList, isIP } from "node:net";
import type { ModelsConfig } from "../schema/models.ts";

/** The three limits of a model request, in milliseconds. */
export interface ModelTimeoutsMs {
  readonly connectMs: number;
  readonly firstEventMs: number;
  readonly idleMs: number;
}

/** A machine of one's own loads a model before it answers. */
const FAR = { connectSeconds: 10, firstEventSeconds: 120, idleSeconds: 60 };
const NEAR = { connectSeconds: 10, firstEventSeconds: 300, idleSeconds: 120 };

const privateAddresses = new BlockList();
for (const [network, bits] of [
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["100.64.0.0", 10],
] as const)
  privateAddresses.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  privateAddresses.addSubnet(network, bits, "ipv6");
privateAddresses.addAddress("::1", "ipv6");

/** The limits for one provider: its own, else those of `models.timeouts`, else the defaults for where `baseUrl` leads. */
export function modelTimeouts(models: ModelsConfig, provider: string, baseUrl: string): ModelTimeoutsMs {
  const own = Object.hasOwn(models.providers, provider) ? models.providers[provider]?.timeouts : undefined;
  const defaults = isNear(baseUrl) ? NEAR : FAR;
  const seconds = (key: keyof typeof FAR): number => own?.[key] ?? models.timeouts[key] ?? defaults[key];
  return {
    connectMs: seconds("connectSeconds") * 1000,
    firstEventMs: seconds("firstEventSeconds") * 1000,
    idleMs: seconds("idleSeconds") * 1000,
  };
}

/** True for loopback and private addresses, and for names that only a local network can have. */
function isNear(baseUrl: string): boolean {
  const url = URL.parse(baseUrl);
  if (url === null) return false;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const family = isIP(host);
  if (family !== 0) return privateAddresses.check(host, family === 4 ? "ipv4" : "ipv6");
  return (
    host === "localhost" || host.endsWith(".localhost") || host.endsWith(".local") || host.endsWith(".internal") || !host.includes(".")
  );
}
