import { Icon } from "./icon.tsx";

/** Says how many images came with a message. */
export function ImageNote({ count }: { readonly count: number }): React.JSX.Element | null {
  if (count === 0) return null;
  return (
    <span className="image-note">
      <Icon name="image" />
      {count === 1 ? "1 image" : `${count} images`}
    </span>
  );
}
