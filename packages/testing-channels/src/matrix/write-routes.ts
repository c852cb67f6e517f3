import type { StoredEvent } from "./event.ts";
import { MatrixRefusal } from "./refusal.ts";
import { textIn } from "./request.ts";
import type { MatrixCall, MatrixRoute } from "./request.ts";

const ROOM = String.raw`/client/v3/rooms/([^/]+)`;

function route(method: string, path: string, run: MatrixRoute["run"], isChange = false): MatrixRoute {
  return { method, path: new RegExp(`^${path}$`), isChange, run };
}

/** Runs what a transaction asks for; a second request with the same one has the first one's result. */
function once({ user, parts, transactions }: MatrixCall, run: () => StoredEvent): { readonly event_id: string } {
  const key = JSON.stringify([user.token, parts]);
  const earlier = transactions.get(key);
  if (earlier !== undefined) return { event_id: earlier };
  const { event_id: id } = run();
  transactions.set(key, id);
  return { event_id: id };
}

function membership(call: MatrixCall, change: "join" | "invite" | "leave", userId: string): object {
  const [roomId = ""] = call.parts;
  const target = call.store.aliases.get(roomId) ?? roomId;
  call.store.setMembership({ roomId: target, userId, membership: change, by: call.user.id });
  return { room_id: target };
}

/** Requests that change rooms. */
export const WRITE_ROUTES: readonly MatrixRoute[] = [
  route(
    "PUT",
    `${ROOM}/send/([^/]+)/([^/]+)`,
    (call) => {
      const [roomId = "", type = ""] = call.parts;
      return once(call, () => call.store.send({ roomId, type, sender: call.user.id, content: call.json() }));
    },
    true,
  ),
  route(
    "PUT",
    `${ROOM}/redact/([^/]+)/([^/]+)`,
    (call) => {
      const [roomId = "", eventId = ""] = call.parts;
      return once(call, () => call.store.redact({ roomId, eventId, sender: call.user.id }));
    },
    true,
  ),
  route("PUT", `${ROOM}/state/([^/]+)(?:/([^/]*))?`, (call) => {
    const [roomId = "", type = "", stateKey = ""] = call.parts;
    const { event_id: id } = call.store.send({ roomId, type, stateKey, sender: call.user.id, content: call.json() });
    return { event_id: id };
  }),
  route("PUT", `${ROOM}/typing/([^/]+)`, (call) => {
    const [roomId = "", userId = ""] = call.parts;
    call.store.joinedRoom(roomId, call.user.id);
    call.typing.push({ roomId, userId, typing: call.json()["typing"] === true });
    return {};
  }),
  route("POST", `${ROOM}/receipt/m\\.read/([^/]+)`, (call) => {
    const [roomId = "", eventId = ""] = call.parts;
    call.store.joinedRoom(roomId, call.user.id);
    const threadId = call.json()["thread_id"];
    call.receipts.push({ roomId, userId: call.user.id, eventId, threadId: typeof threadId === "string" ? threadId : undefined });
    return {};
  }),
  route("POST", `${ROOM}/join`, (call) => membership(call, "join", call.user.id)),
  route("POST", "/client/v3/join/([^/]+)", (call) => membership(call, "join", call.user.id)),
  route("POST", `${ROOM}/leave`, (call) => membership(call, "leave", call.user.id)),
  route("POST", `${ROOM}/invite`, (call) => membership(call, "invite", textIn(call.json(), "user_id"))),
  route("POST", `${ROOM}/kick`, (call) => membership(call, "leave", textIn(call.json(), "user_id"))),
  route("POST", "/client/v3/createRoom", ({ store, user, json }) => {
    const body = json() as {
      readonly name?: string;
      readonly invite?: readonly string[];
      readonly is_direct?: boolean;
      readonly initial_state?: readonly { readonly type: string }[];
    };
    const room = store.createRoom({
      creator: user.id,
      ...(body.name !== undefined && { name: body.name }),
      invited: body.invite ?? [],
      isDirect: body.is_direct === true,
      isEncrypted: body.initial_state?.some(({ type }) => type === "m.room.encryption") === true,
    });
    return { room_id: room.id };
  }),
  route("PUT", "/client/v3/user/([^/]+)/account_data/m\\.direct", ({ app, store, user, parts: [userId], json, directSince }) => {
    if (userId !== user.id) throw new MatrixRefusal(403, "M_FORBIDDEN", "Cannot add account data for other users.");
    app.direct.set(user.id, json() as Record<string, string[]>);
    directSince.set(user.id, store.touch());
    return {};
  }),
];
