import type { FactotumConfig } from "@factotum/config";
import type { InputRecord, SessionRecord } from "@factotum/store";
import { asOfAuthor, withPresentOwner } from "../access/owner.ts";
import { mayAsk } from "../run-policy/input-traits.ts";

/** The part of an input that tells who wrote it. */
type SaidInput = Pick<InputRecord, "message" | "admission">;

/** True if a sender may have commands of sandboxed turns on the host: an owner that `tools.elevated.allowFrom` names, or any owner if it names nobody. */
export function maySenderElevate(
  sender: { readonly owner: boolean; readonly channel: string; readonly id: string },
  { tools: { elevated } }: Pick<FactotumConfig, "tools">,
): boolean {
  const { enabled, allowFrom } = elevated;
  if (!enabled || !sender.owner) return false;
  if (Object.keys(allowFrom).length === 0) return true;
  // An id of a channel may be the name of an inherited property.
  const ids = Object.hasOwn(allowFrom, sender.channel) ? (allowFrom[sender.channel] ?? []) : [];
  return ids.includes("*") || ids.includes(sender.id);
}

/** True if everybody whose message is in a run may have its commands on the host, as the configuration is now, and no sandboxed run has caused it. */
export function mayElevate(inputs: readonly SaidInput[], config: Pick<FactotumConfig, "tools" | "commands">): boolean {
  return (
    inputs.length > 0 &&
    inputs.every((input) => {
      const { owner } = withPresentOwner(input, config.commands.ownerAllowFrom).admission;
      const { origin, sender } = asOfAuthor(input).message;
      return input.admission.confinement === undefined && maySenderElevate({ owner, channel: origin.channel, id: sender.id }, config);
    })
  );
}

/** True if a conversation's commands were moved to the host. It has an effect for those alone who may have that, and where runs are sandboxed. */
export function isElevationChosen(record: Pick<SessionRecord, "overrides"> | undefined): boolean {
  return ["on", "full"].includes(record?.overrides.elevated ?? "off");
}

/** True if a run's commands leave the sandbox. `asked`: by its message itself. Runs in which nobody can be asked about commands never do. */
export function isElevatedRun(
  run: { readonly inputs: readonly InputRecord[]; readonly record: SessionRecord | undefined; readonly asked?: boolean | undefined },
  config: Pick<FactotumConfig, "tools" | "commands">,
): boolean {
  const { inputs, record, asked = isElevationChosen(record) } = run;
  return asked && inputs.every((input) => mayAsk(input.admission.kind, [input])) && mayElevate(inputs, config);
}
