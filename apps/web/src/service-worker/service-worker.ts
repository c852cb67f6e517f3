/** The files of the program that opens the page, relative to this script; the build puts them in place of the name. */
declare const SHELL_FILES: readonly string[];
/** Changes with any of them; the build puts it in place of the name. */
declare const SHELL_VERSION: string;

/** The parts of the worker's scope that are used: the types of workers and of pages exclude each other. */
interface WorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { readonly type: "window" }): Promise<readonly OpenPage[]>;
    openWindow(address: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: WorkerEvent) => void): void;
  addEventListener(type: "notificationclick", listener: (event: NotificationClickEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: FetchingEvent) => void): void;
}
interface WorkerEvent {
  waitUntil(work: Promise<unknown>): void;
}
interface OpenPage {
  focus(): Promise<unknown>;
  navigate(address: string): Promise<unknown>;
}
interface NotificationClickEvent extends WorkerEvent {
  readonly notification: Notification;
}
interface FetchingEvent extends WorkerEvent {
  readonly request: Request;
  respondWith(response: Promise<Response>): void;
}

const worker = self as unknown as WorkerScope;
const PREFIX = "factotum-shell ";
const CACHE = `${PREFIX}${worker.registration.scope} ${SHELL_VERSION}`;
/** What a proxy answers when it cannot reach the gateway. */
const UNREACHABLE = new Set([502, 503, 504]);

worker.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then(async (cache) => cache.addAll(SHELL_FILES))
      .then(async () => worker.skipWaiting()),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(removeOlder().then(async () => worker.clients.claim()));
});

/** Only the program is answered here: never what the gateway holds, such as files of conversations, uploads and requests. */
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(worker.registration.scope)) return;
  const path = new URL(request.url.slice(worker.registration.scope.length), "http://shell/").pathname.slice(1);
  if (path === "" || path === "index.html") event.respondWith(newest(request, "./"));
  // Their names change with their content.
  else if (path.startsWith("assets/")) event.respondWith(kept(request));
  else if (SHELL_FILES.includes(`./${path}`)) event.respondWith(newest(request, `./${path}`));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { route } = (event.notification.data ?? {}) as { readonly route?: string };
  event.waitUntil(openRoute(`${worker.registration.scope}#${route ?? "/"}`));
});

/** Shows a route in a page that is open, or in a new one. */
async function openRoute(address: string): Promise<void> {
  const [page] = await worker.clients.matchAll({ type: "window" });
  if (page === undefined) {
    await worker.clients.openWindow(address);
    return;
  }
  await page.focus();
  await page.navigate(address);
}

/** The gateway's answer; the stored file only while it cannot be reached, so that no page of an older version is shown. */
async function newest(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (!UNREACHABLE.has(response.status)) return response;
    return (await cache.match(name)) ?? response;
  } catch (error) {
    const stored = await cache.match(name);
    if (stored === undefined) throw error;
    return stored;
  }
}

/** A file that never changes: the stored one, otherwise the gateway's, which is stored. */
async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const stored = await cache.match(request);
  if (stored !== undefined) return stored;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Files of other versions of this page. Another page below the same host keeps its own. */
async function removeOlder(): Promise<void> {
  const own = `${PREFIX}${worker.registration.scope} `;
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(own) && name !== CACHE).map(async (name) => caches.delete(name)));
}
