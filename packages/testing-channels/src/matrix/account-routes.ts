import { MatrixRefusal, notFound } from "./refusal.ts";
import { textIn } from "./request.ts";
import type { MatrixRoute } from "./request.ts";

function route(method: string, path: string, run: MatrixRoute["run"]): MatrixRoute {
  return { method, path: new RegExp(`^${path}$`), run };
}

/** Requests about users, and about the homeserver itself. */
export const ACCOUNT_ROUTES: readonly MatrixRoute[] = [
  route("GET", "/client/v3/account/whoami", ({ user }) => ({ user_id: user.id, device_id: "DEVICE", is_guest: false })),
  route("GET", "/client/v3/profile/([^/]+)(?:/displayname)?", ({ app, parts: [id = ""] }) => {
    const user = app.users.get(id);
    if (user === undefined) throw notFound("Profile was not found");
    return user.displayName === undefined ? {} : { displayname: user.displayName };
  }),
  route("GET", "/client/v3/joined_rooms", ({ store, user }) => ({
    joined_rooms: [...store.rooms.values()].filter((room) => room.membershipOf(user.id) === "join").map(({ id }) => id),
  })),
  route("GET", "/client/v3/user/([^/]+)/account_data/m\\.direct", ({ app, user }) => {
    const list = app.direct.get(user.id);
    if (list === undefined) throw notFound("Account data not found");
    return list;
  }),
  route("GET", "/client/v3/directory/room/([^/]+)", ({ app, store, parts: [alias = ""] }) => {
    const id = store.aliases.get(alias);
    if (id === undefined) throw notFound(`Room alias ${alias} not found`);
    return { room_id: id, servers: [app.serverName] };
  }),
  route("POST", "/client/v3/user_directory/search", ({ app, json }) => {
    const term = textIn(json(), "search_term").toLowerCase();
    const found = [...app.users.values()].filter(({ id, displayName = "" }) => `${id} ${displayName}`.toLowerCase().includes(term));
    return { limited: false, results: found.map(({ id, displayName }) => ({ user_id: id, display_name: displayName ?? null })) };
  }),
  route("GET", "/client/v3/capabilities", () => ({ capabilities: {} })),
  route("GET", "/client/v3/pushrules/", () => ({ global: { override: [], content: [], room: [], sender: [], underride: [] } })),
  route("GET", "/client/(?:v1|v3)/media/config|/media/v3/config", ({ app }) => ({ "m.upload.size": app.maxUploadBytes })),
  route("POST", "/client/v3/user/([^/]+)/filter", () => ({ filter_id: "0" })),
  route("GET", "/client/v3/user/([^/]+)/filter/([^/]+)", () => ({})),
  route("POST", "/media/v3/upload", ({ app, bytes, contentType, query }) => {
    if (bytes.length > app.maxUploadBytes) throw new MatrixRefusal(413, "M_TOO_LARGE", "Upload request body is too large");
    const id = `file${app.files.size + 1}`;
    app.files.set(id, { name: query["filename"] ?? "", bytes: new Uint8Array(bytes), mimeType: contentType });
    return { content_uri: `mxc://${app.serverName}/${id}` };
  }),
];
