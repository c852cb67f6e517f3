import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
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

test("the manifest of the guide has the scopes and the events that the code uses", () => {
  const guide = readFileSync(join(import.meta.dirname, "../../../docs/slack.md"), "utf8");
  const [, json = ""] = /```json\n([\s\S]*?)\n```/.exec(guide) ?? [];
  const manifest = ManifestSchema.parse(JSON.parse(json));
  expect(manifest.oauth_config.scopes.bot.toSorted()).toEqual(SCOPES.map(({ name }) => name).toSorted());
  expect(manifest.settings.event_subscriptions.bot_events.toSorted()).toEqual(SUBSCRIPTIONS.toSorted());
});
