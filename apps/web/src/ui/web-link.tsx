interface WebLinkProps {
  readonly url: string;
  readonly children?: React.ReactNode;
}

/** A link to another site, in a window of its own, which does not learn where it was followed. */
export function WebLink({ url, children }: WebLinkProps): React.JSX.Element {
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
