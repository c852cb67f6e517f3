import { FakeWebhookService } from "@factotum/testing-channels";
import type { Product } from "@factotum/testing-product";
import { EventPoster } from "./event-poster.ts";
import type { MixedEvent, MixedPlatform, ShownReply } from "./mixed-platform.ts";

const PEOPLE = ["alice", "bob", "carol"];
const PLACES = [...PEOPLE, "room", "hall", "room/topic"];

/** Two services, one for each account. Their fake shows a repeated request once, as the channel asks of services. */
export async function startWebhookMixedPlatform(): Promise<MixedPlatform> {
  const services = new Map<string, FakeWebhookService>();
  for (const name of ["one", "two"]) services.set(name, await FakeWebhookService.start());
  const events = new Map<string, object>();
  /** Ids of people's messages by conversation, newest last. */
  const messages = new Map<string, string[]>();
  const poster = new EventPoster();
  const post = async (name: string, id: string, product: Product): Promise<boolean> => {
    const service = services.get(name);
    const event = events.get(id);
    if (service === undefined || event === undefined) throw new Error(`${id} was not created`);
    const body = Buffer.from(JSON.stringify(event));
    const url = `${product.url}/channels/webhook/${name}`;
    return poster.post(new Request(url, { method: "POST", body, headers: service.sign(body, id) }));
  };
  return {
    name: "webhook",
    extension: "webhook",
    guarantee: { inbound: "redelivers", outbound: "once" },
    conversations: [...services.keys()].flatMap((name) => PLACES.map((place) => `${name}/${place}`)),
    kinds: ["message", "message", "message", "command", "edit", "delete", "reaction"],
    allows: () => true,
    config: {
      owners: [...services.keys()].flatMap((name) => PEOPLE.map((person) => `webhook/${name}:${person}`)),
      channels: {
        webhook: {
          accounts: Object.fromEntries(
            [...services].map(([name, { secret, outboundUrl }]) => [name, { secret, outboundUrl, allowFrom: PEOPLE, groupPolicy: "open" }]),
          ),
        },
      },
    },
    connected: () => Promise.resolve(),
    create(event) {
      const earlier = messages.get(event.conversation) ?? [];
      events.set(event.id, wireEvent(event, earlier.at(-1) ?? "an-old-message"));
      if (event.id.startsWith("input")) messages.set(event.conversation, [...earlier, event.id]);
    },
    deliver: (event, product) => post(event.conversation.split("/")[0] ?? "", event.id, product),
    redelivers: () => true,
    disconnect() {
      poster.cutNext();
    },
    get shown() {
      return [...services].flatMap(([name, { received }]) =>
        received.map(({ id, conversation, text }): ShownReply => {
          const thread = conversation.thread === undefined ? "" : `/${conversation.thread}`;
          return { id: `${name}/${id}`, conversation: `${name}/${conversation.id}${thread}`, text };
        }),
      );
    },
    watch(listener) {
      for (const service of services.values()) service.watch(listener);
    },
    async [Symbol.asyncDispose]() {
      for (const service of services.values()) await service[Symbol.asyncDispose]();
    },
  };
}

function wireEvent({ id, kind, conversation, text, person }: MixedEvent, targetId: string): object {
  const [, place = "", thread] = conversation.split("/");
  const isDirect = PEOPLE.includes(place);
  const common = {
    conversation: { id: place, kind: isDirect ? "direct" : "group", ...(thread !== undefined && { thread }) },
    sender: { id: isDirect ? place : (PEOPLE[person] ?? "") },
  };
  if (kind === "edit") return { type: "edit", targetId, text, ...common };
  if (kind === "delete") return { type: "delete", targetId, ...common };
  if (kind === "reaction") return { type: "reaction", targetId, emoji: "🎉", ...common };
  return { type: "message", id, text, mentionsBot: !isDirect, ...common };
}
