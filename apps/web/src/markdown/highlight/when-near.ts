/** Distance from the viewport within which an element counts as near. */
const MARGIN = "600px";

const waiting = new Map<Element, () => void>();
let observer: IntersectionObserver | undefined;

/**
 * Calls back once, when an element comes near the viewport; the result cancels that. All elements share one observer, since hundreds of observers would take
 * part of each frame.
 */
export function whenNear(element: Element, onNear: () => void): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) take(target)?.();
    },
    { rootMargin: MARGIN },
  );
  waiting.set(element, onNear);
  observer.observe(element);
  return () => void take(element);
}

function take(element: Element): (() => void) | undefined {
  const onNear = waiting.get(element);
  waiting.delete(element);
  observer?.unobserve(element);
  return onNear;
}
