import type {
  CallOptions,
  Channel,
  ChannelHealth,
  ChannelHost,
  HistoryMessage,
  MessageId,
  Origin,
  ProbeResult,
} from "@factotum/channel-contract";
import * as z from "zod";
import { runAction } from "./actions/actions.ts";
import { askForBot, createMatrixBot } from "./api/bot-identity.ts";
import { createMatrixApi } from "./api/matrix-api.ts";
import type { MatrixApi } from "./api/matrix-api.ts";
import { MATRIX_CAPABILITIES } from "./capabilities.ts";
import type { MatrixConfig } from "./config.ts";
import { createDirectory } from "./context/directory.ts";
import { readMessages } from "./context/history.ts";
import { createKnownEvents } from "./context/known-events.ts";
import { fetchMessageContext } from "./context/message-context.ts";
import { toChannelError } from "./errors.ts";
import { fetchAttachment } from "./fetch-attachment.ts";
import { createKnownReactions } from "./context/known-reactions.ts";
import { createAcceptEvents } from "./inbound/accept-event.ts";
import { createOwnReactions } from "./outbound/own-reactions.ts";
import { readUnknownRedaction } from "./inbound/read-redaction.ts";
import { createUnknownRedactions } from "./inbound/unknown-redactions.ts";
import { createReadReceipts } from "./outbound/read-receipts.ts";
import { createSender } from "./outbound/sender.ts";
import { createDirectRooms } from "./rooms/direct-rooms.ts";
import { createEncryptedRooms } from "./rooms/encrypted-rooms.ts";
import { createInvitations } from "./rooms/invitations.ts";
import { createRoomBook } from "./rooms/room-book.ts";
import { createPolling } from "./transport/polling.ts";

const VersionsSchema = z.looseObject({ versions: z.array(z.string()) });
/** The oldest version of the platform whose threads and edits the channel uses. */
const OLDEST_VERSION = "v1.4";

/** Creates the channel of one account. Loads and requests nothing before `start` or the first send. */
export function createMatrixChannel(config: MatrixConfig, host: ChannelHost): Channel {
  const lives = new AbortController();
  const { signal } = lives;
  const { userId } = config;
  const api = createMatrixApi(config, host);
  const bot = createMatrixBot(api, config, host, { signal });
  const direct = createDirectRooms(api, config);
  const book = createRoomBook(api, direct);
  const known = createKnownEvents(api);
  const invitations = createInvitations({ api, direct, host, selfId: userId }, { signal });
  const receipts = createReadReceipts(api, host, { signal });
  const encrypted = createEncryptedRooms(api, host);
  const parts = { host, api, bot, book, known, reactions: createKnownReactions(host), invitations, receipts, encrypted };
  const redactions = createUnknownRedactions(
    { host, read: (roomId, event, options) => readUnknownRedaction(parts, { roomId, event }, options) },
    { signal },
  );
  const accept = createAcceptEvents({ ...parts, redactions });
  const transport = createPolling({ api, bot, userId, host, book, direct, accept });
  const sender = createSender({ api, host, known, book, userId, reactions: createOwnReactions(api, config) });
  const directory = createDirectory({ api, book, direct, host, userId });
  let stopped: Promise<void> | undefined;

  return {
    capabilities: MATRIX_CAPABILITIES,
    async start(options) {
      await transport.start(options);
      invitations.start();
      redactions.start();
    },
    handleWebhook: () => Promise.resolve(new Response(null, { status: 404 })),
    send: (target, outbound, options) => sender.send(target, outbound, options),
    act: (action, options) => runAction({ api, bot, book }, action, options),
    fetchAttachment: (ref, options) => fetchAttachment(api, ref, options),
    fetchContext: (message, options) => fetchMessageContext({ api, bot, book }, message, options),
    resolveTarget: (query, options) => mapped(directory.resolve(query, options)),
    health: () => withProblem(bot.addTo(transport.health()), book.problem),
    probe: (options) => mapped(probe(api, config, options)),
    directory: (query, options) => mapped(directory.search(query, options)),
    history: (target, options) => mapped(history(target, options)),
    stop: (options) => {
      stopped ??= Promise.all([transport.stop(options), sender.stop(options)]).then(() =>
        lives.abort(new Error("the channel was stopped")),
      );
      return stopped;
    },
  };

  async function history(
    { conversation }: Origin,
    { limit, before, ...options }: CallOptions & { readonly limit: number; readonly before?: MessageId },
  ): Promise<readonly HistoryMessage[]> {
    return readMessages({ api, book, bot: await bot.get(options) }, { conversation, limit, before }, options);
  }
}

function withProblem(health: ChannelHealth, problem: string | undefined): ChannelHealth {
  if (problem === undefined || health.state === "stopped") return health;
  return { ...health, detail: [health.detail, problem].filter(Boolean).join("; ") };
}

/** The bot as the homeserver names it now, and whether the homeserver is recent enough. */
async function probe(api: MatrixApi, config: MatrixConfig, options: CallOptions): Promise<ProbeResult> {
  const versions = await api.call("the homeserver's versions", { method: "GET", path: "/versions", prefix: "/_matrix/client" }, options);
  const { id, name } = await askForBot(api, config, options);
  const isRecent = VersionsSchema.safeParse(versions).data?.versions.includes(OLDEST_VERSION) === true;
  return {
    account: { id, name },
    missingPermissions: [],
    ...(!isRecent && { notes: [`The homeserver does not offer version ${OLDEST_VERSION} of Matrix: threads may not work.`] }),
  };
}

async function mapped<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toChannelError(error);
  });
}
