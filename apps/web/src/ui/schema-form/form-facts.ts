import { createContext, useContext } from "react";
import { gatewayText } from "../../i18n/gateway-text.ts";
import { isAt, type KeyPath, keyText } from "./key-text.ts";
import type { SchemaNode } from "./schema-node.ts";

/** What every control gets. */
export interface ControlProps {
  readonly node: SchemaNode;
  readonly path: KeyPath;
  /** Its name, for people. */
  readonly label: string;
  /** `undefined`: the key is not set. */
  readonly value: unknown;
  /** `undefined` removes the key. */
  readonly onChange: (value: unknown) => void;
  /** An entry of a list or of a map stays when it is empty. */
  readonly isEntry?: boolean;
  readonly isRequired?: boolean;
}

/** Something that is wrong with a value. */
export interface FormProblem {
  /** `agents.list[0].model`. */
  readonly path: string;
  /** As the gateway says it, in English. */
  readonly message: string;
  /** In the text, from 1. */
  readonly line?: number;
}

/** What the controls of a form have in common. */
export interface FormFacts {
  /** Draws any node. */
  readonly Control: React.ComponentType<ControlProps>;
  readonly problems: readonly FormProblem[];
  /** Stands for a hidden secret. */
  readonly mark: string;
  /** Secrets that are typed are kept in private files, which the configuration refers to. */
  readonly keepsSecrets: boolean;
  /** The key that was searched for, which is in view; `everything` opens all groups. */
  readonly shown: string | undefined;
  readonly opensEverything: boolean;
  /** The value that holds where the key is not set. */
  readonly inherited: (path: KeyPath) => unknown;
}

/** Facts around a form's controls. */
export const FormFactsContext: React.Context<FormFacts | undefined> = createContext<FormFacts | undefined>(undefined);

/** The facts of the form; throws outside of one. */
export function useFormFacts(): FormFacts {
  const facts = useContext(FormFactsContext);
  if (facts === undefined) throw new Error("A control was drawn outside of a form.");
  return facts;
}

/** The problems of the value at a path, in the language of the page; `isDeep`: of those below it, too. */
export function useProblems(path: KeyPath, { isDeep }: { readonly isDeep: boolean }): readonly FormProblem[] {
  const key = keyText(path);
  const found = useFormFacts().problems.filter((problem) => (isDeep ? isAt(problem.path, key) : problem.path === key));
  return found.map((problem) => ({ ...problem, message: gatewayText(problem.message) }));
}
