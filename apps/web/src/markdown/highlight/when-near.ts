/** Distance from the viewport within which an element counts as near. */
const MARGIN = "600px";

const waiting = new Map<Element, Set<() => void>>();
let observer: IntersectionObserver | undefined;

/**
 * Calls back once, when an element comes near the viewport; the result cancels that. One observer watches the groups of rows, and an element only once its
 * group is near: hundreds of watched elements would take part of each frame.
 */
export function whenNear(element: Element, onNear: () => void): () => void {
  const group = element.closest(".rows");
  if (group === null) return watch(element, onNear);
  let cancel = watch(group, () => {
    cancel = watch(element, onNear);
  });
  return () => cancel();
}

function watch(element: Element, onNear: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) for (const call of take(target)) call();
    },
    { rootMargin: MARGIN },
  );
  const calls = waiting.get(element) ?? new Set();
  calls.add(onNear);
  waiting.set(element, calls);
  // An observer reports the current state of a newly observed element only.
  observer.unobserve(element);
  observer.observe(element);
  return () => {
    calls.delete(onNear);
    if (calls.size === 0 && waiting.get(element) === calls) take(element);
  };
}

function take(element: Element): ReadonlySet<() => void> {
  const calls = waiting.get(element) ?? new Set();
  waiting.delete(element);
  observer?.unobserve(element);
  return calls;
}
