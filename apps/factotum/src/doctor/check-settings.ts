import { isLoopbackBind, type FactotumConfig } from "@factotum/config";
import type { Finding } from "./finding.ts";

/** A setting that is unsafe, or does nothing. */
interface SettingRule {
  readonly check: "unsafe" | "unused";
  readonly applies: (config: FactotumConfig) => boolean;
  readonly message: string;
  readonly fix: string;
}

const RULES: readonly SettingRule[] = [
  {
    check: "unsafe",
    applies: ({ gateway }) => gateway.auth.mode === "none",
    message: 'gateway.auth.mode is "none": every program of this machine acts as the owner, without a token.',
    fix: "factotum config unset gateway.auth.mode",
  },
  {
    check: "unsafe",
    applies: ({ gateway }) => !isLoopbackBind(gateway.bind),
    message: "gateway.bind lets other machines connect without encryption: whoever reads the traffic reads the token.",
    fix: 'Bind to this machine, with a proxy with TLS in front (docs/reverse-proxy.md): factotum config unset gateway.bind; then run "factotum gateway restart".',
  },
  {
    check: "unsafe",
    applies: ({ gateway: { publicUrl } }) => publicUrl !== undefined && publicUrl.startsWith("http:") && !isLoopbackName(publicUrl),
    message: "gateway.publicUrl has no TLS: the token travels unencrypted.",
    fix: "Give the proxy a certificate, and write the address with https://.",
  },
  {
    check: "unsafe",
    applies: ({ gateway }) => gateway.trustedProxies.some(isWide),
    message: "gateway.trustedProxies trusts a large network: whoever is in it can pretend to be any client.",
    fix: `Name the proxy alone: factotum config set gateway.trustedProxies '["127.0.0.1"]'`,
  },
  {
    check: "unused",
    applies: ({ gateway }) => gateway.trustedProxies.length > 0 && gateway.publicUrl === undefined && isLoopbackBind(gateway.bind),
    message: "gateway.trustedProxies is set without gateway.publicUrl: a proxy's host name would be refused.",
    fix: "factotum config set gateway.publicUrl https://YOUR-NAME, or factotum config unset gateway.trustedProxies",
  },
  {
    check: "unsafe",
    applies: ({ session }) => session.sharedMain,
    message: "session.sharedMain brings other people's messages into the owner's conversation: each can learn what the others have said.",
    fix: "factotum config unset session.sharedMain",
  },
];

/** Settings that are allowed and should be reviewed. */
export function checkSettings(config: FactotumConfig): readonly Finding[] {
  return [
    ...RULES.filter(({ applies }) => applies(config)).map(({ check, message, fix }): Finding => ({
      check,
      level: "warning",
      message,
      fix,
    })),
    ...unusedBindings(config),
  ];
}

/** Bindings of unknown accounts, which match nothing. */
function unusedBindings({ bindings, channels }: FactotumConfig): readonly Finding[] {
  return bindings.flatMap(({ match: { channel, accountId = "default" } }, index): Finding[] => {
    const accounts = channels[channel]?.accounts ?? {};
    if (accountId === "*" ? Object.keys(accounts).length > 0 : accountId in accounts) return [];
    const message = `bindings[${index}] matches nothing: there is no account ${channel}/${accountId}.`;
    return [{ check: "unused", level: "warning", message, fix: `Correct it, or remove it: factotum config unset 'bindings[${index}]'` }];
  });
}

function isWide(range: string): boolean {
  const [address = "", prefix] = range.split("/");
  return prefix !== undefined && Number(prefix) < (address.includes(":") ? 48 : 16);
}

function isLoopbackName(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname.startsWith("127.") || hostname === "[::1]";
}
