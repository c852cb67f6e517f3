import type { ConfigView } from "@factotum/protocol";
import { asBlock } from "./config-block.ts";

/** An address at which other systems tell what has happened. */
export interface WebhookRow {
  readonly name: string;
  readonly url: string;
  /** How a request proves where it comes from. */
  readonly scheme: string;
  readonly action: "agent" | "wake";
  /** False: there is no secret, and every request is refused. */
  readonly hasSecret: boolean;
  readonly task?: string | undefined;
  readonly deliver?: string | undefined;
}

/** Webhooks as they hold. */
export interface WebhookList {
  readonly isOn: boolean;
  readonly rows: readonly WebhookRow[];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The addresses of a configuration. `base` is where the gateway is reached, without a slash at its end. */
export function webhookList({ effective }: Pick<ConfigView, "effective">, base: string): WebhookList {
  const hooks = asBlock(effective["hooks"]);
  const path = textOf(hooks["path"]) ?? "";
  const hasToken = hooks["token"] !== undefined;
  const own = (["wake", "agent"] as const).map((action) => ({
    name: action,
    url: `${base}${path}/${action}`,
    scheme: "bearer",
    action,
    hasSecret: hasToken,
  }));
  const mappings = Array.isArray(hooks["mappings"]) ? hooks["mappings"].map(asBlock) : [];
  const rows = mappings.map(({ name, scheme, secret, action, task, deliver }): WebhookRow => ({
    name: String(name),
    url: `${base}${path}/${String(name)}`,
    scheme: String(scheme),
    action: action === "wake" ? "wake" : "agent",
    hasSecret: secret !== undefined || (scheme === "bearer" && hasToken),
    task: textOf(task),
    deliver: textOf(deliver),
  }));
  return { isOn: hooks["enabled"] === true, rows: [...rows, ...own] };
}
