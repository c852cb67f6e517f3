import type { ClientAddress } from "../../access/client-address.ts";

/** Requests of one plugin at once, and those of public routes among them: the owner always finds a place. */
const MAX_OPEN = 16;
const MAX_PUBLIC = 8;
/** Public ones of one client among these. */
const MAX_OF_CLIENT = 4;
/** Plugins that serve public requests at once. Four have a process at most, and the assistant needs some for its own calls. */
const MAX_PUBLIC_PLUGINS = 2;

/** A request that wants a place. */
interface RouteCall {
  readonly pluginId: string;
  readonly isPublic: boolean;
  readonly client: Pick<ClientAddress, "address" | "isShared">;
}

/** A place, given back by disposing it, or the status of the refusal. */
type TakenPlace = { readonly type: "taken"; readonly place: Disposable } | { readonly type: "refused"; readonly status: 429 | 503 };

/** Bounds the requests that plugins work on, so that strangers keep none busy without a bound. */
export class RoutePlaces {
  readonly #open = new Set<RouteCall>();

  take(call: RouteCall): TakenPlace {
    const own = [...this.#open].filter(({ pluginId }) => pluginId === call.pluginId);
    if (own.length >= MAX_OPEN) return { type: "refused", status: 503 };
    if (call.isPublic) {
      const strangers = own.filter(({ isPublic }) => isPublic);
      const { address, isShared } = call.client;
      if (!isShared && strangers.filter(({ client }) => client.address === address).length >= MAX_OF_CLIENT)
        return { type: "refused", status: 429 };
      if (strangers.length >= MAX_PUBLIC) return { type: "refused", status: 503 };
      const others = new Set([...this.#open].filter(({ isPublic }) => isPublic).map(({ pluginId }) => pluginId));
      others.delete(call.pluginId);
      if (others.size >= MAX_PUBLIC_PLUGINS) return { type: "refused", status: 503 };
    }
    const entry = { ...call };
    this.#open.add(entry);
    return { type: "taken", place: { [Symbol.dispose]: () => void this.#open.delete(entry) } };
  }
}
