import assert from "node:assert/strict";
import type { ChannelCapabilities } from "@factotum/channel-contract";
import { declaredNeeds, providedNeeds } from "../case.ts";
import type { ConformanceCase, ConformanceRequirement } from "../case.ts";

/** What cannot be true at the same time, each with its reason. */
const CONTRADICTIONS: readonly {
  readonly holds: (capabilities: ChannelCapabilities) => boolean;
  readonly reason: string;
}[] = [
  { holds: ({ buttons, cards }) => buttons && !cards, reason: "`buttons` without `cards`: buttons belong to cards" },
  { holds: ({ cardEdits, cards }) => cardEdits === true && !cards, reason: "`cardEdits` without `cards`" },
  { holds: ({ forms, buttons }) => forms === true && !buttons, reason: "`forms` without `buttons`: a button sends the values" },
  {
    holds: ({ buttons, events = [] }) => buttons && !events.includes("action"),
    reason: "`buttons` without the event `action`: presses would be lost",
  },
  {
    holds: ({ edits, edit, cardEdits }) => edits !== undefined && !edit && cardEdits !== true,
    reason: "`edits` without `edit`: there is nothing to limit",
  },
  {
    holds: ({ streaming, edit }) => streaming !== "none" && !edit,
    reason: "`streaming` without `edit`, which also completes a native stream",
  },
  {
    holds: ({ limits, buttons }) =>
      !buttons && [limits?.buttonsPerCard, limits?.buttonLabelLength, limits?.buttonValueBytes].some((limit) => limit !== undefined),
    reason: "limits of buttons without `buttons`",
  },
  { holds: ({ limits, polls }) => limits?.pollOptions !== undefined && !polls, reason: "`limits.pollOptions` without `polls`" },
  {
    holds: ({ limits, media }) => limits?.captionLength !== undefined && media.length === 0,
    reason: "`limits.captionLength` without `media`",
  },
  {
    holds: ({ voiceMessages, media }) => voiceMessages === true && !media.some(({ kind }) => kind === "audio"),
    reason: "`voiceMessages` without files of the kind `audio`",
  },
  {
    holds: ({ limits, media }) => limits?.filesPerMessage !== undefined && media.length === 0,
    reason: "`limits.filesPerMessage` without `media`",
  },
  {
    holds: ({ inbound }) => inbound.webhookAuth !== undefined && inbound.transport !== "webhook",
    reason: "`webhookAuth` without a webhook",
  },
  {
    holds: ({ inbound }) => inbound.delivery === "resumes" && inbound.transport === "webhook",
    reason: "`resumes` with a webhook: only a connection or a poll continues at a cursor",
  },
  {
    holds: ({ actions }) => actions.some((name) => name === "unpin" || name === "pins-list") && !actions.includes("pin"),
    reason: "the actions `unpin` and `pins-list` without `pin`",
  },
  {
    holds: ({ actions, threads }) => threads === "flat" && actions.some((name) => name === "thread-create" || name === "thread-list"),
    reason: 'actions on threads with `threads: "flat"`',
  },
];

/** What a channel declares of itself. `all` is the list of requirements, in which these are too. */
export function createCapabilityCases(all: () => readonly ConformanceRequirement[]): readonly ConformanceCase[] {
  return [
    {
      id: "capabilities:sound",
      needs: [],
      behaviour: "What is declared is possible: limits are whole and positive, sizes too, and nothing is named twice.",
      prove({ channel }) {
        const { text, idempotentSend, media, actions, limits: declared = {}, optional = [] } = channel.capabilities;
        const limits = [
          text.maxLength,
          text.maxLines ?? 1,
          idempotentSend?.windowMs ?? 1,
          idempotentSend?.maxKeyLength ?? 1,
          ...media.map(({ maxBytes }) => maxBytes),
          ...Object.values(declared).flatMap((limit) => (typeof limit === "number" ? limit : [limit.count, limit.perMs])),
        ];
        assert.deepEqual(
          limits.filter((limit) => !Number.isSafeInteger(limit) || limit <= 0),
          [],
        );
        assert.notEqual(text.dialect, "");
        assert.equal(new Set(actions).size, actions.length);
        assert.equal(new Set(optional).size, optional.length);
        assert.equal(new Set(media.map(({ kind }) => kind)).size, media.length);
        return Promise.resolve();
      },
    },
    {
      id: "capabilities:consistent",
      needs: [],
      behaviour: "No two declarations contradict each other.",
      prove({ channel }) {
        const found = CONTRADICTIONS.filter(({ holds }) => holds(channel.capabilities)).map(({ reason }) => reason);
        assert.ok(found.length === 0, `the declared capabilities contradict each other: ${found.join("; ")}`);
        return Promise.resolve();
      },
    },
    {
      id: "capabilities:proved",
      needs: [],
      behaviour: "Every declared capability has a requirement that is tested on this platform.",
      prove({ channel, platform, options: { excluded = {} } }) {
        const provided = providedNeeds(platform, channel.capabilities);
        const tested = all().filter(({ id, needs }) => !(id in excluded) && needs.every((need) => provided.has(need)));
        const unproved = [...declaredNeeds(channel.capabilities)].filter((need) => !tested.some(({ needs }) => needs.includes(need)));
        assert.ok(unproved.length === 0, `declared, and not tested on this platform: ${unproved.join(", ")}`);
        return Promise.resolve();
      },
    },
  ];
}
