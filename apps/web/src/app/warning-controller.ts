import type { GatewayWarning, RpcMethods } from "@factotum/protocol";
import type { GatewayClient } from "../gateway-client/gateway-client.ts";
import { t } from "../i18n/t.ts";
import type { AppState } from "./app-state.ts";
import { PAIRING_WARNING } from "./pairing-warning.ts";
import { isSameWarning } from "./same-warning.ts";
import type { Store } from "./store.ts";

interface WarningControllerOptions {
  readonly client: GatewayClient;
  readonly store: Store<AppState>;
  /** Runs an action, whose failure becomes the alert. */
  readonly guard: (action: () => Promise<void>) => Promise<void>;
}

/** Warnings of the gateway, and the people who ask to be admitted, who are among them. */
export class WarningController {
  readonly #options: WarningControllerOptions;

  constructor(options: WarningControllerOptions) {
    this.#options = options;
  }

  async refresh(): Promise<void> {
    const { client, guard } = this.#options;
    await guard(async () => this.show((await client.request("warnings.list", {})).warnings));
  }

  /** Shows the warnings that there are now; those that were dismissed stay so as long as they are the same. */
  show(warnings: readonly GatewayWarning[]): void {
    const { store } = this.#options;
    const hiddenWarnings = store.get().hiddenWarnings.filter((hidden) => warnings.some((warning) => isSameWarning(warning, hidden)));
    store.update({ warnings, hiddenWarnings });
  }

  /** Dismisses a warning until its text changes, or it occurs again. */
  hide(warning: GatewayWarning): void {
    const { store } = this.#options;
    store.update({ hiddenWarnings: [...store.get().hiddenWarnings, warning] });
  }

  /** Admits or refuses the person with this code, as `factotum pairing` does. */
  async decidePairing(code: string, decision: "approve" | "reject"): Promise<void> {
    const { client, guard } = this.#options;
    await guard(async () => this.showPairing(code, await client.request(`pairing.${decision}`, { code })));
  }

  /** Removes the warning of a request that was decided on, and says it if the person became the owner. */
  showPairing(code: string, decided: RpcMethods["pairing.approve" | "pairing.reject"]["result"]): void {
    const { store } = this.#options;
    // The gateway's next list of warnings may be seconds away.
    store.update({ warnings: store.get().warnings.filter(({ id }) => id !== `${PAIRING_WARNING}${code}`) });
    if (!("owner" in decided) || !decided.owner) return;
    const { senderId, channel, accountId } = decided.sender;
    store.update({
      news: t("{sender} on {account} is the owner now: there was none before.", {
        sender: senderId,
        account: `${channel}/${accountId}`,
      }),
    });
  }
}
