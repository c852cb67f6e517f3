import type { ChatFile } from "@factotum/protocol";
import { useEffect, useState } from "react";
import { useAppState, useController } from "../../app/app-context.ts";
import { saveFile } from "../../app/save-file.ts";
import { AttachmentNote } from "./attachment-note.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { t } from "../../i18n/t.ts";

/** The files of a message: its images, larger on demand, others to download, and the number of those that are not kept. */
export function MessageFiles({
  files = [],
  count,
}: {
  readonly files?: readonly ChatFile[] | undefined;
  readonly count: number;
}): React.JSX.Element {
  const images = files.filter(({ kind }) => kind === "image");
  const others = files.filter(({ kind }) => kind !== "image");
  return (
    <>
      {images.length === 0 ? null : (
        <span className="message-images">
          {images.map((file) => (
            <KeptImage key={file.id} file={file} />
          ))}
        </span>
      )}
      {others.map((file) => (
        <KeptFile key={file.id} file={file} />
      ))}
      <AttachmentNote count={count - files.length} />
    </>
  );
}

/** A file that is saved on this device when it is pressed. */
function KeptFile({ file }: { readonly file: ChatFile }): React.JSX.Element {
  const { media } = useController();
  const sessionKey = useAppState((state) => state.sessionKey) ?? "";
  const isConnected = useAppState((state) => state.connection.type === "connected");
  const [isMissing, setMissing] = useState(false);
  const name = file.name ?? t("File");
  const download = async (): Promise<void> => {
    const blob = await media.blob(sessionKey, file.id);
    if (blob === undefined) setMissing(true);
    else saveFile(name, blob, document);
  };
  if (isMissing && isConnected) return <span className="attachment-note">{t("{name} (no longer kept)", { name })}</span>;
  return (
    <button
      type="button"
      className="attachment-note"
      aria-label={t("Download {name}", { name })}
      title={t("Download {name}", { name })}
      disabled={!isConnected}
      onClick={() => void download()}
    >
      <Icon name="attach" />
      <bdi>{name}</bdi>
    </button>
  );
}

/** Marks an image that could not be loaded. */
const MISSING = "";

function KeptImage({ file }: { readonly file: ChatFile }): React.JSX.Element {
  const { media } = useController();
  const sessionKey = useAppState((state) => state.sessionKey) ?? "";
  const isConnected = useAppState((state) => state.connection.type === "connected");
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    void media.url(sessionKey, file.id).then((found) => isWanted && setUrl(found ?? MISSING));
    return () => {
      isWanted = false;
    };
    // A reconnect may load what was missing.
  }, [media, sessionKey, file.id, isConnected]);
  const name = file.name ?? t("Image");
  if (url === MISSING) return <span className="attachment-note">{t("{name} (no longer kept)", { name })}</span>;
  return <ImageButton url={url} name={name} />;
}

/** An image at a bounded size that opens at its full size. */
export function ImageButton({ url, name }: { readonly url: string | undefined; readonly name: string }): React.JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="image-button"
        aria-label={t("Enlarge {name}", { name })}
        disabled={url === undefined}
        onClick={() => setOpen(true)}
      >
        {url === undefined ? null : <img src={url} alt={name} decoding="async" />}
      </button>
      {isOpen ? (
        <Dialog title={name} className="modal image-modal" onClose={() => setOpen(false)}>
          <img src={url} alt={name} />
        </Dialog>
      ) : null}
    </>
  );
}
