import { createContext, useContext } from "react";

/** A link to the main part of a page, before everything else in it. */
export interface SkipTarget {
  readonly label: string;
  readonly follow: () => void;
}

/** What the page that is shown tells the shell. */
export interface PageFacts {
  readonly setTitle: (title: string) => void;
  readonly setSkip: (skip: SkipTarget | undefined) => void;
}

/** Provided by the shell. */
export const PageFactsContext: React.Context<PageFacts | undefined> = createContext<PageFacts | undefined>(undefined);

/** The shell's ear for the page; throws outside of the shell. */
export function usePageFacts(): PageFacts {
  const facts = useContext(PageFactsContext);
  if (facts === undefined) throw new Error("A page was drawn outside of the shell.");
  return facts;
}
