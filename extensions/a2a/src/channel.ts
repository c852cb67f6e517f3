import type { Channel, ChannelHost, Origin } from "@factotum/channel-contract";
import { A2A_CAPABILITIES } from "./capabilities.ts";
import type { A2aConfig } from "./config.ts";
import { unsupported } from "./errors.ts";
import { createEndpoint } from "./http/endpoint.ts";
import { createSender } from "./outbound/sender.ts";
import { TaskFiles } from "./tasks/task-files.ts";
import { TaskBook } from "./tasks/task-book.ts";

/** Creates the channel of one account. It makes no request: peers call it. */
export function createA2aChannel(config: A2aConfig, host: ChannelHost): Channel {
  const book = new TaskBook(host);
  const files = new TaskFiles(host);
  const endpoint = createEndpoint(config, { book, files, host });
  const sender = createSender(config, { book, files, host });

  return {
    capabilities: A2A_CAPABILITIES,
    start: (options) => endpoint.start(options),
    handleWebhook: (request, options) => endpoint.handle(request, options),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: ({ name }) => Promise.reject(unsupported(`does not do ${name}`)),
    fetchAttachment: (ref, options) => files.fetch(ref, options),
    fetchContext: () => Promise.resolve({}),
    resolveTarget: (query) => Promise.resolve(resolveTarget(query, config, host.accountId)),
    health: () => endpoint.health(),
    async stop(options) {
      endpoint.stop();
      await sender.stop(options);
    },
  };
}

/** `user:<peer>` and `channel:<peer>`: its tasks without a context of the peer's own. */
function resolveTarget(query: string, { peers }: A2aConfig, accountId: string): Origin | undefined {
  const { id } = /^(?:user|channel):(?<id>\S+)$/.exec(query.trim())?.groups ?? {};
  if (id === undefined || !Object.hasOwn(peers, id)) return undefined;
  return { channel: "a2a", accountId, conversation: { kind: "direct", id } };
}
