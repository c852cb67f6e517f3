import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Clock } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { FactotumConfig } from "@factotum/config";
import { RpcError, type ConfigControl, type PluginService } from "@factotum/gateway";
import type { PluginPackage, PluginPart, PluginPlan, PluginWork, RpcMethods } from "@factotum/protocol";
import type { ExtensionManifest } from "../extensions/manifest.ts";
import { localPath } from "../extensions/package-source.ts";
import { isPublicRoute } from "../extensions/provided-routes.ts";
import { addedParts, partOf, providedChannels, type DescribedPart } from "../extensions/provided-types.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { applyChange } from "./apply-change.ts";
import { asRequest } from "./service-error.ts";
import { forgetServers, listPackages, removePackage, type ListedPackage } from "../compose/installed-packages.ts";
import { reachOf, stagePackage, type StagedPackage } from "../compose/stage-package.ts";
import { isUsed, switchPackage } from "../compose/switch-plugins.ts";

interface PluginServiceParts {
  readonly context: CliContext;
  readonly control: Pick<ConfigControl, "reload" | "report">;
  readonly currentConfig: () => FactotumConfig;
  readonly clock: Pick<Clock, "now">;
}

type Order = RpcMethods["plugins.install"]["params"];
type Installation = RpcMethods["plugins.install"]["result"];

/** A client is in no folder that a path could count from, and what npm says of a wrong one names folders of the account. */
async function checkSource(spec: string): Promise<void> {
  const path = localPath(spec);
  if (path === undefined || (isAbsolute(path) && (await isFolderOrTarball(path)))) return;
  throw new RpcError(
    "invalid-request",
    `"${spec}" is no source of a package. Give its name, name@version, or the absolute path of a folder or a tarball on the gateway's machine.`,
  );
}

async function isFolderOrTarball(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile() || (await stat(join(path, "package.json"))).isFile();
  } catch (error) {
    if (
      ["ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP", "ERR_INVALID_ARG_VALUE"].includes(
        (error as NodeJS.ErrnoException).code ?? "",
      )
    )
      return false;
    throw error;
  }
}

/** The packages of extensions for clients: what `factotum plugins` does. One change at a time. */
export function createPluginService({ context, control, currentConfig, clock }: PluginServiceParts): PluginService {
  const { env } = context;
  let work: PluginWork | undefined;
  const during = async <Result>(
    { type, spec }: Pick<PluginWork, "type" | "spec">,
    change: (step: (name: PluginWork["step"]) => void) => Promise<Result>,
  ): Promise<Result> => {
    if (work !== undefined) throw new RpcError("conflict", `${work.spec} is being changed. Try again when that has ended.`);
    const startedAtMs = clock.now();
    const step = (name: PluginWork["step"]): void => void (work = { type, spec, step: name, startedAtMs });
    step("fetching");
    try {
      return await asRequest(() => change(step));
    } finally {
      work = undefined;
    }
  };
  const reload = (): Promise<readonly string[]> => applyChange(control, { force: true });
  const install = async (order: Order, type: "install" | "update", signal: AbortSignal): Promise<Installation> =>
    during({ type, spec: order.spec }, async (step) => {
      await checkSource(order.spec);
      const own = { ...context, signal: AbortSignal.any([context.signal, signal]) };
      await using staged = await stagePackage(own, order.spec, { replaces: type === "update", folder: context.paths.userHome });
      step("checking");
      const plan = planOf(staged);
      if (!isAccepted(plan, order)) return { type: "asks", plan, isChanged: order.accept !== undefined && order.accept !== plan.digest };
      step("activating");
      await staged.activate();
      const { name, version, provides } = staged.manifest;
      const channels = providedChannels(provides).map(({ id }) => id);
      const needsRestart = type === "update" && channels.length > 0;
      return { type: "installed", name, version, channels, problems: await reload(), needsRestart };
    });
  const switchOne = async (name: string, isOn: boolean) =>
    asRequest(async () => {
      await switchPackage(context, name, isOn);
      return { name, problems: await reload() };
    });
  return {
    list: async () => {
      const { packages } = await listPackages(env);
      return { packages: packages.map((one) => toPackage(one, currentConfig())), ...withoutUndefined({ work }) };
    },
    install: (order, { signal }) => install(order, "install", signal),
    update: (order, { signal }) => install(order, "update", signal),
    remove: ({ name: named, force = false }) =>
      during({ type: "remove", spec: named }, async (step) => {
        step("activating");
        const { name, provides } = await removePackage(context, named, { force });
        await reload();
        await forgetServers(context, provides);
        return { name };
      }),
    enable: ({ name }) => switchOne(name, true),
    disable: ({ name }) => switchOne(name, false),
  };
}

/** An update that may do no more than the version before needs no question. */
function isAccepted(plan: PluginPlan, { accept, acceptSevere = false }: Order): boolean {
  const isSevere = plan.findings.some(({ severity }) => severity === "severe");
  if (isSevere && !acceptSevere) return false;
  if (accept !== undefined) return accept === plan.digest;
  return plan.replaces !== undefined && plan.added.length === 0 && plan.addedPermissions.length === 0 && !isSevere;
}

function planOf({ manifest, before, findings, digest }: StagedPackage): PluginPlan {
  const { name, version, permissions, provides, unused = [] } = manifest;
  const parts = provides.map(partOf);
  return {
    name,
    version,
    ...withoutUndefined({ replaces: before?.version }),
    provides: parts.map(toPart),
    added: before === undefined ? [] : addedParts(before.provides, provides).map(toPart),
    servers: parts.flatMap((part) => (part.type === "mcp" || part.type === "lsp" ? part.servers : [])),
    permissions,
    addedPermissions: permissions.filter((permission) => before?.permissions.includes(permission) !== true),
    reach: reachOf(manifest),
    hasPublicRoutes: hasPublicRoutes(manifest),
    unused,
    findings,
    digest,
  };
}

function hasPublicRoutes({ provides }: ExtensionManifest): boolean {
  return provides.map(partOf).some((part) => part.type === "routes" && part.routes.some(isPublicRoute));
}

function toPackage({ name, source, described, problems, ids }: ListedPackage, { plugins }: FactotumConfig): PluginPackage {
  return {
    name,
    source,
    ...withoutUndefined({ version: described?.version }),
    provides: described?.provides.map(toPart) ?? [],
    permissions: described?.permissions ?? [],
    unused: described?.unused ?? [],
    problems,
    canSwitch: ids.length > 0,
    isEnabled: isUsed(ids, plugins),
  };
}

function toPart(part: DescribedPart): PluginPart {
  const { type } = part;
  switch (type) {
    case "channel":
    case "memory":
      return { type, id: part.id, names: [] };
    case "tools":
      return { type, id: part.id, names: part.tools };
    case "hooks":
      return { type, id: part.id, names: part.hooks };
    case "models":
      return { type, id: part.id, names: part.models };
    case "commands":
      return { type, id: part.id, names: part.commands };
    case "routes":
      return { type, id: part.id, names: part.routes };
    case "skills":
    case "prompts":
      return { type, names: [part.path] };
    case "mcp":
    case "lsp":
      return { type, names: part.servers.map((server) => server.name) };
  }
}
