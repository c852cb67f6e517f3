import * as z from "zod";
import {
  PluginPackageSchema,
  PluginPlanSchema,
  PluginWorkSchema,
  type PluginPackage,
  type PluginPlan,
  type PluginWork,
} from "../shapes/plugins.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";

/** What becomes of a package that is to be installed. */
export type PluginInstallation =
  /** Nothing has changed yet: the owner is shown the plan, and sends its `digest` back as `accept`. `isChanged`: the package is another one than was accepted. */
  | { readonly type: "asks"; readonly plan: PluginPlan; readonly isChanged: boolean }
  /** `problems`: why the gateway does not use it, or not all of it. `needsRestart`: its new code is loaded at the next start. */
  | {
      readonly type: "installed";
      readonly name: string;
      readonly version: string;
      /** Ids of its channels, which are set up next. */
      readonly channels: readonly string[];
      readonly problems: readonly string[];
      readonly needsRestart: boolean;
    };

/** A package to install. */
interface PluginOrder {
  /** An absolute folder or tarball of the gateway's machine, an address, `name@version`, a name of the release's list, or the id of an `installable` channel. */
  readonly spec: string;
  /** `digest` of the plan that the owner has accepted. */
  readonly accept?: string;
  /** Severe findings were accepted, too. */
  readonly acceptSevere?: boolean;
}

/**
 * Methods of packages of extensions. Those that change something reject with `conflict` while another change runs, for a package that cannot be used, and where what is
 * there is in the way, and with `invalid-request` for a name or a source that means nothing; then nothing has changed.
 */
export interface PluginMethods {
  /** The packages, and what is being installed now. Runs no code of them. */
  "plugins.list": { params: Record<string, never>; result: { readonly packages: readonly PluginPackage[]; readonly work?: PluginWork } };
  /** Fetches and checks a package, and installs it once what it may do was accepted. Runs no code of it. It may take minutes. */
  "plugins.install": { params: PluginOrder; result: PluginInstallation };
  /** Replaces an installed package, named by itself or by its source, by another version. Asks only for what that may do more. */
  "plugins.update": { params: PluginOrder; result: PluginInstallation };
  /** Removes an installed package with the logins of its servers. Rejects with `conflict` while one of its channels is configured, unless `force`. */
  "plugins.remove": { params: { readonly name: string; readonly force?: boolean }; result: { readonly name: string } };
  /** Uses the plugins and servers of a package. Rejects with `invalid-request` for a package that has none. */
  "plugins.enable": { params: { readonly name: string }; result: { readonly name: string; readonly problems: readonly string[] } };
  /** Uses them no longer. The package stays, with its settings. */
  "plugins.disable": { params: { readonly name: string }; result: { readonly name: string; readonly problems: readonly string[] } };
}

const name = z.string().min(1).max(300);
const order = z.lazy(() =>
  z.strictObject({ spec: z.string().min(1).max(2000), accept: z.string().max(64).optional(), acceptSevere: z.boolean().optional() }),
);
const installation = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("asks"), plan: PluginPlanSchema, isChanged: z.boolean() }),
    z.strictObject({
      type: z.literal("installed"),
      name: z.string(),
      version: z.string(),
      channels: z.array(z.string()),
      problems: z.array(z.string()),
      needsRestart: z.boolean(),
    }),
  ]),
);
const switched = z.lazy(() => z.strictObject({ name: z.string(), problems: z.array(z.string()) }));

/** Rows of the plugin methods. */
export const PLUGIN_METHODS: MethodTable<PluginMethods> = defineMethods<PluginMethods>()({
  "plugins.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({}),
    result: () => z.strictObject({ packages: z.array(PluginPackageSchema), work: PluginWorkSchema.optional() }),
  },
  "plugins.install": { access: "owner", stores: true, params: () => order, result: () => installation },
  "plugins.update": { access: "owner", stores: true, params: () => order, result: () => installation },
  "plugins.remove": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ name, force: z.boolean().optional() }),
    result: () => z.strictObject({ name: z.string() }),
  },
  "plugins.enable": { access: "owner", stores: true, params: () => z.strictObject({ name }), result: () => switched },
  "plugins.disable": { access: "owner", stores: true, params: () => z.strictObject({ name }), result: () => switched },
});
