import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { HOSTS, isOfPlatform } from "./api/slack-api.ts";
import { SCOPES, SUBSCRIPTIONS } from "./scopes.ts";

const ManifestSchema = z.looseObject({
  features: z.looseObject({
    app_home: z.looseObject({ messages_tab_enabled: z.literal(true), messages_tab_read_only_enabled: z.literal(false) }),
    slash_commands: z.array(z.looseObject({ command: z.string(), should_escape: z.literal(false) })).min(1),
  }),
  oauth_config: z.looseObject({ scopes: z.looseObject({ bot: z.array(z.string()) }) }),
  settings: z.looseObject({
    event_subscriptions: z.looseObject({ bot_events: z.array(z.string()) }),
    interactivity: z.looseObject({ is_enabled: z.literal(true) }),
    socket_mode_enabled: z.literal(true),
  }),
});

const PackageSchema = z.looseObject({ factotum: z.looseObject({ permissions: z.array(z.string()) }) });

test("the manifest of the guide has the scopes and the events that the code uses", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/slack.md"), "utf8");
  const [, json = ""] = /```json\n([\s\S]*?)\n```/.exec(guide) ?? [];
  const manifest = ManifestSchema.parse(JSON.parse(json));
  expect(manifest.oauth_config.scopes.bot.toSorted()).toEqual(SCOPES.map(({ name }) => name).toSorted());
  expect(manifest.settings.event_subscriptions.bot_events.toSorted()).toEqual(SUBSCRIPTIONS.toSorted());
});

test("the package's manifest names the hosts that the code trusts, and no other", () => {
  const { factotum } = PackageSchema.parse(JSON.parse(readFileSync(join(import.meta.dirname, "../package.json"), "utf8")));
  const trusted = HOSTS.flatMap((host) => [`network:${host}`, `network:*.${host}`]);
  expect(factotum.permissions.toSorted()).toEqual(trusted.toSorted());
  for (const address of ["https://slack.com/api/", "https://hooks.slack.com/x", "https://slack-files.com/x", "https://a.slack-files.com/x"])
    expect(isOfPlatform(address, "https://slack.com")).toBe(true);
  for (const address of ["http://slack.com/", "https://notslack.com/", "https://slack.com.example/", "slack.com"])
    expect(isOfPlatform(address, "https://slack.com")).toBe(false);
});
